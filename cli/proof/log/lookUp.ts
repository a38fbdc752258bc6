import { PROMISE_MS } from '../../../functions/receipts/receiptFormat.ts';
import { type Commit, WINDOW_MS } from '../../../functions/tlog/commit.ts';
import { findCommit } from '../../../functions/tlog/findCommit.ts';
import type { OpenLog } from './openLog.ts';

/** The place of an entry in a log, and the time when it came, by the organisers' storage, in ms since 1970. */
export type LogEntry = Readonly<Record<'index' | 'cameAt', number>>;

/** The places of the entries of commits. Several entries are often looked up in one commit. */
const places = new WeakMap<Commit, ReadonlyMap<string, number>>();

const keyOf = (hash: Uint8Array): string => Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('latin1');

function indexIn(commit: Commit, key: string): number | undefined {
  let known = places.get(commit);
  if (!known) {
    // If an entry is there twice, the first counts.
    known = new Map(commit.entries.map((entry, at) => [keyOf(entry), commit.from.size + at] as const).reverse());
    places.set(commit, known);
  }
  return known.get(key);
}

/**
 * Looks an entry up by its commits. docs/formats.md has the rule, "Look-up". Prove the index, see `OpenLog.prove`.
 * @param receivedAt milliseconds since 1970, as is `deadline`, by which its receipt promises it
 * @returns undefined if the log does not have it, up to its checkpoint
 */
export async function lookUp(
  log: Pick<OpenLog, 'commit' | 'newest'>,
  entryHash: Uint8Array,
  receivedAt: number,
  deadline: number = receivedAt + PROMISE_MS,
): Promise<LogEntry | undefined> {
  const key = keyOf(entryHash);
  const newest = await log.newest();
  const find = async (first: number | undefined, isLast: (commit: Commit) => boolean) => {
    for (let n = first ?? newest.n + 1; n <= newest.n; n += 1) {
      const commit = await log.commit(n);
      const index = indexIn(commit, key);
      if (index !== undefined) return { index, cameAt: commit.time };
      if (isLast(commit)) return undefined;
    }
    return undefined;
  };
  const first = await findCommit(log.commit, newest, receivedAt);
  const found = await find(first, ({ cursor }) => cursor >= deadline + WINDOW_MS);
  if (found) return found;
  // Two days later, the sequencer looks a second time.
  const readLooked = async (n: number) => ({ cursor: (await log.commit(n)).looked });
  const again = await findCommit(readLooked, { n: newest.n, cursor: newest.looked }, receivedAt);
  return find(again, ({ looked }) => looked > receivedAt);
}
