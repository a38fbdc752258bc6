import { hash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sameHash } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { verifyConsistency } from '../../../functions/c2sp/proofs.ts';
import { PROMISE_MS } from '../../../functions/receipts/receiptFormat.ts';
import type { Hint } from '../../../functions/tlog/hints.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { createFile, namingFile } from '../../shell/files/write.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import { quorumTime } from './publication.ts';
import type { PublicFiles } from './publicFiles.ts';
import { openFiles, type PublicLog } from './publicLog.ts';

/** The age of a checkpoint from which on the log stands still. It is published again every ten minutes. */
const STALE_MS = 20 * 60_000;

/** The file in the state with the names of the checkpoints that a look has compared with the log, a line each. */
const COMPARED = 'compared.txt';

/** The file in the state with what came late. What did stays so: each look tells it until somebody removes its line. */
const LATE = 'late.txt';

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Appends lines to a file of the state. When this returns, they are on the disk. */
function appendLines(path: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  const text = lines.map((line) => `${line}\n`).join('');
  namingFile(path, () => appendFileSync(path, text, { flush: true, mode: 0o600 }));
}

/** The name of a checkpoint in the state that a look has kept: its size and a digest. */
const NAME = /^\d+-[0-9a-f]{16}$/;

/** The time after which a smaller checkpoint, or hints without it, are asked for again: a cache may be a second old. */
const CACHE_MS = 3000;

type Kept = OpenedCheckpoint & { readonly path: string };

/** Opens a checkpoint that somebody kept. @throws Failure if the policy does not trust what `read` returns */
export function openKept(path: string, policy: Policy, advice: string, read = () => readFileSync(path, 'utf8')): Kept {
  try {
    return { ...openCheckpoint(read(), policy), path };
  } catch (cause) {
    const message = `${path} is not a checkpoint that the policy trusts: ${(cause as Error).message}`;
    throw new Failure('usage', message, { cause, advice });
  }
}

/**
 * Reads the checkpoints of a state that the log must continue: the newest of those that a look has compared with the
 * log, which stands for all of these, and those that none has compared, such as those that somebody else has seen.
 * @throws Failure if one is not a checkpoint that the policy trusts
 */
function readState(folder: string, policy: Policy) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = readdirSync(folder);
  const compared = new Set(names.includes(COMPARED) ? readFileSync(join(folder, COMPARED), 'utf8').split('\n') : []);
  const open = (name: string) =>
    openKept(join(folder, name), policy, 'Give the policy of this log, or another --state.');
  const [last] = names
    .filter((name) => compared.has(name) && NAME.test(name))
    .sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
  const newest = last === undefined ? undefined : open(last);
  const others = names.filter((name) => !compared.has(name) && !name.includes('.')).map(open);
  return { compared, newest, kept: [...(newest ? [newest] : []), ...others] };
}

/**
 * Returns the first kept checkpoint that a log does not continue, and why.
 * @throws Error if the tiles of the log do not belong to its checkpoint
 */
export async function contradictionOf({ checkpoint, tree }: PublicLog, kept: readonly Kept[]) {
  const { size, root, origin } = checkpoint;
  for (const one of kept) {
    if (origin !== one.origin) return { one, why: `it is the log ${origin}, and was ${one.origin}` };
    if (size < one.size) return { one, why: `rolled back: it has ${size} entries, and had ${one.size}` };
    if (size === one.size && !sameHash(root, one.root))
      return { one, why: `forked: it has another root at size ${size}` };
  }
  const reader = tree();
  if (size > 0 && !sameHash(await reader.rootOf(size), root)) {
    throw new Error(`The tiles of the log do not belong to its checkpoint of size ${size}.`);
  }
  for (const one of kept) {
    if (!verifyConsistency(await reader.consistencyProof(one.size), one, checkpoint))
      return { one, why: `forked: at size ${size}, it does not begin with the ${one.size} entries that it had` };
  }
  return undefined;
}

/**
 * Tells by its hints which entries came into a log after the time that receipts promise, between two sizes of it.
 * @returns a line for each checkpoint with such entries, and the first entry of which the hints do not say when it came
 */
async function lateSince({ hintsSince, hasOnlyAnnounced }: PublicLog, since: number, size: number) {
  const hints = await hintsSince(since);
  // A run that died after its hint, or an idle log, publishes a size again: the first line says when it was stored.
  const first = new Map<number, Hint>();
  for (const hint of hints.toSorted((one, other) => other.published - one.published)) first.set(hint.size, hint);
  const late: string[] = [];
  let known = since;
  for (const { from, size: until, cursor, published } of [...first.values()].sort((one, two) => one.size - two.size)) {
    if (from <= known) known = Math.max(known, until);
    // What came with this checkpoint was received before the cursor.
    const by = published - cursor - PROMISE_MS;
    if (by <= 0) continue;
    const isFree = await hasOnlyAnnounced(from, until).catch((error: Error) => {
      if (error instanceof Failure) throw error;
      return false;
    });
    if (!isFree) late.push(`entries ${from} to ${until - 1} came at least ${formatDuration(by)} late`);
  }
  return { late, unknown: known < size ? known : undefined };
}

/** As `openFiles`. If a kept checkpoint is larger than the newest, it asks a second time, a little later. */
export async function openGrownLog(files: PublicFiles, policy: Policy, kept: readonly Kept[], signal: AbortSignal) {
  const log = await openFiles(files, policy);
  if (kept.every(({ size }) => size <= log.checkpoint.size)) return log;
  await sleep(CACHE_MS, undefined, { signal }).catch(() => undefined);
  return openFiles(files, policy);
}

/** Keeps a checkpoint in a file. @returns its path: the prefix, its size and a digest */
export function keepCheckpoint(prefix: string, { signed, checkpoint }: PublicLog): string {
  const path = `${prefix}${checkpoint.size}-${hash('sha256', signed).slice(0, 16)}`;
  createFile(path, signed);
  return path;
}

export type Look = Awaited<ReturnType<typeof lookAtLog>>;

/**
 * Looks at a public log once: keeps its newest checkpoint, and checks that it begins with what all kept ones had, that
 * the quorum of witnesses has cosigned it, and that it is not old.
 * @throws Failure if the log cannot be read, or if its checkpoint or a kept one cannot be trusted
 */
export async function lookAtLog(
  files: PublicFiles,
  { policy, state, signal }: { policy: Policy; state: string; signal: AbortSignal },
) {
  const { compared, newest, kept } = readState(state, policy);
  const log = await openGrownLog(files, policy, kept, signal);
  const { size, cosigned, quorum } = log.checkpoint;
  const path = keepCheckpoint(join(state, '/'), log);
  const published = policy.quorum === 'none' ? log.storedAt : quorumTime(log.checkpoint, policy);
  const problems: string[] = [];
  const look = {
    url: log.url,
    size,
    /** The size at the look before; undefined: this is the first. */
    before: newest?.size,
    /** The time by `quorumTime` or, without witnesses, that of the file, in ISO 8601; null: there is none. */
    publishedAt: published === undefined ? null : new Date(published).toISOString(),
    /** What may be right at the next look. */
    problems,
    /** Which entries came late, as the hints say at this look and said at those before it. */
    late: [] as readonly string[],
    /** Why this log is not the one of a kept checkpoint; undefined: it is. */
    contradiction: undefined as string | undefined,
    /** The files of the two checkpoints that contradict each other. */
    evidence: [] as string[],
  };
  try {
    const found = await contradictionOf(log, kept);
    if (found) return { ...look, contradiction: found.why, evidence: [found.one.path, path] };
  } catch (error) {
    if (error instanceof Failure) throw error;
    return { ...look, problems: [(error as Error).message.replace(/\.$/, '')] };
  }
  const names = [...kept.map((one) => basename(one.path)), basename(path)];
  const fresh = new Set(names.filter((name) => !compared.has(name)));
  appendLines(join(state, COMPARED), [...fresh]);
  const since = newest?.size ?? size;
  let told = await lateSince(log, since, size);
  if (told.unknown !== undefined) {
    await sleep(CACHE_MS, undefined, { signal }).catch(() => undefined);
    told = await lateSince(await openFiles(files, policy), since, size);
  }
  const { late, unknown } = told;
  appendLines(join(state, LATE), late);
  if (unknown !== undefined) problems.push(`its hints do not say when entry ${unknown} came: not checked`);
  if (!quorum)
    problems.push(`${cosigned.size} of ${policy.witnesses.size} witnesses cosigned it: the quorum is missed`);
  if (published === undefined) problems.push('nothing says when it was published');
  else if (Date.now() - published > STALE_MS) problems.push(`it stands still since ${formatTime(published)}`);
  else if (published - Date.now() > STALE_MS) problems.push(`it was published in the future, ${formatTime(published)}`);
  return { ...look, late: existsSync(join(state, LATE)) ? linesOf(readFileSync(join(state, LATE), 'utf8')) : [] };
}
