import { readFileSync } from 'node:fs';
import { PROMISE_MS } from '../../../functions/receipts/receiptFormat.ts';
import type { Engine } from '../../store/duckdb/duckdb.ts';
import { explainUnlogged } from '../inclusion/explainPlace.ts';
import { CLOCK_SKEW_MS, compareLog, compareRows, type Progress, type Status, whyMissing } from '../inclusion/place.ts';
import { rowsOf } from './auditData.ts';
import type { ChangedAttribute, Finding, Report } from './findings.ts';
import type { KnownEntry } from './known.ts';

const MINUTE_MS = 60_000;

/** An entry is late if it is not in a checkpoint that has entries received this long after it. */
const LATE_MS = 2 * MINUTE_MS;

/** The time in which the sequencer finds entries that the index shows late, and the minutes around it. */
const FOUND_MS = 12 * MINUTE_MS;

/** While the retention changes, functions with the old and the new one may run side by side for this long. */
const ROLLOUT_MS = 60 * MINUTE_MS;

export interface Comparison {
  /** Rows of the table, and those of them that are in the log. */
  readonly rows: number;
  readonly matched: number;
  /** Rows, and entries of receipts, that are not in the log yet, and need not be. */
  readonly pending: number;
  /** Those of them that would be in a log that does not stand still. */
  readonly stalled: number;
  /** Rows that are older than the log. */
  readonly backfilled: number;
  readonly duplicates: number;
  /** Leaves without a row, whose entries have expired. */
  readonly expired: number;
  /** Leaves without a row that may be older than the log: nothing tells whether they have expired. */
  readonly olderGone: number;
  /** Receipts that were given whose leaves are in the log. */
  readonly kept: number;
  /**
   * Entries of the log of which nothing but the organisers' word says when they were received: no quorum of witnesses
   * cosigned them within ten minutes of that time.
   */
  readonly untimed: number;
}

/** Returns the attributes in which a row differs from what an export or a receipt says of it. */
const changesOf = (source: KnownEntry['source'], row: Readonly<Record<string, unknown>>): ChangedAttribute[] =>
  Object.entries(source)
    .map(([name, logged]) => ({ name, logged, stored: row[name] ?? '' }))
    .filter(({ logged, stored }) => logged !== null && stored !== logged);

type Key = { readonly uid: string; readonly entryId: string };

interface Context {
  readonly now: number;
  readonly hasTables: boolean;
  readonly newestAt: number;
  readonly read: (key: Key) => Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly report: Report;
}

/** Reports rows whose arrival attributes name another leaf. */
async function reportChanged(engine: Engine, { read, report }: Context): Promise<void> {
  for await (const { index, claimedIndex, known, ...entry } of engine.read<
    Key & { index: number | null; claimedIndex: number | null; known: string | null }
  >(
    `SELECT uid, entry_id AS "entryId", idx AS index, claimed_idx AS "claimedIndex", max_by(k.source, length(k.source)) AS known
     FROM (SELECT * FROM timed WHERE claimed IS NOT NULL AND status IN ('logged', 'differs')) p
     LEFT JOIN (SELECT hash, source FROM known) k ON k.hash = p.claimed
     GROUP BY uid, entry_id, idx, claimed_idx ORDER BY uid, entry_id`,
  )) {
    if (index !== null) {
      const problem = 'arrival does not name the leaf of the entry, which is in the log.';
      report({ kind: 'arrival', ...entry, index, problem, attributes: [{ name: 'arrival' }] });
      continue;
    }
    const row = known === null ? undefined : await read(entry);
    const attributes = row ? changesOf(JSON.parse(known as string), row) : [];
    const changes = attributes.map(
      ({ name, logged, stored }) => `${name} was ${JSON.stringify(logged)}, and is ${JSON.stringify(stored)}`,
    );
    const what =
      changes.length > 0
        ? `: ${changes.join('; ')}`
        : '. An earlier export, given with --known, tells what was changed';
    const changed =
      claimedIndex === null ? 'Changed since it was stored' : `Logged at index ${claimedIndex}, and changed since`;
    report({ kind: 'edited', ...entry, index: claimedIndex, problem: `${changed}${what}.`, attributes });
  }
}

async function reportUnlogged(engine: Engine, progress: Progress, report: Report): Promise<void> {
  const rows = engine.read<Key & { status: Status; receivedAt: number | null; isIndexed: boolean }>(
    `SELECT uid, entry_id AS "entryId", status, received_at AS "receivedAt", is_indexed AS "isIndexed" FROM timed
     WHERE status = 'missing' OR (status = 'pending' AND received_at < ${progress.cursor}) ORDER BY uid, entry_id`,
  );
  for await (const { uid, entryId, status, receivedAt, isIndexed } of rows) {
    const isLate = status === 'pending';
    const row = { isIndexed, receivedAt: receivedAt ?? 0 };
    // The audit trusts nothing that the head says of a second look.
    const why = isLate ? 'late' : whyMissing(row, { now: progress.now, looked: Number.POSITIVE_INFINITY });
    report({ kind: isLate ? 'late' : 'unlogged', uid, entryId, problem: explainUnlogged(receivedAt, why) });
  }
}

/** Compares the tables with the log, both ways. */
export async function compareTables(engine: Engine, context: Context): Promise<Comparison> {
  const { now, hasTables, newestAt, report } = context;
  // A checkpoint has everything that was received two minutes before it was stored.
  const progress: Progress = { cursor: newestAt - LATE_MS + 1, now };
  await engine.run(`
    CREATE VIEW announced AS SELECT hash FROM key UNION SELECT hash FROM leaf WHERE days IS NOT NULL;
    -- A row that names the hash of another one is no edited row: that one stands there.
    CREATE VIEW compared AS
      SELECT *, coalesce(claimed NOT IN (SELECT hash FROM row WHERE hash IS NOT NULL), FALSE) AS is_changed FROM row`);
  await compareLog(engine);
  await compareRows(engine, progress);
  const constants: Readonly<Record<string, number | boolean>> = {
    now,
    newest: newestAt,
    tables: hasTables,
    skew: CLOCK_SKEW_MS,
    late: LATE_MS,
    promise: PROMISE_MS,
    found: FOUND_MS,
    rollout: ROLLOUT_MS,
  };
  const sql = readFileSync(new URL('compare.sql', import.meta.url), 'utf8');
  await engine.run(sql.replaceAll(/\$(\w+)/g, (_all, name: string) => String(constants[name])));
  await reportChanged(engine, context);
  await reportUnlogged(engine, progress, report);
  for await (const { kind, stored, ...finding } of engine.read<Finding & { stored: number | null }>(
    `SELECT kind, uid, "entryId", index, path, problem, stored FROM found WHERE kind IS NOT NULL
     ORDER BY index, uid, "entryId", length(path), path, problem`,
  )) {
    const attributes = kind === 'expiry' ? [{ name: 'expiresAt', stored: stored ?? '' }] : [];
    report({ kind, ...finding, attributes });
  }

  const [counts] = await rowsOf<Comparison>(
    engine,
    `WITH waiting AS (
       SELECT received_at + ${FOUND_MS} <= ${now} AS stalled FROM timed WHERE status = 'pending' AND received_at >= ${progress.cursor}
       UNION ALL SELECT tally = 'stalled' FROM found WHERE tally IN ('pending', 'stalled')
     )
     SELECT count(*) AS rows, count(idx) AS matched,
       CASE WHEN ${hasTables} THEN count(idx) FILTER (NOT is_witnessed)
         ELSE (SELECT count(*) FROM without_row) - (
           SELECT count(DISTINCT k.hash) FROM known k JOIN logged l ON l.hash = k.hash ASOF JOIN witnessed w ON l.idx < w.size
           ASOF LEFT JOIN witnessed earlier ON l.idx >= earlier.size
           WHERE k.receipt IS NOT NULL AND w.cosigned_at <= k.deadline
             AND coalesce(earlier.cosigned_at <= k.deadline, true)) END AS untimed,
       count(idx) FILTER (received_at < (SELECT min(stored_at) FROM checkpoint)) AS backfilled,
       (SELECT coalesce(sum(times - 1), 0)::BIGINT FROM logged l ANTI JOIN retention r ON r.hash = l.hash) AS duplicates,
       (SELECT count(DISTINCT k.hash) FROM known k SEMI JOIN logged l ON l.hash = k.hash WHERE k.receipt IS NOT NULL) AS kept,
       (SELECT count(*) FROM waiting) AS pending,
       (SELECT count(*) FROM waiting WHERE stalled) AS stalled,
       (SELECT count(*) FROM found WHERE tally = 'expired') AS expired,
       (SELECT count(*) FROM found WHERE tally = 'older') AS "olderGone"
     FROM timed`,
  );
  return counts as NonNullable<typeof counts>;
}
