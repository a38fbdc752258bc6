import { labelRows } from './labels.ts';
import type { SignedLog } from './signedLog.ts';
import type { SignedLogColumns } from './signedLogs.ts';

/** An order that the logs of several teams name, or a log of a team that did not place it. */
export interface ContestedOrder {
  readonly orderId: string;
  /** The team that placed it, if the order list contains the order. */
  readonly owner?: string;
  /** The teams whose logs name it, the log that was received first of all first. */
  readonly claims: readonly OrderClaim[];
}

interface OrderClaim {
  readonly uid: string;
  readonly logs: number;
  /** The one that was received first. */
  readonly first: SignedLog;
}

/** The claims to every order that any log names, by order id. A claim takes about 150 bytes of memory. */
export type OrderClaims = ReadonlyMap<string, readonly OrderClaim[]>;

/** Yields the logs whose order can be contested or is on the order list. The others, which are most, need no memory. */
export function* claimsToCheck(columns: SignedLogColumns, order: Uint32Array, isListed: (orderId: string) => boolean) {
  const { count, team, orderIds, hasOddOrder, at } = columns;
  const labels = labelRows(new Uint8Array(orderIds.buffer, 0, count * orderIds.BYTES_PER_ELEMENT), 8);
  const isShared = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) {
    const label = labels[index] as number;
    if (team[label] !== team[index]) isShared[label] = 1;
  }
  for (const index of order) {
    const isNamed = orderIds[index] !== 0n;
    if (
      hasOddOrder(index) ||
      (isNamed && (isShared[labels[index] as number] === 1 || isListed(String(orderIds[index]))))
    ) {
      yield at(index);
    }
  }
}

/** Collects the claims to orders. */
export function collectClaims(logs: Iterable<SignedLog>): OrderClaims {
  const all = new Map<string, OrderClaim[]>();
  for (const log of logs) {
    if (log.orderId === undefined) continue;
    const claims = all.get(log.orderId) ?? [];
    all.set(log.orderId, claims);
    const index = claims.findIndex(({ uid }) => uid === log.uid);
    const claim = claims[index];
    const isEarlier = claim && log.receivedAt < claim.first.receivedAt;
    if (claim) claims[index] = { uid: log.uid, logs: claim.logs + 1, first: isEarlier ? log : claim.first };
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
    const sorted = [...ofOrder].sort((a, b) => a.first.receivedAt - b.first.receivedAt);
    return [{ orderId, ...(owner !== undefined && { owner }), claims: sorted }];
  });
}

/**
 * Returns the number of contested orders that a team claims and did not place. If the owner of an order is not known,
 * it counts for every team that claims it.
 */
export const countForeign = (contested: readonly ContestedOrder[], uid: string): number =>
  contested.filter(({ owner, claims }) => owner !== uid && claims.some((claim) => claim.uid === uid)).length;
