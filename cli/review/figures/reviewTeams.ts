import { byUid } from '../../shell/text/uid.ts';
import { type Engine, quoted } from '../../store/duckdb/duckdb.ts';
import { ORDER_COLUMNS } from '../orders/order.ts';
import {
  figuresOfLogs,
  isoTime,
  type LogCounts,
  percent,
  type RepeatKind,
  repeatKinds,
  type TeamFigures,
} from './figures.ts';
import { figuresQuery } from './figuresQuery.ts';
import { type Reason, reasonsToLook } from './reasonsToLook.ts';

/** The limits of a review. */
export interface ReviewLimits {
  /** A log that was signed later than this after its order is late, in milliseconds. */
  readonly within: number;
  /** A log that precedes its order by more is early, in milliseconds. */
  readonly tolerance: number;
  /** The first and last time that counts, in milliseconds since 1970. Absent: that of any order or log. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** The team whose logs alone decide the period. */
  readonly ownUid?: string | undefined;
}

const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);

/** An order with the logs that may belong to it, as the report shows it. */
export type OrderReport = ReturnType<typeof describeOrder>;

/** A row of `orderLogs.sql`. */
type OrderRow = Readonly<Record<'entry_id' | 'before_id' | 'after_id' | 'symbol' | 'side', string | null>> &
  Readonly<Record<'delay' | 'log_at' | 'before_at' | 'after_at' | 'size' | 'price', number | null>> & {
    readonly uid: string;
    readonly order_id: number | bigint;
    readonly placed_at: number;
    readonly timing: 'late' | 'early' | 'in time' | 'not named' | 'no log';
  };

const logOf = (entryId: string | null, at: number | null) =>
  entryId === null ? null : { entryId, signed: isoTime(at) };

function describeOrder(row: OrderRow, namedByOthers: readonly string[]) {
  return {
    uid: row.uid,
    orderId: String(row.order_id),
    placed: new Date(row.placed_at).toISOString(),
    ...{ symbol: row.symbol, side: row.side, size: row.size, price: row.price },
    timing: row.timing,
    delaySeconds: seconds(row.delay),
    log: logOf(row.entry_id, row.log_at),
    // An order with a log of its own needs no others to explain it.
    logBefore: row.entry_id === null ? logOf(row.before_id, row.before_at) : null,
    logAfter: row.entry_id === null ? logOf(row.after_id, row.after_at) : null,
    namedByOthers,
  };
}

/** The tables that a review makes, in their order; the last ones only with orders. */
const TABLES = ['logs', 'placed', 'period', 'activity', 'names', 'labels', 'repeats', 'kinds', 'claims'] as const;
const ORDER_TABLES = ['timeline', 'coverage', 'silences'] as const;

const number = (value: number | undefined) => `CAST(${value ?? 'NULL'} AS BIGINT)`;

/**
 * Makes the figures of all teams from the tables `entries`, `near` and, if there is an order list, `orders`.
 * @param listed the UIDs on the allowlist
 */
export async function makeFigures(
  engine: Engine,
  { within, tolerance, since, until, ownUid }: ReviewLimits,
  { listed, hasOrders }: { listed: readonly string[]; hasOrders: boolean },
): Promise<void> {
  const { run, make, table } = engine;
  const own = ownUid === undefined ? 'CAST(NULL AS VARCHAR)' : quoted(ownUid);
  await run(`CREATE TABLE bounds AS SELECT ${number(since)} AS since, ${number(until)} AS until,
    ${number(within)} AS within, ${number(tolerance)} AS tolerance, ${own} AS own_uid`);
  if (!hasOrders) await table('orders', ORDER_COLUMNS);
  for (const name of TABLES) await make(name, figuresQuery(name));
  const add = await table('teams', { uid: 'VARCHAR' });
  await add(listed.map((uid) => ({ uid })));
  await run(
    'INSERT INTO teams SELECT uid FROM (SELECT uid FROM logs UNION SELECT uid FROM orders) WHERE uid NOT IN (SELECT uid FROM teams)',
  );
  if (!hasOrders) return make('silences', figuresQuery('pauses'));
  for (const name of ORDER_TABLES) await make(name, figuresQuery(name));
}

type Kinds = Readonly<Record<RepeatKind, number>>;
type KindRow = { uid: string; relation: string; kind: number; logs: number };

const kindsOf = (rows: readonly KindRow[], wanted: string): Kinds =>
  Object.fromEntries(
    repeatKinds.map((name, place) => [
      name,
      rows.find(({ relation, kind }) => relation === wanted && kind === place + 1)?.logs ?? 0,
    ]),
  ) as Kinds;

const total = (kinds: Kinds) => Object.values(kinds).reduce((sum, count) => sum + count, 0);

type Claim = FigureRow<'logs' | 'received_at'> & {
  readonly order_id: number | bigint;
  readonly owner: string | null;
  readonly entry_id: string;
};

/** A row with a team's figures. */
type FigureRow<Name extends string> = { readonly uid: string } & Readonly<Record<Name, number>>;

type CoverageRow = FigureRow<'orders' | 'logged' | 'only_near' | 'without_log' | 'only_others' | 'late' | 'early'> & {
  readonly [Name in 'median_delay' | 'p95_delay']: number | null;
};

/** The report on a team, as `--json` prints it. */
export interface TeamReport extends TeamFigures {
  readonly uid: string;
  readonly team: string | null;
  readonly status: string;
  readonly lookAt: readonly Reason[];
}

/** Reads the figures of teams. @param wanted the UIDs; undefined: all */
export async function readTeams(
  { read }: Engine,
  {
    wanted,
    allowlist,
    hasOrders,
  }: {
    wanted: readonly string[] | undefined;
    allowlist: ReadonlyMap<string, { readonly team?: string | undefined; readonly status: string }>;
    hasOrders: boolean;
  },
): Promise<TeamReport[]> {
  const rowsOf = async <Row extends { uid: string }>(table: string, order = '1') =>
    Map.groupBy(await Array.fromAsync(read<Row>(`SELECT * FROM ${table} ORDER BY ${order}`)), ({ uid }) => uid) as Map<
      string,
      Row[]
    >;
  type OfTeam = { readonly uid: string };
  const activity = await rowsOf<LogCounts['logs'] & OfTeam>('activity');
  const names = await rowsOf<LogCounts['names'][number] & OfTeam>('names', 'name');
  const kinds = await rowsOf<KindRow>('kinds');
  const claims = await rowsOf<Claim>('claims');
  const silences = await rowsOf<LogCounts['silences'][number] & OfTeam>('silences', 'ends - starts DESC, starts');
  const coverages = hasOrders ? await rowsOf<CoverageRow>('coverage') : undefined;
  const uids = wanted ?? [...(await rowsOf('teams')).keys()];
  return uids.map((uid) => {
    const { hiddenCharacters, cutTexts, ...ofLogs } = figuresOfLogs({
      logs: activity.get(uid)?.[0] ?? {},
      names: names.get(uid) ?? [],
      silences: silences.get(uid) ?? [],
    });
    const repeats = kinds.get(uid) ?? [];
    const [own, copy, tied] = [kindsOf(repeats, 'own'), kindsOf(repeats, 'copy'), kindsOf(repeats, 'sameTime')];
    const coverage = coverages?.get(uid)?.[0];
    const orders = coverage?.orders ?? 0;
    const figures: TeamFigures = {
      ...ofLogs,
      ownRepeats: total(own),
      copies: total(copy),
      sameTime: total(tied),
      ...(repeats.length > 0
        ? { ownRepeatsByKind: own, copiesByKind: copy, sameTimeByKind: tied }
        : { ownRepeatsByKind: null, copiesByKind: null, sameTimeByKind: null }),
      hiddenCharacters,
      cutTexts,
      foreignOrders: (claims.get(uid) ?? []).filter(({ owner }) => owner !== uid).length,
      ...(coverages && {
        orders,
        ordersWithLog: coverage?.logged ?? 0,
        coveragePercent: percent(coverage?.logged ?? 0, orders),
        ordersOnlyNear: coverage?.only_near ?? 0,
        ordersWithoutLog: coverage?.without_log ?? 0,
        ordersOnlyOthers: coverage?.only_others ?? 0,
        late: coverage?.late ?? 0,
        early: coverage?.early ?? 0,
        medianDelaySeconds: seconds(coverage?.median_delay ?? null),
        p95DelaySeconds: seconds(coverage?.p95_delay ?? null),
      }),
    };
    const { team = null, status = 'not listed' } = allowlist.get(uid) ?? {};
    return { uid, team, status, lookAt: reasonsToLook(figures), ...figures };
  });
}

/** An order that the logs of several teams name, or a log of a team that did not place it. */
export type ContestedOrder = Awaited<ReturnType<typeof readContested>>[number];

/** Reads the orders that several teams name, or that a team names and did not place; by order. */
export async function readContested({ read }: Engine) {
  const claims = await Array.fromAsync(read<Claim>('SELECT * FROM claims ORDER BY order_id, n'));
  return [...Map.groupBy(claims, ({ order_id }) => String(order_id))].map(([orderId, ofOrder]) => ({
    orderId,
    owner: ofOrder[0]?.owner ?? null,
    claims: ofOrder.map(({ uid, logs, entry_id, received_at }) => ({
      uid,
      logs,
      entryId: entry_id,
      receivedAt: received_at,
    })),
  }));
}

/** Reads the orders of teams in the period, by team and time. @param uids the teams; undefined: all */
export async function* readOrderReports(
  engine: Engine,
  contested: readonly ContestedOrder[],
  uids: readonly string[],
): AsyncGenerator<OrderReport> {
  await engine.make('order_logs', figuresQuery('orderLogs'));
  const namedBy = new Map(contested.map(({ orderId, claims }) => [orderId, claims.map(({ uid }) => uid)]));
  for (const uid of [...uids].sort((a, b) => byUid({ uid: a }, { uid: b }))) {
    const rows = engine.read<OrderRow>(
      `SELECT * FROM order_logs WHERE uid = ${quoted(uid)} ORDER BY placed_at, order_id`,
    );
    for await (const row of rows) {
      const naming = (namedBy.get(String(row.order_id)) ?? []).filter((other) => other !== uid);
      yield describeOrder(row, naming);
    }
  }
}
