import { randomUUID } from 'node:crypto';
import { appendEntries, rootOfEdge } from '../c2sp/rightEdge.ts';
import { stagingPath } from '../tlog/paths.ts';
import type { Head } from '../tlog/tlogTable.ts';
import type { Dependencies } from './dependencies.ts';
import { readEdge } from './edge.ts';
import { type OpenTlog, publish } from './publish.ts';
import { createFile } from './storage.ts';

const HOUR = 3_600_000;

/** The number of marks that are kept. The hourly reconciliation needs fewer. */
const MARKS_KEPT = 24;

/** The number of leaves at which a batch is closed: an append takes seconds and a few hundred files. */
export const BATCH = 65_536;

/** The attributes that a write may change besides the leaves. */
export type HeadChange = Partial<Pick<Head, 'cursor' | 'keys' | 'hourly' | 'daily'>>;

/** Returns the head after another one. @param now milliseconds since 1970 */
function nextHead(head: Head, now: number, change: Partial<Head>): Head {
  const cursor = change.cursor ?? head.cursor;
  const entersHour = Math.floor(cursor / HOUR) !== Math.floor(head.cursor / HOUR);
  // Entries that are received from the old cursor on come after the old size.
  const mark = { cursor: head.cursor, size: head.size };
  return {
    ...head,
    ...change,
    version: head.version + 1,
    claim: randomUUID(),
    // The clocks of two machines may differ a little; this time never goes back.
    writtenAt: Math.max(now, head.writtenAt),
    marks: entersHour ? [...head.marks, mark].slice(-MARKS_KEPT) : head.marks,
  };
}

/** Changes the head without adding leaves. @returns undefined if another sequencer was first */
export async function changeHead(
  { heads, now }: Dependencies,
  log: OpenTlog,
  change: HeadChange,
  abortSignal: AbortSignal,
): Promise<OpenTlog | undefined> {
  const head = nextHead(log.head, now(), change);
  return (await heads.claim(head, abortSignal)) ? { ...log, head } : undefined;
}

/**
 * Appends leaves: stages them, claims a head with them, and publishes it. Nothing is signed before the claim. A
 * sequencer that loses the claim leaves only a staged file, which is never read.
 * @param leaves 32 bytes each, in the order of the log
 * @returns undefined if another sequencer was first
 * @throws FatalTlogError if the tiles of the log do not match its root
 */
export async function append(
  dependencies: Dependencies,
  log: OpenTlog,
  { leaves, ...change }: HeadChange & { leaves: readonly Uint8Array[] },
  abortSignal: AbortSignal,
): Promise<OpenTlog | undefined> {
  const { storage, heads, now } = dependencies;
  const { size: fromSize, root: fromRoot } = log.head;
  const { edge, files } = appendEntries(await readEdge(storage, log.head, abortSignal), leaves);
  const grown = { size: edge.size, root: rootOfEdge(edge), fromSize, fromRoot };
  await createFile(storage, { path: stagingPath(grown), bytes: Buffer.concat(leaves) }, abortSignal);
  const head = nextHead(log.head, now(), { ...change, ...grown });
  if (!(await heads.claim(head, abortSignal))) return undefined;
  return publish(dependencies, { ...log, head }, files, abortSignal);
}
