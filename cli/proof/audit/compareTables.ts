import { readFileSync } from 'node:fs';
import type { Engine } from '../../store/duckdb/duckdb.ts';
import { rowsOf } from './auditData.ts';
import { CLOCK_SKEW_MS } from './auditHead.ts';
import type { ChangedAttribute, Finding, FindingKind, Report } from './findings.ts';
import type { KnownEntry } from './known.ts';

const MINUTE_MS = 60_000;

/** An entry is late if it is not in a checkpoint that has entries received this long after it. */
const LATE_MS = 2 * MINUTE_MS;

/** The time in which the sequencer finds entries that the index shows late, and the minutes around it. */
const FOUND_MS = 12 * MINUTE_MS;

/** While the retention changes, functions with the old and the new one may run side by side for this long. */
const ROLLOUT_MS = 60 * MINUTE_MS;

/** The counts of the comparison, besides findings. */
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
}

/** Returns the attributes in which a row differs from what an export or a receipt says of it. */
const changesOf = (source: KnownEntry['source'], row: Readonly<Record<string, unknown>>): ChangedAttribute[] =>
  Object.entries(source)
    .map(([name, logged]) => ({ name, logged, stored: row[name] ?? '' }))
    .filter(({ logged, stored }) => logged !== null && stored !== logged);

type Key = { readonly uid: string; readonly entryId: string };

interface Context {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly hasTables: boolean;
  readonly newestAt: number | undefined;
  readonly read: (key: Key) => Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly report: Report;
}

/** Compares the tables with the log, both ways, by compare.sql. */
export async function compareTables(
  engine: Engine,
  { now, hasTables, newestAt, read, report }: Context,
): Promise<Comparison> {
  const constants: Readonly<Record<string, string | number | boolean>> = {
    ...{ now, newest: newestAt ?? '(SELECT max(stored_at) FROM checkpoint)', tables: hasTables },
    ...{ skew: CLOCK_SKEW_MS, late: LATE_MS, found: FOUND_MS, rollout: ROLLOUT_MS },
  };
  const sql = readFileSync(new URL('compare.sql', import.meta.url), 'utf8');
  await engine.run(sql.replaceAll(/\$(\w+)/g, (_all, name: string) => String(constants[name])));

  // Rows whose arrival attributes name another leaf.
  for await (const { index, claimedIndex, known, ...entry } of engine.read<
    Key & { index: number | null; claimedIndex: number | null; known: string | null }
  >(
    `SELECT uid, entry_id AS "entryId", idx AS index, claimed_idx AS "claimedIndex", max_by(k.source, length(k.source)) AS known
     FROM (SELECT uid, entry_id, idx, claimed, claimed_idx FROM placed WHERE claimed IS NOT NULL
       AND (idx IS NOT NULL OR (claimed_idx IS NOT NULL AND claimed NOT IN (SELECT hash FROM row)))) p
     LEFT JOIN (SELECT hash, source FROM known) k ON k.hash = p.claimed GROUP BY ALL ORDER BY uid, entry_id`,
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
    const problem = `Logged at index ${claimedIndex}, and changed since${what}.`;
    report({ kind: 'edited', ...entry, index: claimedIndex, problem, attributes });
  }

  for await (const { kind, stored, ...finding } of engine.read<Finding & { kind: FindingKind; stored: number | null }>(
    `SELECT kind, uid, "entryId", index, path, problem, stored FROM found WHERE kind IS NOT NULL
     ORDER BY index, uid, "entryId", length(path), path, problem`,
  ))
    report({
      kind,
      ...finding,
      ...(kind === 'expiry' && { attributes: [{ name: 'expiresAt', stored: stored ?? '' }] }),
    });

  const [counts] = await rowsOf<Comparison>(
    engine,
    `SELECT count(*) AS rows, count(idx) AS matched,
       count(idx) FILTER (received_at < (SELECT min(stored_at) FROM checkpoint)) AS backfilled,
       (SELECT coalesce(sum(times - 1), 0)::BIGINT FROM logged WHERE days IS NULL) AS duplicates,
       (SELECT count(DISTINCT k.hash) FROM known k SEMI JOIN logged l ON l.hash = k.hash WHERE k.receipt IS NOT NULL) AS kept,
       (SELECT count(*) FROM found WHERE tally IN ('pending', 'stalled')) AS pending,
       (SELECT count(*) FROM found WHERE tally = 'stalled') AS stalled,
       (SELECT count(*) FROM found WHERE tally = 'expired') AS expired,
       (SELECT count(*) FROM found WHERE tally = 'older') AS "olderGone"
     FROM placed`,
  );
  return counts as NonNullable<typeof counts>;
}
