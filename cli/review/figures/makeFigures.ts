import { coinOf } from '../../../functions/features/coins.ts';
import { sideOf } from '../../../functions/features/trade.ts';
import { type AnyEngine, queryOf, rowsOf } from '../../store/duckdb/duckdb.ts';
import { ORDER_COLUMNS } from '../orders/order.ts';
import { CHILD_GAP_MS, LATEST_LOG_MS, SQL_LIMITS } from './limits.ts';
import { withReasons } from './reasons.ts';
import type { RuleLimits } from './rules.ts';

export interface ReviewLimits extends RuleLimits {
  /** The first and last time that counts, in milliseconds since 1970. Absent: of any order or log. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A team on the allowlist. One that was removed from it is reported only if it has logs or orders, or is asked for. */
export type AllowedTeam = Readonly<{ uid: string; isRemoved: boolean }>;

export const figuresQuery = (name: string): string => queryOf(name, import.meta.url);

/** The tables of a review, in the order in which they are made: first of logs, then of orders. */
const LOG_TABLES = ['logs', 'teams', 'placed', 'period', 'names', 'labels', 'repeats', 'follows', 'related', 'pairs'];
const ORDER_TABLES = ['claims', 'children', 'trades', 'timeline', 'silences'];

/** The end of an option's symbol: whoever expects a fall buys a put. */
const OPTION = /[-_][CP]$/i;

/** Makes the table `markets`: the coin of each symbol in the order lists, and the side, as they are read in logs. */
async function makeMarkets(engine: AnyEngine): Promise<void> {
  const columns = { symbol: 'VARCHAR', side: 'VARCHAR', coin: 'VARCHAR', direction: 'VARCHAR' } as const;
  const add = await engine.table('markets', columns);
  const listed = await rowsOf<Record<'symbol' | 'side', string>>(
    engine,
    "SELECT DISTINCT coalesce(symbol, '') AS symbol, coalesce(side, '') AS side FROM orders",
  );
  await add(
    listed.map(({ symbol, side }) => ({
      ...{ symbol, side, coin: coinOf(symbol) },
      direction: OPTION.test(symbol) ? undefined : sideOf(side),
    })),
  );
}

/** Makes the figures of all teams from the tables `entries`, `near` and, if there is an order list, `orders`. */
export async function makeFigures(
  engine: AnyEngine,
  { within, since, until, childGap = CHILD_GAP_MS, announced = [] }: ReviewLimits,
  { allowed, hasOrders }: { allowed: readonly AllowedTeam[]; hasOrders: boolean },
): Promise<void> {
  const { make, table, drop } = engine;
  const read_until = until === undefined ? undefined : until + LATEST_LOG_MS;
  const bounds = Object.entries({ since, until, read_until, within, child_gap: childGap, ...SQL_LIMITS });
  const columns = bounds.map(([name, value]) => `CAST(${value ?? 'NULL'} AS BIGINT) AS ${name}`);
  await make('bounds', `SELECT ${columns}, ${hasOrders} AS has_orders`);
  if (!hasOrders) await table('orders', ORDER_COLUMNS);
  await makeMarkets(engine);
  const add = await table('allowed', { uid: 'VARCHAR', is_removed: 'BOOLEAN' });
  await add(allowed.map(({ uid, isRemoved }) => ({ uid, is_removed: isRemoved })));
  for (const name of [...LOG_TABLES, ...ORDER_TABLES]) await make(name, figuresQuery(name));
  // Five rows of each log, which nothing needs any more.
  await drop('labels');
  await make('figures', withReasons(figuresQuery('figures'), announced));
}
