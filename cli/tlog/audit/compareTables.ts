import { formatDuration, formatTime } from '../../terminal/format.ts';
import { IRREGULAR, KEPT, ROLLOUT } from './checkRow.ts';
import { describeEdit } from './describeEdit.ts';
import type { Finding } from './findings.ts';
import type { KnownEntry } from './known.ts';
import type { Partitions } from './partitions.ts';
import { type RowRecord, readRow, records, type Suspect } from './rowRecord.ts';
import { CHUNK, readLeaves, surveyRows } from './surveyRows.ts';

const MINUTE = 60_000;

/**
 * The time after which an entry is in the log although the index showed it late: the hourly reconciliation, and the minutes
 * around it.
 */
const ALLOWANCE = 65 * MINUTE;

/**
 * The same for entries that have no arrival attributes, because they are older than the log or an older version of the
 * upload function stored them while it was replaced: the backfill, and the first daily reconciliation after it.
 */
const FIRST_ALLOWANCE = 24 * 60 * MINUTE + ALLOWANCE;

/** The clocks of functions may differ by this much from that of the tables. */
const CLOCKS = MINUTE;

/** The time and place of the log that the comparison needs. Times are milliseconds since 1970. */
export interface LogTimes {
  readonly now: number;
  /** Entries received before it are in the log. */
  readonly cursor: number;
  readonly marks: readonly { readonly cursor: number; readonly size: number }[];
  /** The time at which the log began. Earlier entries were added by the backfill. */
  readonly began: number | undefined;
  /** True if the backfill is done. */
  readonly backfilled: boolean;
}

/** The result of the comparison, besides findings. */
export interface Comparison {
  /** Rows that are in the log. */
  matched: number;
  /** Rows that are not in the log yet, and need not be. */
  pending: number;
  /** Rows that are older than the log. */
  backfilled: number;
  /** Leaves that stand in the log more than once, which is harmless. */
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

/** The means of the comparison. */
interface Means {
  readonly size: number;
  readonly times: LogTimes | undefined;
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
export async function compareTables(means: Means): Promise<Comparison> {
  const { size, times, leaves, rows, report } = means;
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
  const { isLogged, latest, kept } = surveyRows(means);
  const days = [...kept.keys()].filter((retention) => retention !== KEPT);
  const longest = days.length > 0 ? Math.max(...days) : undefined;
  const expiredUntil = await means.expiredUntil(longest);
  // The log is in the order of receipt: what stands before the first entry that is left was received before it.
  const firstLeft = Math.min(size, ...[...kept.values()].map(({ firstIndex }) => firstIndex));
  const olderUntil =
    times?.began === undefined
      ? 0
      : Math.min(firstLeft, await means.olderUntil(longest, times.began + FIRST_ALLOWANCE));
  const forever = kept.get(KEPT);

  /** Returns the time after which the entry of a row is in the log. */
  const allowanceOf = ({ kind, receivedAt }: Pick<RowRecord, 'kind' | 'receivedAt'>): number =>
    kind === records.bare && times?.began !== undefined && receivedAt < times.began + ROLLOUT
      ? FIRST_ALLOWANCE
      : ALLOWANCE;

  /** Compares the time of a row with its place in the log. */
  const checkTime = (row: RowRecord, index: number, entry: Pick<Finding, 'uid' | 'entryId'>) => {
    if (!times) return;
    const { receivedAt } = row;
    const { marks, began = Number.NEGATIVE_INFINITY, cursor } = times;
    const mark = marks.findLast((one) => one.size <= index)?.cursor ?? Number.NEGATIVE_INFINITY;
    const loggedAfter = Math.max(mark, latest[Math.floor(index / CHUNK)] || Number.NEGATIVE_INFINITY);
    const late = loggedAfter - Math.max(receivedAt, began);
    const said = formatTime(receivedAt);
    if (late > allowanceOf(row)) {
      const problem = `Its time of receipt is ${said}, but it was logged after ${formatTime(loggedAfter)}: ${formatDuration(late)} late. It was backdated, or the index showed it late.`;
      report({ kind: 'late', ...entry, index, problem });
    } else if (receivedAt < began) result.backfilled += 1;
    const earliest = marks.find((one) => one.size > index)?.cursor ?? cursor;
    if (receivedAt >= earliest) {
      const problem = `Its time of receipt is ${said}, but it was logged before ${formatTime(earliest)}. The Log table or the entry is wrong.`;
      report({ kind: 'early', ...entry, index, problem });
    }
  };

  /** Compares the retention of a row with that of the entries of its time. */
  const checkRetention = ({ receivedAt, retention }: RowRecord, entry: Pick<Finding, 'uid' | 'entryId'>) => {
    const own = kept.get(retention)?.rows ?? 0;
    const usual = [...kept].find(
      ([other, { rows: count, first, last }]) =>
        other !== retention && count > own && receivedAt > first + ROLLOUT && receivedAt < last - ROLLOUT,
    );
    if (!usual || retention === IRREGULAR) return;
    const describe = (one: number) => (one === KEPT ? 'forever' : `${one} d`);
    const problem = `Kept ${describe(retention)}; entries of that time are kept ${describe(usual[0])}.`;
    report({ kind: 'expiry', ...entry, problem });
  };

  /** Classifies a row that is not in the log. */
  const checkMissing = (row: RowRecord, entry: Pick<Finding, 'uid' | 'entryId'>) => {
    if (!times) return;
    const { receivedAt } = row;
    const { now, cursor, began = Number.NEGATIVE_INFINITY, backfilled } = times;
    const missing = (problem: string) => report({ kind: 'unlogged', ...entry, problem });
    if (Number.isNaN(receivedAt)) missing('It has no time of receipt, and no leaf of the log is its own.');
    else if (receivedAt > now + CLOCKS) missing(`Its time of receipt, ${formatTime(receivedAt)}, is in the future.`);
    else if (receivedAt < began - CLOCKS ? !backfilled : cursor - receivedAt <= allowanceOf(row)) result.pending += 1;
    else {
      missing(
        `Its time of receipt is ${formatTime(receivedAt)}, but the log does not have it. It was inserted, or edited together with its arrival attributes.`,
      );
    }
  };

  for (let partition = 0; partition < leaves.count; partition += 1) {
    const { indexes, duplicates } = readLeaves(leaves, partition);
    const known = readKnownEntries(means.known, partition);
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
        report(await describeEdit(suspect, leaf, index, known.get(name), means.ownersOf));
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
        const problem = 'arrival names another leaf than that of the entry, which is in the log.';
        report({ kind: 'arrival', ...entry, index, problem, attributes: [{ name: 'arrival' }] });
      }
    }
    for (const [name, key] of means.keys) {
      if (without.delete(name)) result.keys.add(key);
    }
    for (const [name, entry] of known) {
      if (entry.receipt === undefined) continue;
      if (indexes.has(name)) result.kept += 1;
      else if (times && times.cursor - entry.receivedAt <= ALLOWANCE) result.pending += 1;
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
          const when = await means.whenLogged(index);
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
    means.advance(1);
  }
  return result;
}
