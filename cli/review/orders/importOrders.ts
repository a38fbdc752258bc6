import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { type AnyEngine, countOf, openEngine, rowsOf } from '../../store/duckdb/duckdb.ts';
import { ORDER_COLUMNS, type OrderFile } from './order.ts';
import { type OrderList, readOrders } from './readOrders.ts';

export const DAY_MS = 86_400_000;

/** A span of time: from its first millisecond up to, but not including, its last. In milliseconds since 1970. */
export type Period = Readonly<Record<'from' | 'until', number>>;

/** Returns the days (UTC) of orders. A last day that has not ended lasts until now: nobody is silent in the future. */
export function daysOf({ first, last }: { first: number; last: number }, now: number): Period {
  const end = (Math.floor(last / DAY_MS) + 1) * DAY_MS;
  return { from: Math.floor(first / DAY_MS) * DAY_MS, until: Math.max(last + 1, Math.min(end, now)) };
}

/**
 * The value of an order in SQL: size × price. The median of its symbol stands for the price of a market order, or else
 * 1.
 */
export const ORDER_VALUE =
  'abs(size * coalesce(nullif(price, 0), median(nullif(price, 0)) OVER (PARTITION BY symbol), 1))';

/**
 * Reads order lists into the table `orders`. @param files with absolute paths @returns how each was read
 * @throws Failure as `readOrders`, and if the lists contradict each other or have no order that needs a log
 */
export async function readLists(engine: AnyEngine, files: readonly OrderFile[], zone: string | undefined) {
  const local = engine.isLocal ? engine : await openEngine();
  try {
    const lists: OrderList[] = [];
    for (const { path, ...file } of files) lists.push(await readOrders(local, path, { zone, ...file }));
    const query = `SELECT order_id FROM orders GROUP BY order_id
      HAVING min(uid) <> max(uid) OR min(placed_at) <> max(placed_at) ORDER BY order_id LIMIT 5`;
    const different = await rowsOf<{ order_id: number | bigint }>(local, query);
    if (different.length > 0) {
      const ids = different.map(({ order_id }) => order_id).join(', ');
      const orders = different.length === 1 ? 'order' : 'orders';
      throw new Failure('usage', `The order lists say different things about the ${orders} ${ids}.`, {
        advice: 'Give lists in which an order has one team and one time.',
      });
    }
    if (lists.every(({ owners }) => owners.every(({ first }) => first === null))) {
      throw new Failure('usage', 'All orders of the list ended with nothing filled.');
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
  const own = 'NOT cancelled AND uid IN (SELECT uid FROM figures)';
  const query = `SELECT DISTINCT order_id FROM orders WHERE ${own} AND (placed_at < ${from} OR placed_at >= ${until})`;
  const outside = await countOf(engine, `(${query})`);
  if (outside > 0) terminal.note(`Orders outside the period, which are not reviewed: ${outside}.`);
}
