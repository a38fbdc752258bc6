import type { Head } from '../tlog/tlogTable.ts';
import { append, BATCH, changeHead } from './append.ts';
import type { Dependencies } from './dependencies.ts';
import { leavesFrom } from './loggedLeaves.ts';
import { inOrder, leavesOf, recordOf } from './missingEntries.ts';
import type { OpenTlog } from './publish.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The time after which one that did not end is begun again: later than the longest time that a function can run. */
const AGAIN_AFTER = 16 * MINUTE;

/** The time that is compared. */
const SPAN = 3 * HOUR;

/** The time whose entries are in memory at once: 300 000 of them, at 1000 uploads a second. */
const WINDOW = 5 * MINUTE;

/** Returns true if the last hours must be compared. @param now milliseconds since 1970 */
export const isHourlyDue = ({ hourly: { begunAt, doneAt } }: Pick<Head, 'hourly'>, now: number): boolean =>
  now - doneAt >= HOUR && now - begunAt >= AGAIN_AFTER;

/** Returns the mark at which it starts: entries received from its cursor on come after its size in the log. */
export const hoursFrom = ({ cursor, marks }: Pick<Head, 'cursor' | 'marks'>): Head['marks'][number] =>
  marks.findLast((mark) => mark.cursor <= cursor - SPAN) ?? marks[0] ?? { cursor, size: 0 };

/**
 * Compares the entries of the last hours with the log, and appends those that are missing, in the order in which they were
 * received. No entry is added twice, because an append fails if another sequencer appended since the log was read.
 * @returns the log and the number of entries found; undefined if another sequencer was first
 */
export async function reconcileHours(
  dependencies: Dependencies,
  log: OpenTlog,
  abortSignal: AbortSignal,
): Promise<{ log: OpenTlog; found: number } | undefined> {
  const { arrivals, storage, now } = dependencies;
  const begunAt = now();
  const { doneAt } = log.head.hourly;
  let current = await changeHead(dependencies, log, { hourly: { begunAt, doneAt } }, abortSignal);
  if (!current) return undefined;
  const { cursor } = current.head;
  const mark = hoursFrom(current.head);
  const logged = await leavesFrom(storage, current, mark.size, abortSignal);
  let found = 0;
  let missing: Uint8Array[] = [];
  for (let from = mark.cursor; from < cursor && current; ) {
    const until = Math.min(cursor, (Math.floor(from / WINDOW) + 1) * WINDOW);
    for (const arrival of await arrivals.between([from, until], abortSignal)) {
      if (!logged.has(arrival.entryHash)) missing.push(recordOf(arrival));
    }
    from = until;
    if (missing.length === 0 || (missing.length < BATCH && from < cursor)) continue;
    const leaves = leavesOf(inOrder(Buffer.concat(missing)));
    current = await append(dependencies, current, { leaves }, abortSignal);
    found += leaves.length;
    missing = [];
  }
  current &&= await changeHead(dependencies, current, { hourly: { begunAt, doneAt: begunAt } }, abortSignal);
  return current && { log: current, found };
}
