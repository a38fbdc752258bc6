import type { SignedLog } from './signedLog.ts';

/** An order that the logs of several teams name, or a log of a team that did not place it. */
export interface ContestedOrder {
  readonly orderId: string;
  /** The team that placed it, if the order list contains the order. */
  readonly owner?: string;
  /** The teams whose logs name it, the earliest log first. */
  readonly claims: readonly OrderClaim[];
}

/** The logs of one team that name an order. */
interface OrderClaim {
  readonly uid: string;
  readonly logs: number;
  /** The earliest of them. */
  readonly first: SignedLog;
}

/** The claims to every order that any log names, by order id. A claim takes about 150 bytes of memory. */
export type OrderClaims = ReadonlyMap<string, readonly OrderClaim[]>;

/** Collects the claims to orders. @param logs those of each team in the order of their signatures */
export function collectClaims(logs: Iterable<SignedLog>): OrderClaims {
  const all = new Map<string, OrderClaim[]>();
  for (const log of logs) {
    if (log.orderId === undefined) continue;
    const claims = all.get(log.orderId) ?? [];
    all.set(log.orderId, claims);
    const index = claims.findIndex(({ uid }) => uid === log.uid);
    const claim = claims[index];
    if (claim) claims[index] = { ...claim, logs: claim.logs + 1 };
    else claims.push({ uid: log.uid, logs: 1, first: log });
  }
  return all;
}

/**
 * Finds the orders that more than one team claims, or that a team claims that did not place it.
 * @param ownerOf returns the UID that placed an order; undefined if that is not known
 */
export function findContestedOrders(
  claims: OrderClaims,
  ownerOf: (orderId: string) => string | undefined,
): ContestedOrder[] {
  return [...claims].flatMap(([orderId, ofOrder]) => {
    const owner = ownerOf(orderId);
    if (ofOrder.length === 1 && (owner === undefined || ofOrder[0]?.uid === owner)) return [];
    const sorted = [...ofOrder].sort((a, b) => a.first.signedAt - b.first.signedAt);
    return [{ orderId, ...(owner !== undefined && { owner }), claims: sorted }];
  });
}

/**
 * Returns the number of contested orders that a team claims and did not place. If the owner of an order is not known,
 * it counts for every team that claims it.
 */
export const countForeign = (contested: readonly ContestedOrder[], uid: string): number =>
  contested.filter(({ owner, claims }) => owner !== uid && claims.some((claim) => claim.uid === uid)).length;
