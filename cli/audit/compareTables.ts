import { formatTime } from '../text/time.ts';
import { NO_EXPIRY } from './checkRow.ts';
import { describeEdit } from './describeEdit.ts';
import type { Finding } from './findings.ts';
import type { KnownEntry } from './known.ts';
import type { Partitions } from './partitions.ts';
import { ALLOWANCE_MS, FIRST_ALLOWANCE_MS, rowChecks, type TlogTimes } from './rowChecks.ts';
import { readRow, records, type Suspect } from './rowRecord.ts';
import { readLeaves, surveyRows } from './surveyRows.ts';

/** The result of the comparison, besides findings. */
export interface Comparison {
  /** Rows that are in the log. */
  matched: number;
  /** Rows that are not in the log yet, and need not be. */
  pending: number;
  /** Rows that are older than the log. */
  backfilled: number;
  /** Entries that are logged twice, which is harmless. */
  duplicates: number;
  /** Leaves without a row, whose entries had expired. */
  expired: number;
  /** Leaves before all entries that are left, which came into the log when it began: nothing tells when they expire. */
  olderGone: number;
  /** Receipts that were given whose leaves are in the log. */
  kept: number;
  /** Verifier keys whose leaves are in the log. */
  readonly keys: Set<string>;
}

interface Context {
  readonly size: number;
  readonly times: TlogTimes | undefined;
  readonly leaves: Partitions;
  readonly rows: Partitions;
  readonly known: Partitions;
  /** The number of rows whose arrival attributes name another leaf. */
  readonly suspects: number;
  /** The verifier keys that should be in the log, by their leaf in latin1. */
  readonly keys: ReadonlyMap<string, string>;
  readonly report: (finding: Finding) => void;
  /** Returns the UIDs that an entry with this access key may have had. */
  readonly ownersOf: (accessKey: unknown) => Promise<readonly string[]>;
  /**
   * Returns the number of leaves whose entries may have expired.
   * @param days the longest retention of the entries that are left; undefined: none of them expires
   */
  readonly expiredUntil: (days: number | undefined) => Promise<number>;
  /**
   * Returns the number of leaves that may be of entries that are older than the log, if entries expire.
   * @param until the time at which the log had all of them, in milliseconds since 1970
   */
  readonly olderUntil: (days: number | undefined, until: number) => Promise<number>;
  /** Describes when a leaf was logged. */
  readonly whenLogged: (index: number) => Promise<string>;
  readonly advance: (partitions: number) => void;
}

/** Returns what is known of leaves, by leaf in latin1. A receipt counts for more than an export. */
function readKnownEntries(known: Partitions, partition: number): Map<string, KnownEntry> {
  const entries = new Map<string, KnownEntry>();
  for (const { leaf, data } of known.records(partition)) {
    const name = leaf.toString('latin1');
    entries.set(name, { ...entries.get(name), ...JSON.parse(data.toString()) });
  }
  return entries;
}

/**
 * Compares the tables with the log, both ways, partition by partition, once `surveyRows` has seen all rows.
 */
export async function compareTables(context: Context): Promise<Comparison> {
  const { size, times, leaves, rows, report } = context;
  const result: Comparison = {
    matched: 0,
    pending: 0,
    backfilled: 0,
    duplicates: 0,
    expired: 0,
    olderGone: 0,
    kept: 0,
    keys: new Set(),
  };
  const survey = surveyRows(context);
  const { isLogged, kept } = survey;
  const { checkTime, checkRetention, checkMissing } = rowChecks({ times, survey, result, report });
  const days = [...kept.keys()].filter((retention) => retention !== NO_EXPIRY);
  const longest = days.length > 0 ? Math.max(...days) : undefined;
  const expiredUntil = await context.expiredUntil(longest);
  // The log is in the order of receipt: what stands before the first entry that is left was received before it.
  const firstLeft = Math.min(size, ...[...kept.values()].map(({ firstIndex }) => firstIndex));
  const olderUntil =
    times?.began === undefined
      ? 0
      : Math.min(firstLeft, await context.olderUntil(longest, times.began + FIRST_ALLOWANCE_MS));
  const forever = kept.get(NO_EXPIRY);

  for (let partition = 0; partition < leaves.count; partition += 1) {
    const { indexes, duplicates } = readLeaves(leaves, partition);
    const known = readKnownEntries(context.known, partition);
    const without = new Map(indexes);
    result.duplicates += duplicates;
    for (const { leaf, data } of rows.records(partition)) {
      const row = readRow(data);
      const name = leaf.toString('latin1');
      const index = indexes.get(name);
      if (row.kind === records.claimed) {
        if (index === undefined || isLogged.recomputed[row.suspect]) continue;
        without.delete(name);
        const suspect = row.text() as Suspect;
        report(await describeEdit(suspect, leaf, index, known.get(name), context.ownersOf));
        continue;
      }
      const [uid, entryId] = row.text() as [string, string];
      const entry = { uid, entryId };
      if (index === undefined) {
        if (row.kind !== records.recomputed || !isLogged.claimed[row.suspect]) checkMissing(row, entry);
        continue;
      }
      without.delete(name);
      result.matched += 1;
      checkTime(row, index, entry);
      checkRetention(row, entry);
      if (row.kind === records.recomputed) {
        const problem = 'arrival does not name the leaf of the entry, which is in the log.';
        report({ kind: 'arrival', ...entry, index, problem, attributes: [{ name: 'arrival' }] });
      }
    }
    for (const [name, key] of context.keys) {
      if (without.delete(name)) result.keys.add(key);
    }
    for (const [name, entry] of known) {
      if (entry.receipt === undefined) continue;
      if (indexes.has(name)) result.kept += 1;
      else if (times && times.cursor - entry.receivedAt <= ALLOWANCE_MS) result.pending += 1;
      else {
        const { uid, entryId, receipt: path } = entry;
        const copied = times ? '' : ' If this copy is not more than an hour newer than the entry, copy the log again.';
        const problem = `${path} is for an entry received at ${formatTime(entry.receivedAt)}, and the log does not have it.${copied}`;
        report({ kind: 'promised', path, uid, entryId, problem });
      }
    }
    if (times) {
      for (const [name, index] of without) {
        const isForever = forever && index >= forever.firstIndex && index <= forever.lastIndex;
        if (index < expiredUntil && !isForever) result.expired += 1;
        else if (index < olderUntil) result.olderGone += 1;
        else {
          const { uid, entryId } = known.get(name) ?? {};
          const when = await context.whenLogged(index);
          const who = uid === undefined ? 'An entry' : 'This entry';
          const problem = `${who} was logged at index ${index}, ${when}, and no row of the table has it.`;
          report({
            kind: 'removed',
            index,
            problem,
            ...(uid !== undefined && { uid }),
            ...(entryId !== undefined && { entryId }),
          });
        }
      }
    }
    context.advance(1);
  }
  return result;
}
