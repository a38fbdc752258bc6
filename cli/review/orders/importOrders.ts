import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { counted } from '../../shell/text/numbers.ts';
import { type AnyEngine, countOf, openEngine } from '../../store/duckdb/duckdb.ts';
import { ORDER_COLUMNS } from './order.ts';
import { nameHeads } from './orderColumns.ts';
import { type OrderList, readOrders } from './readOrders.ts';

/** The maximum number of orders that a message names. */
const NAMED_ORDERS = 5;

export const DAY_MS = 86_400_000;

/** Notes how an order list was read: its columns, the time zone that was assumed, and what is uncertain. */
export function explainOrders(terminal: Surroundings, path: string, list: OrderList): void {
  const { orders, columns, preamble, assumedZone, withoutSeconds, merged, cancelled, unclear } = list;
  const { uid, orderId, time } = columns.headings;
  const ignored = columns.ignored.length > 0 ? ` Ignored columns: ${nameHeads(columns.ignored)}.` : '';
  const owner = uid === undefined ? 'UID from --uid' : `UID from ${uid}`;
  terminal.note(
    `Read ${counted(orders, 'order')} from ${path}: ${owner}, order id from ${orderId}, time from ${time}.${ignored}`,
  );
  if (preamble > 0) terminal.note(`Lines above the names of the columns, which are ignored: ${preamble}.`);
  if (cancelled > 0) terminal.note(`Orders that were cancelled and never filled, which need no log: ${cancelled}.`);
  if (assumedZone !== undefined) {
    const zone = assumedZone === '+00:00' ? 'UTC' : `UTC${assumedZone}`;
    terminal.note(`Times without a time zone were read as ${zone}. --time-zone changes that.`);
  }
  if (withoutSeconds > 0) {
    terminal.note(
      `Times without seconds: ${withoutSeconds}. Each order may be placed up to a minute later than it says, so a log in time can look late. Spreadsheets cut seconds.`,
    );
  }
  for (const { cells, line, text } of unclear) {
    terminal.note(
      `Sizes or prices with a comma that count as none: ${cells}. Line ${line} has ${JSON.stringify(text)}, which can be read in two ways. Write numbers as 1500 or 1.5.`,
    );
  }
  if (merged > 0) terminal.note(`Merged lines that repeat another line exactly: ${merged}.`);
}

/** A span of time: from its first millisecond up to, but not including, its last. In milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/**
 * Returns the days (UTC) of orders as a period. A last day that has not ended lasts until now, so that nobody is silent
 * in the future.
 * @param now milliseconds since 1970
 */
export function daysOf({ first, last }: { first: number; last: number }, now: number): Period {
  const end = (Math.floor(last / DAY_MS) + 1) * DAY_MS;
  return { from: Math.floor(first / DAY_MS) * DAY_MS, until: Math.max(last + 1, Math.min(end, now)) };
}

export interface OrderFile {
  readonly path: string;
  /** The owner of all orders, if the list has no UIDs. */
  readonly uid?: string | undefined;
}

/**
 * The value of an order in SQL: size × price. A market order has no price, or 0: the median of its symbol stands for
 * it. Without any price, the value is the size alone.
 */
export const ORDER_VALUE =
  'abs(size * coalesce(nullif(price, 0), median(nullif(price, 0)) OVER (PARTITION BY symbol), 1))';

/**
 * Reads order lists into the table `orders`.
 * @param files their paths are absolute
 * @param zone the offset from UTC of times without one
 * @returns how each was read
 * @throws Failure as `readOrders`, and if the lists contradict each other or have no order that was not cancelled
 */
export async function readLists(engine: AnyEngine, files: readonly OrderFile[], zone: string | undefined) {
  const local = engine.isLocal ? engine : await openEngine();
  try {
    const lists: OrderList[] = [];
    for (const { path, uid } of files) lists.push(await readOrders(local, path, { zone, uid }));
    const query = `SELECT order_id FROM orders GROUP BY order_id
      HAVING min(uid) <> max(uid) OR min(placed_at) <> max(placed_at) ORDER BY order_id LIMIT ${NAMED_ORDERS}`;
    const different = await Array.fromAsync(local.read<{ order_id: number | bigint }>(query));
    if (different.length > 0) {
      const ids = different.map(({ order_id }) => order_id).join(', ');
      const orders = different.length === 1 ? 'order' : 'orders';
      throw new Failure('usage', `The order lists say different things about the ${orders} ${ids}.`, {
        advice: 'Give lists in which an order has one team and one time.',
      });
    }
    if (lists.every(({ times }) => times === undefined)) {
      throw new Failure('usage', 'All orders of the list were cancelled.');
    }
    if (local !== engine) {
      const add = await engine.table('orders', ORDER_COLUMNS);
      for await (const order of local.read('SELECT * FROM orders')) await add([order]);
    }
    return lists;
  } finally {
    if (local !== engine) local.close();
  }
}

export async function noteOutside(terminal: Surroundings, engine: AnyEngine, { from, until }: Period): Promise<void> {
  const outside = await countOf(
    engine,
    `(SELECT DISTINCT order_id FROM orders WHERE NOT cancelled AND (placed_at < ${from} OR placed_at >= ${until}))`,
  );
  if (outside > 0) terminal.note(`Orders outside the period, which are not reviewed: ${outside}.`);
}
