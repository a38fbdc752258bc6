import { type AnyEngine, queryOf } from '../../store/duckdb/duckdb.ts';
import { ORDER_COLUMNS } from '../orders/order.ts';
import {
  AT_ONCE_MS,
  CHILD_GAP_MS,
  CHILD_SIZE,
  CHILDREN,
  EQUAL_PROSE,
  FOLLOW_TIMES,
  FOLLOW_WITHIN_MS,
  FRAME_LOGS,
  KEPT_SILENCES,
  LATEST_LOG_MS,
  LEAST_FOLLOWS,
  LONG_PROSE,
  SAME_TIME_MS,
  TEMPLATE_AFTER_MS,
  TOLERANCE_MS,
  TRADE_GAP_MS,
} from './limits.ts';
import { makeMarkets } from './markets.ts';
import { withReasons } from './reasons.ts';
import type { RuleLimits } from './rules.ts';

/** The limits that a reviewer chooses. */
export interface ReviewLimits extends RuleLimits {
  /** The first and last time that counts, in milliseconds since 1970. Absent: that of any order or log. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A team on the allowlist. One that was removed from it is reported only if it has logs or orders, or is asked for. */
export interface AllowedTeam {
  readonly uid: string;
  readonly isRemoved: boolean;
}

/** Returns a query of the figures: `sql/<name>.sql`. */
export const figuresQuery = (name: string): string => queryOf(name, import.meta.url);

/** The tables of a review, in the order in which they are made. */
const TABLES = [
  'logs',
  'teams',
  'placed',
  'period',
  'names',
  'labels',
  'repeats',
  'follows',
  'related',
  'pairs',
  'claims',
  'children',
  'trades',
  'timeline',
  'silences',
];

const bigint = (value: number | undefined) => `CAST(${value ?? 'NULL'} AS BIGINT)`;

/** Makes the figures of all teams from the tables `entries`, `near` and, if there is an order list, `orders`. */
export async function makeFigures(
  engine: AnyEngine,
  { within, since, until, childGap = CHILD_GAP_MS, announced = [] }: ReviewLimits,
  { allowed, hasOrders }: { allowed: readonly AllowedTeam[]; hasOrders: boolean },
): Promise<void> {
  const { make, table, drop } = engine;
  const bounds = {
    since: bigint(since),
    until: bigint(until),
    read_until: bigint(until === undefined ? undefined : until + LATEST_LOG_MS),
    within: bigint(within),
    tolerance: bigint(TOLERANCE_MS),
    same_time: bigint(SAME_TIME_MS),
    child_gap: bigint(childGap),
    at_once: bigint(AT_ONCE_MS),
    most_children: bigint(CHILDREN),
    child_size: bigint(CHILD_SIZE),
    trade_gap: bigint(TRADE_GAP_MS),
    frame_logs: bigint(FRAME_LOGS),
    equal_prose: bigint(EQUAL_PROSE),
    long_prose: bigint(LONG_PROSE),
    template_after: bigint(TEMPLATE_AFTER_MS),
    follow_within: bigint(FOLLOW_WITHIN_MS),
    least_follows: bigint(LEAST_FOLLOWS),
    follow_times: bigint(FOLLOW_TIMES),
    silences_kept: bigint(KEPT_SILENCES),
    has_orders: String(hasOrders),
  };
  await make('bounds', `SELECT ${Object.entries(bounds).map(([name, value]) => `${value} AS ${name}`)}`);
  if (!hasOrders) await table('orders', ORDER_COLUMNS);
  await makeMarkets(engine);
  const add = await table('allowed', { uid: 'VARCHAR', is_removed: 'BOOLEAN' });
  await add(allowed.map(({ uid, isRemoved }) => ({ uid, is_removed: isRemoved })));
  for (const name of TABLES) await make(name, figuresQuery(name));
  // Five rows of each log, which nothing needs any more.
  await drop('labels');
  await make('figures', withReasons(figuresQuery('figures'), announced));
}
