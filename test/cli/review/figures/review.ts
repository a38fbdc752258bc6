import { createHash } from 'node:crypto';
import { WITHIN_MS } from '../../../../cli/review/figures/limits.ts';
import { makeFigures, type ReviewLimits } from '../../../../cli/review/figures/makeFigures.ts';
import { type RepeatGroup, readGroups } from '../../../../cli/review/figures/repeats.ts';
import { readContested, readOrderReports, readTeams } from '../../../../cli/review/figures/reviewTeams.ts';
import { ORDER_COLUMNS } from '../../../../cli/review/orders/order.ts';
import { findLeaders } from '../../../../cli/review/rows/near.ts';
import { type AnyEngine, openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import { composeEntry } from '../../../../functions/ailog/entry.ts';
import { FEATURE_COLUMNS, type FeatureRow, featureRow } from '../../../../functions/features/featureRow.ts';
import { englishProse } from './prose.ts';

/** The start of the tests' competition, in milliseconds since 1970. */
export const T0 = Date.parse('2025-11-17T00:00:00Z');

/** A log that was signed some seconds after T0, and received a tenth of a second later. */
export interface Log {
  readonly uid: string;
  readonly second: number;
  readonly orderId?: string | number | undefined;
  readonly received?: number;
  readonly model?: string;
  readonly stage?: string;
  /** JSON of the body; by default one that no other log has. */
  readonly body?: string;
}

/** An order that was placed some seconds after T0. */
export type TestOrder = readonly [
  ...[uid: string, second: number, orderId: string | number],
  ...[
    cancelled?: boolean,
    symbol?: string | undefined,
    side?: string | undefined,
    size?: number | undefined,
    price?: number | undefined,
  ],
];

let made = 0;

export function rowOf({ uid, second, orderId, received, model = 'GPT-5', stage = 'Decision', body }: Log): FeatureRow {
  made += 1;
  const word = String(made).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
  const rest = body ?? `{"input":{"price":${made}},"output":{"n":"x${word}"},"explanation":""}`;
  const log = { stage, model, ...(orderId !== undefined && { orderId: String(orderId) }) };
  const given = JSON.parse(rest);
  const own = Object.entries(log).filter(([name]) => !(name in given));
  // Numbers in the body keep their digits.
  const text = JSON.stringify(Object.fromEntries(own))
    .slice(0, -1)
    .concat(own.length > 0 && rest !== '{}' ? ',' : '', rest.slice(1));
  const at = String(T0 + Math.round(second * 1000));
  const entry = composeEntry(log, {
    ...{ uid, accessKey: 'key', timestamp: at, locale: 'en-US', sourceIp: '192.0.2.1', query: '' },
    signature: createHash('sha256').update(`${uid} ${second} ${text}`).digest('base64'),
    receivedAt: T0 + Math.round((received ?? second + 0.1) * 1000),
    rawBody: Buffer.from(text),
  });
  return featureRow(entry).row;
}

/** Sets cases apart that are reviewed together: the nth one has teams, and letters in its texts, of its own. */
export const apart = (logs: readonly Log[], n: number): Log[] =>
  logs.map(({ uid, body, ...log }) => ({
    ...{ ...log, uid: `${n}${uid}` },
    ...(body && { body: body.replace(/(?<="(?:text|explanation)":")[^"]*/g, (text) => otherLetters(text, n)) }),
  }));

const otherLetters = (text: string, by: number): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const first = letter < 'a' ? 65 : 97;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + by) % 26));
  });

/** Reviews logs and orders. @param twice every row is there twice */
export async function reviewOf(
  logs: readonly (Log | FeatureRow)[],
  {
    limits = {},
    orders,
    twice = false,
    open = () => openEngine({ threads: 1 }),
  }: {
    limits?: Partial<ReviewLimits>;
    orders?: readonly TestOrder[];
    twice?: boolean;
    open?: () => Promise<AnyEngine>;
  } = {},
) {
  const engine = await open();
  try {
    const rows = logs.map((log) => ('leaf' in log ? log : rowOf(log)));
    const add = await engine.table('entries', FEATURE_COLUMNS);
    for (let times = twice ? 2 : 1; times > 0; times -= 1) await add(rows);
    await findLeaders(engine);
    if (orders) {
      const addOrders = await engine.table('orders', ORDER_COLUMNS);
      const listed = orders.map(([uid, second, id, cancelled = false, symbol, side, size, price]) => ({
        ...{
          uid,
          order_id: BigInt(id),
          placed_at: T0 + Math.round(second * 1000),
          cancelled,
          symbol,
          side,
          size,
          price,
        },
      }));
      for (let times = twice ? 2 : 1; times > 0; times -= 1) await addOrders(listed);
    }
    const hasOrders = orders !== undefined;
    const allowed = [...new Set(orders?.map(([uid]) => uid))].map((uid) => ({ uid, isRemoved: false }));
    await makeFigures(engine, { within: WITHIN_MS, ...limits }, { allowed, hasOrders });
    const teams = await readTeams(engine, undefined, new Map());
    const contested = await readContested(engine);
    const uids = teams.map(({ uid }) => uid);
    const [period] = await Array.fromAsync(
      engine.read<{ starts: number; ends: number }>('SELECT starts, ends FROM period'),
    );
    const groups: RepeatGroup[] = await readGroups(engine);
    const orderList = hasOrders ? await Array.fromAsync(readOrderReports(engine, contested, uids)) : [];
    const of = (uid: string) => {
      const team = teams.find((one) => one.uid === uid);
      if (!team) throw new Error(`There is no team ${uid}.`);
      return team;
    };
    return { teams, of, contested, groups, orderList, period };
  } finally {
    await engine.close();
  }
}

/** Returns logs and orders of teams that have most of the reasons to look at them. */
export function exampleReview(): { logs: FeatureRow[]; orders: TestOrder[] } {
  const body = (n: number, text: string) => JSON.stringify({ input: { id: n }, output: { text }, explanation: '' });
  const logs = englishProse.flatMap((text, n): Log[] => [
    { uid: '1', second: n * 600, orderId: n + 1, body: body(n, text) },
    { uid: '2', second: n * 600 + 200, orderId: n + 101, body: body(n + 50, text) },
    { uid: '3', second: n * 600 + 20, body: body(n + 90, text.replace('the', 'a')) },
    { uid: '4', second: n * 9, orderId: n % 3 === 0 ? n + 1 : n + 301, model: 'Claude', body: body(7, 'again') },
    { uid: '5', second: n * 7000, orderId: n + 401 },
  ]);
  const orders = englishProse.flatMap((_, n): TestOrder[] => [
    ['1', n * 600 - (n % 2 === 0 ? 5 : 90), n + 1],
    ['2', n * 600 + 260, n + 101],
    ['4', n * 900, n + 301],
    ['5', n * 7000 + 3000, n + 501],
    ['6', n, n + 601],
  ]);
  return { logs: logs.map(rowOf), orders };
}
