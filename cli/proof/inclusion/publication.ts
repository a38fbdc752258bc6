import { type Policy, quorumReached } from '../../../functions/c2sp/policy.ts';
import { verifyConsistency } from '../../../functions/c2sp/proofs.ts';
import type { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { type Hint, parseHints } from '../../../functions/tlog/hints.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { checkpointPath, cosignedPath, hintsPath } from '../../../functions/tlog/paths.ts';
import { formatTime } from '../../shell/text/time.ts';
import type { ReadPublic } from './publicFiles.ts';

/** The most bytes of a checkpoint with 100 signatures of 4 KB, and of a day of hints with a line every two seconds. */
export const CHECKPOINT_BYTES = 512 * 1024;
const HINTS_BYTES = 4 * 1024 * 1024;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The days from the time of an entry on whose hints are read: the log can have stood still for as long. */
const DAYS_AHEAD = 31;

/** The checkpoints that are tried, one after the other, until one is there, or the quorum has cosigned one. */
const TRIES = 6;

export type SignedCheckpoint = OpenedCheckpoint & { readonly signed: string };

/**
 * When an entry came into a log, in milliseconds since 1970. A log orders what came; it says when only by what is
 * signed or stored with a time: cosignatures of witnesses, and the files of the organisers' storage.
 */
export interface Publication<Opened extends OpenedCheckpoint = SignedCheckpoint> {
  /** The first checkpoint over the entry that the quorum of witnesses cosigned; without one, the newest. */
  readonly proof: Opened;
  /** The last checkpoint without the entry that the quorum cosigned; undefined: none is known. */
  readonly before: Opened | undefined;
  /** When the first checkpoint over the entry was stored; undefined if the hints do not lead to it, or without a time. */
  readonly stored: number | undefined;
  /** When the newest checkpoint was published; undefined: nothing says when. */
  readonly newest: number | undefined;
}

/**
 * Returns the latest time, in milliseconds since 1970, from which on the quorum of witnesses has cosigned a checkpoint:
 * one witness alone, whose clock may be wrong, makes no checkpoint newer. Undefined if the quorum is missed, or if the
 * policy requires none.
 */
export function quorumTime({ cosigned }: OpenedCheckpoint, policy: Policy): number | undefined {
  if (policy.quorum === 'none') return undefined;
  const since = (time: number) => new Set([...cosigned.keys()].filter((name) => (cosigned.get(name) ?? 0) >= time));
  const times = [...cosigned.values()].sort((one, other) => other - one);
  const reached = times.find((time) => quorumReached(policy, since(time)));
  return reached === undefined ? undefined : reached * 1000;
}

/** Returns the first distinct sizes of hints that are in order. A server of others can repeat lines. */
function firstSizes(hints: readonly Hint[]): number[] {
  const sizes = new Set<number>();
  for (const { size } of hints) if (sizes.add(size).size === TRIES) break;
  return [...sizes];
}

/** Creates a reader of the hints of a day, up to a size of the log, smallest first. @param read called once a file */
export function hintReader(read: ReadPublic, { size }: { readonly size: number }) {
  const days = new Map<string, Promise<Hint[]>>();
  /** @param time in the day, milliseconds since 1970 */
  return (time: number): Promise<Hint[]> => {
    const path = hintsPath(new Date(time).toISOString().slice(0, 10));
    const parse = async () => parseHints((await read(path, HINTS_BYTES))?.bytes.toString() ?? '');
    // Sorted once: thousands of entries may be of this day.
    const inOrder = (hints: Hint[]) =>
      hints.filter((hint) => hint.size <= size).sort((one, two) => one.size - two.size);
    const day = days.get(path) ?? parse().then(inOrder);
    days.set(path, day);
    return day;
  };
}

/** @throws Error that names the file if the policy does not trust it */
function openTrusted(path: string, signed: string, policy: Policy): OpenedCheckpoint {
  try {
    return openCheckpoint(signed, policy);
  } catch (cause) {
    throw new Error(`${path} cannot be trusted: ${(cause as Error).message}`, { cause });
  }
}

interface PublicationFiles {
  readonly read: ReadPublic;
  readonly hintsOf: ReturnType<typeof hintReader>;
  readonly tree: () => ReturnType<typeof treeReader>;
}

/**
 * Creates a search for the times between which entries came into a log.
 * @param log its newest checkpoint, and how to read its files; `tree` returns a reader of the tree of that checkpoint
 * @returns a function of the index of an entry in the newest checkpoint, and the time of its receipt. It throws an
 * Error if a checkpoint to which the hints lead cannot be trusted, or if the log does not continue it
 */
export function publicationFinder(
  newest: SignedCheckpoint & { readonly storedAt: number | undefined },
  policy: Policy,
  { read, hintsOf, tree }: PublicationFiles,
) {
  const newestAt = quorumTime(newest, policy) ?? newest.storedAt;
  const openAt = async (path: string, size: number) => {
    const file = await read(path, CHECKPOINT_BYTES);
    if (!file) return undefined;
    const signed = file.bytes.toString();
    const opened = openTrusted(path, signed, policy);
    if (opened.size !== size || opened.origin !== newest.origin) return undefined;
    if (verifyConsistency(await tree().consistencyProof(opened.size), opened, newest))
      return { ...opened, signed, storedAt: file.storedAt };
    throw new Error(`The files of the log do not lead to ${path}: one was changed, or the log was forked`);
  };
  const opening = new Map<string, ReturnType<typeof openAt>>();
  const open = (path: string, size: number) => {
    const opened = opening.get(path) ?? openAt(path, size);
    opening.set(path, opened);
    return opened;
  };
  const firstCosigned = async (sizes: readonly number[]): Promise<SignedCheckpoint | undefined> => {
    if (policy.quorum === 'none') return undefined;
    for (const size of sizes.slice(0, TRIES)) {
      const opened = await open(cosignedPath(size), size);
      if (opened?.quorum) return opened;
    }
    return undefined;
  };

  return async (index: number, receivedAt: number): Promise<Publication> => {
    let hints: Hint[] = [];
    let first: (Hint & { readonly storedAt: number | undefined }) | undefined;
    // No entry comes into the log before the cursor has passed its time.
    for (let day = 0; !first && day <= DAYS_AHEAD && receivedAt + (day - 1) * DAY_MS <= Date.now(); day += 1) {
      const ofDay = await hintsOf(receivedAt + day * DAY_MS);
      hints = hints.concat(ofDay);
      const over = ofDay.filter(({ from, size }) => from <= index && index < size);
      // Somebody may have added lines over more entries, or of sizes that were never published.
      for (const size of firstSizes(over)) {
        const checkpoint: Awaited<ReturnType<typeof open>> = await open(checkpointPath(size), size);
        if (!checkpoint) continue;
        first = { ...(over.find((hint) => hint.size === size) as Hint), storedAt: checkpoint.storedAt };
        break;
      }
    }
    const after = firstSizes(hints.filter(({ size }) => size > index));
    const earlier = firstSizes(hints.filter(({ size }) => size <= index).reverse());
    const before = first ? [...new Set([first.from, ...earlier])].sort((one, other) => other - one) : [];
    return {
      proof: (await firstCosigned(after)) ?? newest,
      before: await firstCosigned(before.filter((size) => size > 0)),
      stored: first?.storedAt,
      newest: newestAt,
    };
  };
}

/** What a publication says, see `judgePublication`. Times are in milliseconds since 1970. */
export type Judgement = ReturnType<typeof judgePublication>;

/**
 * Judges when an entry came into a log.
 * @param deadline the time by which it had to be there, in milliseconds since 1970
 * @returns `after`, `by`: the bounds that the quorum of witnesses gives; `stored`: what the organisers' storage says;
 * `late`: by how many milliseconds the deadline was missed, 0 if it was not, undefined if nothing says so; `says`: all
 * of it as a part of a sentence, such as `by 2025-11-14T09:32:00Z, says 1 witness`
 */
export function judgePublication(
  { proof, before, stored, newest }: Publication<OpenedCheckpoint>,
  policy: Policy,
  deadline: number,
) {
  const by = quorumTime(proof, policy);
  const after = before && quorumTime(before, policy);
  const came = Math.min(by ?? Number.POSITIVE_INFINITY, stored ?? Number.POSITIVE_INFINITY);
  const lateness = (): number | undefined => {
    // What the storage says counts for nothing against witnesses that had not seen the entry yet.
    if (after !== undefined && after > deadline) {
      // Witnesses that say both have said nothing: the clock of one was wrong.
      if (by !== undefined && by <= deadline) return undefined;
      return (stored === undefined ? after : Math.max(after, came)) - deadline;
    }
    if (Math.min(came, newest ?? Number.POSITIVE_INFINITY) <= deadline) return 0;
    // Without the first checkpoint over the entry, the other times are those of later ones.
    return stored === undefined ? undefined : came - deadline;
  };
  const bounds = (time: number) =>
    after === undefined ? `by ${formatTime(time)}` : `between ${formatTime(after)} and ${formatTime(time)}`;
  const { size } = proof.cosigned;
  const says = [
    ...(by === undefined ? [] : [`${bounds(by)}, ${size === 1 ? 'says 1 witness' : `say ${size} witnesses`}`]),
    // Of two such times, the one that says less is left out.
    ...(stored !== undefined && stored + MINUTE_MS < (by ?? Number.POSITIVE_INFINITY)
      ? [`by ${formatTime(stored)}, says the organisers' storage`]
      : []),
  ];
  return { after, by, stored, late: lateness(), says: says.join('; ') || 'by now; nothing says since when' };
}

/** Returns the times of a judgement as ISO 8601, for JSON. */
export const timesOf = ({ after, by, stored }: Judgement): Readonly<Record<string, string>> => {
  const known = Object.entries({ inLogAfter: after, inLogBy: by, storedAt: stored });
  return Object.fromEntries(
    known.flatMap(([name, ms]) => (ms === undefined ? [] : [[name, new Date(ms).toISOString()]])),
  );
};
