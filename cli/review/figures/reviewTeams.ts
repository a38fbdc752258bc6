import { Failure } from '../../shell/terminal/failure.ts';
import { byUid } from '../../shell/text/uid.ts';
import { type AnyEngine, quoted, rowsOf } from '../../store/duckdb/duckdb.ts';
import { figuresQuery } from './makeFigures.ts';
import { parseReasons } from './reasons.ts';

/** Returns a share in percent, rounded down to a tenth, so that 100 means all; null if the whole is 0. */
export const percent = (part: number, whole: number) => (whole === 0 ? null : Math.floor((part / whole) * 1000) / 10);

export const isoTime = (ms: number | null | undefined) => (typeof ms === 'number' ? new Date(ms).toISOString() : null);

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);

export type OrderReport = ReturnType<typeof describeOrder>;

/** A row of `orderLogs.sql`. What its logs say of the trade names it (`told`), or another one; null: there is none. */
type OrderRow = Readonly<Record<'entry_id' | 'before_id' | 'after_id' | 'symbol' | 'side', string | null>> &
  Readonly<Record<'log_coin' | 'log_side', string | null> & Record<'told' | 'other', boolean | null>> &
  Readonly<Record<'delay' | 'log_at' | 'before_at' | 'after_at' | 'size' | 'price', number | null>> & {
    readonly uid: string;
    readonly order_id: number | bigint;
    readonly placed_at: number;
    readonly parent_id: number | bigint | null;
    readonly timing: 'late' | 'early' | 'in time' | 'not named' | 'no log' | 'child order';
  };

const logOf = (entryId: string | null, at: number | null) =>
  entryId === null ? null : { entryId, signed: isoTime(at) };

function describeOrder(row: OrderRow, namedByOthers: readonly string[]) {
  const { uid, symbol, side, size, price, timing } = row;
  const trade = row.other ? 'other' : row.told ? 'same' : 'untold';
  return {
    uid,
    orderId: String(row.order_id),
    placed: new Date(row.placed_at).toISOString(),
    ...{ symbol, side, size, price, timing },
    trade: row.told === null ? null : trade,
    logSays: row.other ? [row.log_side, row.log_coin].filter((text) => text !== null).join(' ') : null,
    parentOrder: row.parent_id === null ? null : String(row.parent_id),
    delaySeconds: seconds(row.delay),
    log: logOf(row.entry_id, row.log_at),
    // An order with a log of its own needs no others to explain it.
    logBefore: row.entry_id === null ? logOf(row.before_id, row.before_at) : null,
    logAfter: row.entry_id === null ? logOf(row.after_id, row.after_at) : null,
    namedByOthers,
  };
}

type Count =
  | ('entries' | 'with_order' | 'complete' | 'without_version' | 'without_data' | 'without_version_or_data')
  | ('own_repeats' | 'templates' | 'copies' | 'copied_back' | 'same_time' | 'follows' | 'shared' | 'short_texts')
  | ('hidden_characters' | 'cut_texts' | 'foreign_orders' | 'contested_orders' | 'fact_orders')
  | ('child_orders' | 'parent_orders' | 'told_orders' | 'other_trades' | 'named_orders' | 'says_nothing')
  | ('orders_with_log' | 'orders_only_near' | 'orders_without_log' | 'orders_only_others' | 'late' | 'early');

/** A row of `figures.sql`. Times and delays are in milliseconds. Without an order list, what counts orders is null. */
type FigureRow = Readonly<Record<Count, number> & Record<'uid' | 'facts' | 'questions', string>> &
  Readonly<Record<'first_at' | 'last_at' | 'orders' | 'median_delay' | 'p95_delay' | 'child_times', number | null>> &
  Readonly<Record<'copied_uid' | 'followed_uid', string | null>>;

/** A row of `names.sql`: the logs by day (in days since 1970), model and stage. Null: all other names. */
type NameRow = { readonly uid: string; readonly what: string; readonly name: string | null; readonly entries: number };

type SilenceRow = { readonly uid: string } & Readonly<Record<'starts' | 'ends' | 'orders' | 'seconds', number>>;

const OTHERS = '(others)';

/** Returns counts by name, the most frequent first, then by name, as `rows` are; the others last. */
const byFrequency = (rows: readonly NameRow[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    rows
      .toSorted((a, b) => Number(a.name === null) - Number(b.name === null) || b.entries - a.entries)
      .map(({ name, entries }) => [name ?? OTHERS, entries]),
  );

const byDay = (rows: readonly NameRow[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    rows.map(({ name, entries }) => [new Date(Number(name) * 86_400_000).toISOString().slice(0, 10), entries]),
  );

/** The figures of a team that only an order list gives. Child orders need no log, so they are no part of the share. */
const orderFigures = (row: FigureRow, orders: number) => ({
  orders,
  ordersWithLog: row.orders_with_log,
  coveragePercent: percent(row.orders_with_log, orders - row.child_orders),
  childOrders: row.child_orders,
  parentOrders: row.parent_orders,
  childVolume: row.child_times === null ? null : Number(row.child_times.toPrecision(3)),
  toldOrders: row.told_orders,
  otherTrades: row.other_trades,
  ordersOnlyNear: row.orders_only_near,
  ordersWithoutLog: row.orders_without_log,
  ordersOnlyOthers: row.orders_only_others,
  late: row.late,
  early: row.early,
  medianDelaySeconds: seconds(row.median_delay),
  p95DelaySeconds: seconds(row.p95_delay),
});

/** Returns the figures of a team as `--json` prints them. Shares are in percent, times are ISO 8601 in UTC. */
function describeFigures(row: FigureRow, names: readonly NameRow[], silences: readonly SilenceRow[]) {
  const named = (wanted: string) => names.filter(({ what }) => what === wanted);
  return {
    entries: row.entries,
    first: isoTime(row.first_at),
    last: isoTime(row.last_at),
    perDay: byDay(named('day')),
    models: byFrequency(named('model')),
    stages: byFrequency(named('stage')),
    withOrder: row.with_order,
    withOrderPercent: percent(row.with_order, row.entries),
    complete: row.complete,
    missing: {
      modelVersion: row.without_version,
      data: row.without_data,
      order: row.entries - row.with_order,
      versionOrData: row.without_version_or_data,
    },
    silences: silences.map(({ seconds, starts, ends, orders }) => {
      return { seconds, from: isoTime(starts), until: isoTime(ends), orders };
    }),
    ownRepeats: row.own_repeats,
    templates: row.templates,
    copies: row.copies,
    copiesOf: row.copied_uid,
    copiesBack: row.copied_back,
    sameTime: row.same_time,
    follows: row.follows,
    followsOf: row.followed_uid,
    shared: row.shared,
    shortTexts: row.short_texts,
    hiddenCharacters: row.hidden_characters,
    cutTexts: row.cut_texts,
    foreignOrders: row.foreign_orders,
    contestedOrders: row.contested_orders,
    namedOrders: row.named_orders,
    saysNothing: row.says_nothing,
  };
}

export type TeamReport = Readonly<Awaited<ReturnType<typeof readTeams>>[number]>;

/**
 * Reads the figures of teams. @param wanted undefined: all that are reported
 * @returns `lookAt`: all reasons, the facts first; `factOrders`: how many orders these concern
 * @throws Failure if one is unknown
 */
export async function readTeams(
  engine: AnyEngine,
  wanted: readonly string[] | undefined,
  allowlist: ReadonlyMap<string, { readonly team?: string | undefined; readonly status: string }>,
) {
  const byTeam = async <Row extends { readonly uid: string }>(query: string) =>
    Map.groupBy(await rowsOf<Row>(engine, query), ({ uid }) => uid);
  const condition = wanted === undefined ? 'is_reported' : `uid IN (${wanted.map(quoted)})`;
  const figures = await byTeam<FigureRow>(`SELECT * FROM figures WHERE ${condition}`);
  const names = await byTeam<NameRow>('SELECT * FROM names ORDER BY name');
  const silences = await byTeam<SilenceRow>('SELECT * FROM silences ORDER BY ends - starts DESC, starts');
  const strangers = wanted?.filter((uid) => !figures.has(uid)) ?? [];
  if (strangers.length > 0) {
    throw new Failure('negative', `Unknown: UID ${strangers.join(', ')}.`, {
      advice: 'It is not on the allowlist, and it has no entries and no orders. ailog allowlist list shows the teams.',
    });
  }
  return (wanted ?? [...figures.keys()]).map((uid) => {
    const [row] = figures.get(uid) as [FigureRow];
    const facts = parseReasons(row.facts);
    const { team = null, status = 'not listed' } = allowlist.get(uid) ?? {};
    return {
      ...{ uid, team, status },
      lookAt: [...facts, ...parseReasons(row.questions)],
      facts,
      factOrders: row.fact_orders,
      ...describeFigures(row, names.get(uid) ?? [], silences.get(uid) ?? []),
      ...(row.orders !== null && orderFigures(row, row.orders)),
    };
  });
}

/** A row of `claims.sql`: an order, its owner, and the first log of a team that names it. */
type Claim = Readonly<Record<'uid' | 'entryId', string> & Record<'logs' | 'receivedAt', number>> &
  Readonly<{ order_id: number | bigint; owner: string | null }>;

export type ContestedOrder = Awaited<ReturnType<typeof readContested>>[number];

/** Reads the orders that several teams name, or that a team names and did not place; by order. */
export async function readContested(engine: AnyEngine) {
  const query = `SELECT order_id, owner, uid, logs, entry_id AS "entryId", received_at AS "receivedAt"
    FROM claims ORDER BY order_id, n`;
  const claims = await rowsOf<Claim>(engine, query);
  return [...Map.groupBy(claims, ({ order_id }) => String(order_id))].map(([orderId, ofOrder]) => ({
    orderId,
    owner: ofOrder[0]?.owner ?? null,
    claims: ofOrder.map(({ order_id, owner, ...claim }) => claim),
  }));
}

/** Reads the orders of teams in the period, by team and time. @param uids the teams; undefined: all */
export async function* readOrderReports(
  engine: AnyEngine,
  contested: readonly ContestedOrder[],
  uids: readonly string[],
): AsyncGenerator<OrderReport> {
  await engine.make('order_logs', figuresQuery('orderLogs'));
  const namedBy = new Map(contested.map(({ orderId, claims }) => [orderId, claims.map(({ uid }) => uid)]));
  for (const uid of [...uids].sort((a, b) => byUid({ uid: a }, { uid: b }))) {
    const query = `SELECT * FROM order_logs WHERE uid = ${quoted(uid)} ORDER BY placed_at, order_id`;
    for await (const row of engine.read<OrderRow>(query))
      yield describeOrder(
        row,
        (namedBy.get(String(row.order_id)) ?? []).filter((other) => other !== uid),
      );
  }
}
