import { randomUUID } from 'node:crypto';
import type { Head } from '../tlog/logTable.ts';
import { appendEntries, rootOfEdge } from '../tlog/rightEdge.ts';
import type { Dependencies } from './dependencies.ts';
import { readEdge } from './edge.ts';
import { type OpenLog, publish } from './publish.ts';
import { createFile, stagingPath } from './storage.ts';

const HOUR = 3_600_000;

/** The hours whose marks are kept. The hourly look goes back less far. */
const MARKS_KEPT = 24;

/** What a write may change besides the leaves. */
export type HeadChange = Partial<Pick<Head, 'cursor' | 'keys' | 'hours' | 'everything'>>;

/** The head that follows another. @param now milliseconds since 1970 */
function nextHead(head: Head, now: number, change: Partial<Head>): Head {
  const cursor = change.cursor ?? head.cursor;
  const entersHour = Math.floor(cursor / HOUR) !== Math.floor(head.cursor / HOUR);
  // Entries that were received from the old cursor on are behind the old size.
  const mark = { cursor: head.cursor, size: head.size };
  return {
    ...head,
    ...change,
    version: head.version + 1,
    claim: randomUUID(),
    // The clocks of two machines may differ a little; this one only goes forward.
    writtenAt: Math.max(now, head.writtenAt),
    marks: entersHour ? [...head.marks, mark].slice(-MARKS_KEPT) : head.marks,
  };
}

/** Changes the head and adds no leaf. @returns undefined if another sequencer was first */
export async function changeHead(
  { heads, now }: Dependencies,
  log: OpenLog,
  change: HeadChange,
  abortSignal: AbortSignal,
): Promise<OpenLog | undefined> {
  const head = nextHead(log.head, now(), change);
  return (await heads.claim(head, abortSignal)) ? { ...log, head } : undefined;
}

/**
 * Appends leaves: stages them, claims the head that has them, and publishes it. Nothing is signed before the claim: of two
 * sequencers, the one that loses it has left nothing but a staged file that nobody reads.
 * @param leaves 32 bytes each, in the order in which they shall stand in the log
 * @returns undefined if another sequencer was first
 * @throws FatalLogError if the tiles of the log are not what its root was made from
 */
export async function append(
  dependencies: Dependencies,
  log: OpenLog,
  { leaves, ...change }: HeadChange & { leaves: readonly Uint8Array[] },
  abortSignal: AbortSignal,
): Promise<OpenLog | undefined> {
  const { storage, heads, now } = dependencies;
  const { size: fromSize, root: fromRoot } = log.head;
  const { edge, files } = appendEntries(await readEdge(storage, log.head, abortSignal), leaves);
  const grown = { size: edge.size, root: rootOfEdge(edge), fromSize, fromRoot };
  await createFile(storage, { path: stagingPath(grown), bytes: Buffer.concat(leaves) }, abortSignal);
  const head = nextHead(log.head, now(), { ...change, ...grown });
  if (!(await heads.claim(head, abortSignal))) return undefined;
  return publish(dependencies, { ...log, head }, files, abortSignal);
}
