import { readBundle } from '../tlog/entryBundle.ts';
import type { Head, Look } from '../tlog/logTable.ts';
import { bundlesFrom, tilePath } from '../tlog/tiles.ts';
import { append, changeHead } from './append.ts';
import type { Arrival } from './arrivals.ts';
import { concurrently } from './concurrently.ts';
import type { Dependencies } from './dependencies.ts';
import { LeafSet } from './leafSet.ts';
import type { OpenLog } from './publish.ts';
import { requireFile } from './storage.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The interval of each look. */
const INTERVALS = { hours: HOUR, everything: 24 * HOUR } as const;

/** When a look that did not end is done again: later than the longest time that a function can run. */
const AGAIN_AFTER = 16 * MINUTE;

/** A search for entries that are missing from the log. */
export type LookName = keyof typeof INTERVALS;

/** The span that the hourly look covers. */
const HOURS_LOOKED_AT = 3 * HOUR;

/** Concurrent reads of bundles. */
const READS = 32;

/** The number of leaves at which a batch is closed: an append takes seconds and a few hundred files. */
export const BATCH = 65_536;

/** Returns the looks that are due. @param now milliseconds since 1970 */
export const dueLooks = ({ head }: OpenLog, now: number): LookName[] =>
  (Object.keys(INTERVALS) as LookName[]).filter((name) => {
    const { begunAt, doneAt }: Look = head[name];
    return now - doneAt >= INTERVALS[name] && now - begunAt >= Math.min(AGAIN_AFTER, INTERVALS[name]);
  });

/** Reads the leaves of the log from an index on. */
async function leavesFrom(
  { storage }: Dependencies,
  { head }: OpenLog,
  index: number,
  abortSignal: AbortSignal,
): Promise<LeafSet> {
  const leaves = new LeafSet();
  await concurrently(bundlesFrom(index, head.size), READS, async (bundle) => {
    const bytes = await requireFile(storage, tilePath(bundle), abortSignal);
    for (const leaf of readBundle(bytes, bundle.width)) leaves.add(leaf);
  });
  return leaves;
}

/** Sorts arrivals by time, then by leaf. */
const inOrder = (arrivals: readonly Arrival[]): Arrival[] =>
  arrivals.toSorted((one, other) => one.receivedAt - other.receivedAt || Buffer.compare(one.leaf, other.leaf));

/**
 * Returns the mark at which the hourly look starts: entries received from its cursor on come after its size in the log.
 */
export const hoursFrom = ({ cursor, marks }: Pick<Head, 'cursor' | 'marks'>): Head['marks'][number] | undefined =>
  marks.findLast((mark) => mark.cursor <= cursor - HOURS_LOOKED_AT) ?? marks[0];

/**
 * Finds entries received before the cursor that are missing from the log: the last hours by the index, everything by
 * the table.
 */
async function missing(
  dependencies: Dependencies,
  log: OpenLog,
  name: LookName,
  abortSignal: AbortSignal,
): Promise<Arrival[]> {
  const { arrivals } = dependencies;
  const { cursor } = log.head;
  if (name === 'hours') {
    const mark = hoursFrom(log.head);
    if (!mark) return [];
    const logged = await leavesFrom(dependencies, log, mark.size, abortSignal);
    const received = await arrivals.between([mark.cursor, cursor], abortSignal);
    return received.filter(({ leaf }) => !logged.has(leaf));
  }
  const logged = await leavesFrom(dependencies, log, 0, abortSignal);
  const found: Arrival[] = [];
  await arrivals.visitAll((arrival) => {
    if (arrival.receivedAt < cursor && !logged.has(arrival.leaf)) found.push(arrival);
  }, abortSignal);
  return found;
}

/**
 * Finds entries that are missing from the log, and appends them in the order in which they were received. No entry is
 * added twice, because the append fails if another sequencer appended since the log was read.
 * @returns the log and the number of entries found; undefined if another sequencer was first: the look is repeated later
 */
export async function look(
  dependencies: Dependencies,
  log: OpenLog,
  name: LookName,
  abortSignal: AbortSignal,
): Promise<{ log: OpenLog; found: number } | undefined> {
  const begunAt = dependencies.now();
  const { doneAt } = log.head[name];
  let current = await changeHead(dependencies, log, { [name]: { begunAt, doneAt } }, abortSignal);
  if (!current) return undefined;
  const found = inOrder(await missing(dependencies, current, name, abortSignal));
  for (let start = 0; start < found.length && current; start += BATCH) {
    const leaves = found.slice(start, start + BATCH).map(({ leaf }) => leaf);
    current = await append(dependencies, current, { leaves }, abortSignal);
  }
  current &&= await changeHead(dependencies, current, { [name]: { begunAt, doneAt: begunAt } }, abortSignal);
  return current && { log: current, found: found.length };
}
