import { randomUUID } from 'node:crypto';
import { type Checkpoint, parseCheckpoint } from '../c2sp/checkpoint.ts';
import { EMPTY_ROOT, sameHash } from '../c2sp/hashing.ts';
import { parseNote } from '../c2sp/note.ts';
import { formatVerifierKey } from '../c2sp/verifierKey.ts';
import { CHECKPOINT } from '../tlog/paths.ts';
import type { Head } from '../tlog/tlogTable.ts';
import type { Dependencies } from './dependencies.ts';
import { FatalTlogError } from './fatal.ts';
import { type OpenTlog, publish } from './publish.ts';
import type { StoredFile } from './storage.ts';

/** The attempts to read head and checkpoint without a change by another sequencer in between. */
const TRIES = 5;

/**
 * The milliseconds by which the clocks of two machines may differ. Less than the lag of a deployment, so that no entry
 * is received before the cursor.
 */
const CLOCK_TOLERANCE = 5000;

const NEVER = { begunAt: 0, doneAt: 0 } as const;

/** Returns the head of a log without leaves. @param now milliseconds since 1970 */
const firstHead = (now: number, cursor: number): Head => ({
  id: 'head',
  version: 1,
  claim: randomUUID(),
  writtenAt: now,
  size: 0,
  root: EMPTY_ROOT,
  fromSize: 0,
  fromRoot: EMPTY_ROOT,
  cursor,
  keys: [],
  marks: [{ cursor, size: 0 }],
  hourly: NEVER,
  daily: NEVER,
});

/**
 * Returns the checkpoint in a file. Its signatures are not verified, because its root is compared with the claimed one.
 */
const checkpointIn = ({ bytes }: StoredFile): Checkpoint =>
  parseCheckpoint(parseNote(Buffer.from(bytes).toString()).text);

/**
 * Checks that a key of the log goes on signing. Whoever verifies the log trusts a new key only because its leaf is in a
 * checkpoint that an older key signed.
 * @throws FatalTlogError if none of the configured keys has a leaf in the log
 */
async function requireKnownKey({ origin, signers }: Dependencies, { keys }: Head, abortSignal: AbortSignal) {
  const known = keys.filter((key) => key.startsWith(`${origin}+`));
  if (known.length === 0) return;
  const given = (await signers(abortSignal)).map(({ key }) => formatVerifierKey(key));
  if (given.some((key) => known.includes(key))) return;
  const message = `The configured checkpoint keys ${given.join(', ')} are not in the log. Its newest key is ${known.at(-1)}.`;
  throw new FatalTlogError('key-unknown', message);
}

/**
 * Opens the log: reads its head and its checkpoint, and publishes a head that an earlier run claimed but did not
 * publish.
 * @returns undefined if another sequencer is at work
 * @throws FatalTlogError if head, checkpoint, tiles, keys and clock contradict each other
 */
export async function openTlog(dependencies: Dependencies, abortSignal: AbortSignal): Promise<OpenTlog | undefined> {
  const { storage, heads, now, lag } = dependencies;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    // In this order: a checkpoint is never larger than a head that is read after it.
    const checkpoint = await storage.get(CHECKPOINT, abortSignal);
    const head = await heads.get(abortSignal);
    const published = checkpoint ? checkpointIn(checkpoint) : { size: 0, root: EMPTY_ROOT };
    if (!head) {
      if (checkpoint)
        throw new FatalTlogError('storage-ahead', 'There is a checkpoint, and the Tlog table has no head.');
      await heads.claim(firstHead(now(), now() - lag), abortSignal);
      continue;
    }
    await requireKnownKey(dependencies, head, abortSignal);
    if (now() < head.writtenAt - CLOCK_TOLERANCE) {
      const times = [now(), head.writtenAt].map((time) => new Date(time).toISOString());
      throw new FatalTlogError('clock-went-back', `The clock reads ${times[0]}; the head was written at ${times[1]}.`);
    }
    if (published.size > head.size) {
      const sizes = `The checkpoint has the size ${published.size}, the head ${head.size}.`;
      throw new FatalTlogError('storage-ahead', sizes);
    }
    const claimed = [
      { size: head.size, root: head.root },
      { size: head.fromSize, root: head.fromRoot },
    ].find(({ size }) => size === published.size);
    // Otherwise, other sequencers published and claimed between the two reads.
    if (!claimed) continue;
    if (!sameHash(claimed.root, published.root)) {
      const message = `The checkpoint of size ${published.size} has another root than the head that was claimed.`;
      throw new FatalTlogError('root-differs', message);
    }
    if (published.size === head.size) return { head, checkpoint };
    return publish(dependencies, { head, checkpoint }, undefined, abortSignal);
  }
  throw new FatalTlogError('storage-behind', 'The checkpoint is older than the last two heads, and stays so.');
}
