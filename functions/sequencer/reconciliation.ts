/**
 * Reconciliations compare the entries in the table with the log, and append those that are missing: the index showed
 * them late, or they are older than the log.
 */
import pMap from 'p-map';
import type { EntryHashSet } from '../tlog/entryHashSet.ts';
import type { Head, ReconciliationProgress } from '../tlog/tlogTable.ts';
import { SEGMENTS } from './arrivals.ts';
import { entryHashesOf, inOrder, lastOf, nextMissing, partsOf, recordOf, storeMissing } from './missingEntries.ts';
import { BATCH_LEAVES, type Sequencer } from './sequence.ts';
import { readEntryHashes } from './storage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The time after which one that did not end is begun again: later than the longest time that a function can run. */
const HOURLY_RETRY_MS = 16 * MINUTE_MS;

/** The time that the hourly reconciliation compares. */
const HOURLY_SPAN_MS = 3 * HOUR_MS;

/** The time whose entries are in memory at once: 300 000 of them, at 1000 uploads a second. */
const WINDOW_MS = 5 * MINUTE_MS;

/** The limits of a daily reconciliation. They bound its time and its memory, whatever the size of the table. */
export interface ReconciliationLimits {
  /**
   * The time after which a run leaves the rest to the next run. A run reports the age of the log at its end, so this is
   * shorter than the period of the alarm on a log that reports nothing.
   */
  readonly durationMs: number;
  /** The pages of each segment that one step reads at most, of 1 MB each. */
  readonly pages: number;
  /** The number of missing entries at which a step of the scan ends, and that a later step appends. */
  readonly entries: number;
}

/** The limits of a deployment. A step takes a few seconds. */
export const RECONCILIATION: ReconciliationLimits = { durationMs: 120_000, pages: 32, entries: 262_144 };

/** Returns true if the last hours must be compared. @param now milliseconds since 1970 */
export const isHourlyDue = ({ hourly: { begunAt, doneAt } }: Pick<Head, 'hourly'>, now: number): boolean =>
  now - doneAt >= HOUR_MS && now - begunAt >= HOURLY_RETRY_MS;

/**
 * Returns true if the whole table must be compared, or if a comparison has not ended.
 * @param now milliseconds since 1970
 */
export const isDailyDue = ({ daily: { doneAt, progress } }: Pick<Head, 'daily'>, now: number): boolean =>
  progress !== undefined || now - doneAt >= DAY_MS;

/** Returns the mark at which it starts: entries received from its cursor on come after its size in the log. */
export const hoursFrom = ({ cursor, marks }: Pick<Head, 'cursor' | 'marks'>): Head['marks'][number] =>
  marks.findLast((mark) => mark.cursor <= cursor - HOURLY_SPAN_MS) ?? marks[0] ?? { cursor, size: 0 };

/**
 * Compares the entries of the last hours with the log, and appends those that are missing, in the order in which they
 * were received. No entry is added twice, because an append fails if another sequencer appended since the log was read.
 * @returns the number of entries found
 */
export async function reconcileHours(sequencer: Sequencer): Promise<number> {
  const { abortSignal } = sequencer;
  const { arrivals, storage, now } = sequencer.options;
  const begunAt = now();
  await sequencer.claimHead({ hourly: { begunAt, doneAt: sequencer.head.hourly.doneAt } });
  const { cursor, size } = sequencer.head;
  const mark = hoursFrom(sequencer.head);
  const logged = await readEntryHashes(storage, { index: mark.size, size }, abortSignal);
  let found = 0;
  let missing: Uint8Array[] = [];
  for (let from = mark.cursor; from < cursor; ) {
    const until = Math.min(cursor, (Math.floor(from / WINDOW_MS) + 1) * WINDOW_MS);
    for (const arrival of await arrivals.between([from, until], abortSignal)) {
      if (!logged.has(arrival.entryHash)) missing.push(recordOf(arrival));
    }
    from = until;
    if (missing.length === 0 || (missing.length < BATCH_LEAVES && from < cursor)) continue;
    const entryHashes = entryHashesOf(inOrder(Buffer.concat(missing)));
    await sequencer.append(entryHashes);
    found += entryHashes.length;
    missing = [];
  }
  await sequencer.claimHead({ hourly: { begunAt, doneAt: begunAt } });
  return found;
}

/**
 * Creates a reconciliation of the whole table, step by step. Its memory does not depend on the number of missing
 * entries: first it scans the table and stores what is missing in files, in the order of the table; then it appends
 * from these files in the order in which the entries were received. Every step stores its place in the head, so that
 * the next run, or another sequencer, continues there.
 *
 * No entry is added twice: a step that appends moves its place in the same write, and leaves out what has been appended
 * otherwise since the reconciliation began.
 */
export function dailyReconciliation(sequencer: Sequencer, limits: ReconciliationLimits) {
  const { abortSignal } = sequencer;
  const { arrivals, storage, now } = sequencer.options;
  /** What is in the log. It is read once per run: what is appended meanwhile was received later. */
  let logged: EntryHashSet | undefined;

  const begin = () => {
    const { cursor: until, size, daily } = sequencer.head;
    const progress = { until, size, segments: Array(SEGMENTS).fill('start'), files: [] };
    return sequencer.claimHead({ daily: { begunAt: now(), doneAt: daily.doneAt, progress } });
  };

  const scan = async (progress: ReconciliationProgress) => {
    const { daily, size } = sequencer.head;
    logged ??= await readEntryHashes(storage, { index: 0, size }, abortSignal);
    const inLog = logged;
    const missing: Uint8Array[] = [];
    const segments = [...progress.segments];
    const scanSegment = async (segment: number) => {
      for (let pages = 0; pages < limits.pages && missing.length < limits.entries; pages += 1) {
        const position = segments[segment];
        if (position === undefined || position === 'end') return;
        const page = await arrivals.page(segment, position, abortSignal);
        for (const arrival of page.arrivals) {
          // The audit names entries without a time. They cannot be put in order.
          if (!Number.isSafeInteger(arrival.receivedAt) || arrival.receivedAt < 0) continue;
          if (arrival.receivedAt < progress.until && !inLog.has(arrival.entryHash)) missing.push(recordOf(arrival));
        }
        segments[segment] = page.position;
      }
    };
    await pMap(segments.keys(), scanSegment, { concurrency: SEGMENTS });
    const stored = missing.length > 0 ? [await storeMissing(storage, missing, abortSignal)] : [];
    const scanned = { ...progress, segments, files: [...progress.files, ...stored] };
    await sequencer.claimHead({ daily: { ...daily, progress: scanned } });
  };

  /** Appends the next missing entries. @returns their number */
  const appendMissing = async (progress: ReconciliationProgress): Promise<number> => {
    const { files, appended: after } = progress;
    const { begunAt } = sequencer.head.daily;
    const next = await nextMissing(storage, { files, after, count: limits.entries }, abortSignal);
    if (next.length === 0) {
      await sequencer.claimHead({ daily: { begunAt, doneAt: begunAt } });
      return 0;
    }
    const { size } = sequencer.head;
    logged ??= await readEntryHashes(storage, { index: progress.size, size }, abortSignal);
    const inLog = logged;
    let found = 0;
    for (const batch of partsOf(next, BATCH_LEAVES)) {
      const entryHashes = entryHashesOf(batch).filter((entryHash) => !inLog.has(entryHash));
      const appended = lastOf(batch) as Uint8Array;
      await sequencer.append(entryHashes, {
        daily: { ...sequencer.head.daily, progress: { ...progress, appended } },
      });
      found += entryHashes.length;
    }
    return found;
  };

  return {
    /** Does the next step. @returns the number of entries that it appended */
    async step(): Promise<number> {
      const { progress } = sequencer.head.daily;
      if (progress?.segments.every((position) => position === 'end')) return appendMissing(progress);
      await (progress ? scan(progress) : begin());
      return 0;
    },
  };
}
