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

/** The looks, how often each is done, and what becomes of the ones that were begun and not ended: longer than Lambda lets one run. */
const INTERVALS = { hours: HOUR, everything: 24 * HOUR } as const;
const AGAIN_AFTER = 16 * MINUTE;

/** A look for entries that the log lacks. */
export type LookName = keyof typeof INTERVALS;

/** How far the hourly look goes back. */
const HOURS_LOOKED_AT = 3 * HOUR;

/** Bundles that are read at a time. */
const READS = 32;

/** The most leaves that one append adds: it stays within seconds and a few hundred files. */
export const BATCH = 65_536;

/** Returns the looks that are due. @param now milliseconds since 1970 */
export const dueLooks = ({ head }: OpenLog, now: number): LookName[] =>
  (Object.keys(INTERVALS) as LookName[]).filter((name) => {
    const { begunAt, doneAt }: Look = head[name];
    return now - doneAt >= INTERVALS[name] && now - begunAt >= Math.min(AGAIN_AFTER, INTERVALS[name]);
  });

/** The leaves of the log from an index on. */
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

/** Sorts arrivals by time, and of the same millisecond by leaf. */
const inOrder = (arrivals: readonly Arrival[]): Arrival[] =>
  arrivals.toSorted((one, other) => one.receivedAt - other.receivedAt || Buffer.compare(one.leaf, other.leaf));

/** Returns where the hourly look begins: entries received from that cursor on are behind that size of the log. */
export const hoursFrom = ({ cursor, marks }: Pick<Head, 'cursor' | 'marks'>): Head['marks'][number] | undefined =>
  marks.findLast((mark) => mark.cursor <= cursor - HOURS_LOOKED_AT) ?? marks[0];

/** The entries received before the cursor that the log lacks: of the last hours by the index, of all time by the table itself. */
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
 * Looks for entries that the log lacks, and appends them in the order in which they were received. What is found is compared
 * with the log of the very head that is replaced, so that no entry is added twice.
 * @returns the log, and how many were found; undefined if another sequencer was first: the look is done again later
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
