import { formatDuration, formatTime } from '../text/time.ts';
import { IRREGULAR, NO_EXPIRY, ROLLOUT_MS } from './checkRow.ts';
import type { Finding } from './findings.ts';
import { type RowRecord, records } from './rowRecord.ts';
import { CHUNK, type surveyRows } from './surveyRows.ts';

const MINUTE_MS = 60_000;

/**
 * The time after which an entry is in the log although the index showed it late: the hourly reconciliation, and the
 * minutes around it.
 */
export const ALLOWANCE_MS = 65 * MINUTE_MS;

/**
 * The same for entries that have no arrival attributes, because something else than the upload function stored them
 * before the log began, such as the demo: the backfill, and the first daily reconciliation after it.
 */
export const FIRST_ALLOWANCE_MS = 24 * 60 * MINUTE_MS + ALLOWANCE_MS;

/** The clocks of functions may differ by this much from that of the tables, in milliseconds. */
const CLOCK_SKEW_MS = MINUTE_MS;

/** The time and place of the log that the comparison needs. Times are milliseconds since 1970. */
export interface TlogTimes {
  readonly now: number;
  /** Entries received before it are in the log. */
  readonly cursor: number;
  readonly marks: readonly { readonly cursor: number; readonly size: number }[];
  /** The time at which the log began. Earlier entries were added by the backfill. */
  readonly began: number | undefined;
  /** True if the backfill is done. */
  readonly backfilled: boolean;
}

type EntryName = Pick<Finding, 'uid' | 'entryId'>;

/** Returns the checks of a row of the table. They report what is wrong, and count the rest. */
export function rowChecks({
  times,
  survey: { latest, kept },
  result,
  report,
}: {
  times: TlogTimes | undefined;
  survey: ReturnType<typeof surveyRows>;
  /** The counts of rows that are older than the log, and of rows that need not be in the log yet. */
  result: { backfilled: number; pending: number };
  report: (finding: Finding) => void;
}) {
  /** Returns the time after which the entry of a row is in the log. */
  const allowanceOf = ({ kind, receivedAt }: Pick<RowRecord, 'kind' | 'receivedAt'>): number =>
    kind === records.bare && times?.began !== undefined && receivedAt < times.began ? FIRST_ALLOWANCE_MS : ALLOWANCE_MS;

  /** Compares the time of a row with its place in the log. */
  const checkTime = (row: RowRecord, index: number, entry: EntryName) => {
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
      const problem = `Its time of receipt is ${said}, but it was logged before ${formatTime(earliest)}. The Tlog table or the entry is wrong.`;
      report({ kind: 'early', ...entry, index, problem });
    }
  };

  /** Compares the retention of a row with that of the entries of its time. */
  const checkRetention = ({ receivedAt, retention }: RowRecord, entry: EntryName) => {
    const own = kept.get(retention)?.rows ?? 0;
    const usual = [...kept].find(
      ([other, { rows: count, first, last }]) =>
        other !== retention && count > own && receivedAt > first + ROLLOUT_MS && receivedAt < last - ROLLOUT_MS,
    );
    if (!usual || retention === IRREGULAR) return;
    const describe = (one: number) => (one === NO_EXPIRY ? 'forever' : `${one} d`);
    const problem = `Kept ${describe(retention)}; entries of that time are kept ${describe(usual[0])}.`;
    report({ kind: 'expiry', ...entry, problem });
  };

  /** Classifies a row that is not in the log. */
  const checkMissing = (row: RowRecord, entry: EntryName) => {
    if (!times) return;
    const { receivedAt } = row;
    const { now, cursor, began = Number.NEGATIVE_INFINITY, backfilled } = times;
    const missing = (problem: string) => report({ kind: 'unlogged', ...entry, problem });
    if (Number.isNaN(receivedAt)) missing('It has no time of receipt, and no leaf of the log is its own.');
    else if (receivedAt > now + CLOCK_SKEW_MS)
      missing(`Its time of receipt, ${formatTime(receivedAt)}, is in the future.`);
    else if (receivedAt < began - CLOCK_SKEW_MS ? !backfilled : cursor - receivedAt <= allowanceOf(row))
      result.pending += 1;
    else {
      missing(
        `Its time of receipt is ${formatTime(receivedAt)}, but the log does not have it. It was inserted, or edited together with its arrival attributes.`,
      );
    }
  };

  return { checkTime, checkRetention, checkMissing };
}
