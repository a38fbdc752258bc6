import { positionFrom } from '../text/numbers.ts';
import type { Order } from './order.ts';
import type { SignedLog } from './signedLog.ts';

/** An order, and the AI logs that may belong to it. */
export interface ReviewedOrder {
  readonly order: Order;
  /** The team's log that names the order; the earliest if there are several. */
  readonly log?: SignedLog;
  /** The team's last log before the order was placed, whatever it names. */
  readonly before?: SignedLog;
  /** The team's first log at or after the time of the order, whatever it names. */
  readonly after?: SignedLog;
  /** Other teams with a log that names the order. */
  readonly namedByOthers: readonly string[];
}

/** Logs that are made into objects when they are needed. An array of logs is one too. */
export interface TlogList {
  readonly length: number;
  at(index: number): SignedLog | undefined;
}

/**
 * Finds the logs of each order of one team.
 * @param orders the team's orders
 * @param logs the team's logs, in the order of their signatures
 * @param namedBy returns the UIDs of all teams with a log that names an order
 */
export function reviewOrders(
  orders: readonly Order[],
  logs: TlogList,
  namedBy: (orderId: string) => readonly string[],
): ReviewedOrder[] {
  const wanted = new Set(orders.map(({ orderId }) => orderId));
  const earliest = new Map<string, SignedLog>();
  const times = new Float64Array(logs.length);
  for (let index = 0; index < logs.length; index += 1) {
    const log = logs.at(index) as SignedLog;
    times[index] = log.signedAt;
    const { orderId } = log;
    if (orderId !== undefined && wanted.has(orderId) && !earliest.has(orderId)) earliest.set(orderId, log);
  }
  return orders.map((order) => {
    const next = positionFrom(times, order.placedAt);
    const before = next > 0 ? logs.at(next - 1) : undefined;
    const [log, after] = [earliest.get(order.orderId), logs.at(next)];
    return {
      order,
      ...(log && { log }),
      ...(before && { before }),
      ...(after && { after }),
      namedByOthers: namedBy(order.orderId).filter((uid) => uid !== order.uid),
    };
  });
}

/** The coverage of a team's orders, as counts of orders. */
export interface Coverage {
  readonly orders: number;
  /** Orders that a log of the team names. */
  readonly logged: number;
  /** Orders that no log of the team names, though the team signed a log within the limit before or after them. */
  readonly onlyNear: number;
  /** Orders that no log of the team names, without a log of the team near them. */
  readonly withoutLog: number;
  /** Orders that only logs of other teams name. */
  readonly onlyOthers: number;
}

/** Returns true if the team signed any log within the limit before or after an order. @param limit milliseconds */
export const hasLogNear = ({ order, before, after }: ReviewedOrder, limit: number): boolean =>
  (before !== undefined && order.placedAt - before.signedAt <= limit) ||
  (after !== undefined && after.signedAt - order.placedAt <= limit);

/** Counts the coverage of a team's orders. @param within the limit for a log near an order, in milliseconds */
export function measureCoverage(orders: readonly ReviewedOrder[], within: number): Coverage {
  const unnamed = orders.filter(({ log }) => log === undefined);
  const near = unnamed.filter((order) => hasLogNear(order, within));
  return {
    orders: orders.length,
    logged: orders.length - unnamed.length,
    onlyNear: near.length,
    withoutLog: unnamed.length - near.length,
    onlyOthers: unnamed.filter(({ namedByOthers }) => namedByOthers.length > 0).length,
  };
}
