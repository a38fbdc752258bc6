import pMap from 'p-map';
import type { EntryHashSet } from '../tlog/entryHashSet.ts';
import type { Head, ReconciliationProgress } from '../tlog/tlogTable.ts';
import { append, BATCH, changeHead } from './append.ts';
import { SEGMENTS } from './arrivals.ts';
import type { Dependencies } from './dependencies.ts';
import { leavesFrom } from './loggedLeaves.ts';
import { lastOf, leavesOf, nextMissing, partsOf, recordOf, storeMissing } from './missingEntries.ts';
import type { OpenTlog } from './publish.ts';

const DAY = 24 * 3_600_000;

/** The log after a step, and the number of entries that the step appended. */
interface Step {
  readonly log: OpenTlog;
  readonly found: number;
}

/** Returns true if the whole table must be compared, or if a comparison has not ended. @param now milliseconds since 1970 */
export const isDailyDue = ({ daily: { doneAt, progress } }: Pick<Head, 'daily'>, now: number): boolean =>
  progress !== undefined || now - doneAt >= DAY;

/**
 * Returns a reconciliation of the whole table, step by step. Its memory does not depend on the number of missing entries:
 * first it scans the table and stores what is missing in files, in the order of the table; then it appends from these files
 * in the order in which the entries were received. Every step stores its place in the head, so that the next run, or
 * another sequencer, continues there.
 *
 * No entry is added twice: a step that appends moves its place in the same write, and leaves out what has been
 * appended otherwise since the reconciliation began.
 */
export function dailyReconciliation(dependencies: Dependencies) {
  const { arrivals, storage, now, reconciliation: limits } = dependencies;
  /** The leaves that are in the log. They are read once per run: what is appended meanwhile was received later. */
  let logged: EntryHashSet | undefined;

  const begin = (log: OpenTlog, abortSignal: AbortSignal) => {
    const { cursor: until, size, daily } = log.head;
    const progress = { until, size, segments: Array(SEGMENTS).fill('start'), files: [] };
    return changeHead(dependencies, log, { daily: { begunAt: now(), doneAt: daily.doneAt, progress } }, abortSignal);
  };

  const scan = async (log: OpenTlog, progress: ReconciliationProgress, abortSignal: AbortSignal) => {
    logged ??= await leavesFrom(storage, log, 0, abortSignal);
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
    return changeHead(dependencies, log, { daily: { ...log.head.daily, progress: scanned } }, abortSignal);
  };

  const appendMissing = async (
    log: OpenTlog,
    progress: ReconciliationProgress,
    abortSignal: AbortSignal,
  ): Promise<Step | undefined> => {
    const { files, appended: after, size } = progress;
    const { begunAt } = log.head.daily;
    const next = await nextMissing(storage, { files, after, count: limits.entries }, abortSignal);
    if (next.length === 0) {
      const done = await changeHead(dependencies, log, { daily: { begunAt, doneAt: begunAt } }, abortSignal);
      return done && { log: done, found: 0 };
    }
    logged ??= await leavesFrom(storage, log, size, abortSignal);
    let current: OpenTlog | undefined = log;
    let found = 0;
    for (const batch of partsOf(next, BATCH)) {
      if (!current) break;
      const leaves = leavesOf(batch).filter((leaf) => !logged?.has(leaf));
      const appended = lastOf(batch) as Uint8Array;
      const daily: Head['daily'] = { ...current.head.daily, progress: { ...progress, appended } };
      current =
        leaves.length > 0
          ? await append(dependencies, current, { leaves, daily }, abortSignal)
          : await changeHead(dependencies, current, { daily }, abortSignal);
      found += leaves.length;
    }
    return current && { log: current, found };
  };

  return {
    /** Does the next step. @returns undefined if another sequencer was first */
    async step(log: OpenTlog, abortSignal: AbortSignal): Promise<Step | undefined> {
      const { progress } = log.head.daily;
      if (progress?.segments.every((position) => position === 'end')) return appendMissing(log, progress, abortSignal);
      const next = await (progress ? scan(log, progress, abortSignal) : begin(log, abortSignal));
      return next && { log: next, found: 0 };
    },
  };
}
