import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { type ReadTile, readBundle, tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { readReceiptKeys } from '../../../functions/receipts/signingKey.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT, cosignedPath } from '../../../functions/tlog/paths.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import { bundlesAround, entryFinder } from './entryFinder.ts';
import { readHead, type StoredItem } from './judgeHead.ts';
import { policyText, requireFile, trustedKeys } from './trustedKeys.ts';

/**
 * Creates a lookup of entries by the marks of a head: it reads the log from the mark before the time of receipt on,
 * because no entry comes before it.
 */
export function finderByMarks(head: Pick<Head, 'marks'>, { size }: Pick<Checkpoint, 'size'>, readTile: ReadTile) {
  const marks = head.marks.filter((mark) => mark.size <= size);
  const finder = entryFinder({ size }, async (bundle) => readBundle(await readTile(bundle), bundle.width));

  /** Returns the index of an entry hash; undefined if it is not there. @param receivedAt milliseconds since 1970 */
  return async (entryHash: Uint8Array, receivedAt: number): Promise<number | undefined> => {
    const { from, inTurn, after } = bundlesAround(marks, { receivedAt, by: receivedAt }, size);
    return (await finder.find(entryHash, inTurn, from)) ?? finder.find(entryHash, after, from);
  };
}

/** Reads what the Tlog table says of the keys of a log. @param signed its newest checkpoint; undefined: none */
export async function namedKeys({ db, tables }: Target, { keys }: Pick<Head, 'keys'>, signed: string | undefined) {
  const receiptKeys = (await readReceiptKeys(db, tables.tlog, readTimeout())) as StoredItem | undefined;
  return { keys, receiptKeys, size: Number(signed?.split('\n')[1] ?? 0) };
}

export type PublishedLog = NonNullable<Awaited<ReturnType<typeof readPublishedLog>>>;

/**
 * Opens the transparency log of a target, and checks the signature of its newest checkpoint.
 * @returns `head`: that of the Tlog table, read before the checkpoint; `now`: the service's time after both;
 * `signed`: the checkpoint with its signatures, verbatim; `policy`, `policyText`: the trusted keys in the log and the
 * witnesses; `keyProblems`: a sentence for each key that is not trusted, or that somebody hides; `find`: see `finderByMarks`.
 * Undefined if nothing was published yet
 * @throws Failure if the checkpoint was not signed with a key of the log
 */
export async function readPublishedLog(target: Target) {
  const log = await target.openTlog();
  const head = await readHead(target);
  const bytes = await log.files.read(CHECKPOINT);
  if (!head || (!bytes && head.size === 0)) return undefined;
  if (!bytes) {
    throw new Failure('negative', `The checkpoint of the transparency log is missing in ${log.files.location}.`, {
      advice: 'ailog tlog status says more.',
    });
  }
  const now = await target.now();
  const signed = Buffer.from(bytes).toString();
  try {
    const { trusted, ...untrusted } = await trustedKeys(log.origin, await namedKeys(target, head, signed), log.files);
    const text = policyText({ keys: trusted.map(({ key }) => key), witnesses: log.witnesses });
    const policy = parsePolicy(text);
    const checkpoint = openCheckpoint(signed, policy);
    if (checkpoint.origin !== log.origin) throw new Error(`It is of another log, ${checkpoint.origin}.`);
    const readTile: ReadTile = (tile) => requireFile(log.files, tilePath(tile));
    const find = finderByMarks(head, checkpoint, readTile);
    const keyProblems = [...untrusted.problems, ...untrusted.others];
    return { ...log, head, now, signed, checkpoint, trusted, policyText: text, keyProblems, policy, readTile, find };
  } catch (cause) {
    const message = `The checkpoint in ${log.files.location} cannot be trusted: ${(cause as Error).message}`;
    throw new Failure('negative', message, { cause, advice: 'ailog tlog status says more.' });
  }
}

/** As `readPublishedLog`. @throws Failure if nothing was published yet */
export async function requirePublishedLog(target: Target): Promise<PublishedLog> {
  const log = await readPublishedLog(target);
  if (log) return log;
  throw noLogYet(target.name);
}

export const noLogYet = (name: string, outcome: 'unchecked' | 'negative' = 'unchecked'): Failure =>
  new Failure(outcome, `There is no transparency log of ${name} yet.`, {
    advice: 'The first run of the sequencer makes it: npm start runs it every few seconds, a deployment every minute.',
  });

/** Returns the smallest size above a leaf's index that the quorum of witnesses has cosigned; undefined: none. */
async function firstCosigned({ list }: TlogFiles, index: number): Promise<number | undefined> {
  const wanted = String(index + 1);
  // S3 sorts names as text, so only sizes with as many digits are in their order. Few share most of their digits.
  for (let kept = Math.max(0, wanted.length - 3); ; kept -= 1) {
    let first: number | undefined;
    for await (const { path } of list(`cosigned/${wanted.slice(0, kept)}`)) {
      const size = Number(path.slice('cosigned/'.length));
      if (size > index && size < (first ?? Number.POSITIVE_INFINITY)) first = size;
    }
    // A longer number may share the digits; a shorter prefix has all of this length.
    if (kept <= 0 || (first !== undefined && String(first).length === wanted.length)) return first;
  }
}

/**
 * Returns the log at the first checkpoint over a leaf that the quorum of witnesses has cosigned: it bears the times of
 * these cosignatures, which bound when the entry was logged. Without one, the newest checkpoint.
 */
export async function cosignedLog(log: PublishedLog, index: number): Promise<PublishedLog> {
  if (log.policy.quorum === 'none') return log;
  const size = await firstCosigned(log.files, index);
  const bytes = size === undefined ? undefined : await log.files.read(cosignedPath(size));
  if (!bytes) return log;
  const signed = Buffer.from(bytes).toString();
  let checkpoint: OpenedCheckpoint;
  try {
    checkpoint = openCheckpoint(signed, log.policy);
  } catch (cause) {
    const message = `${cosignedPath(size as number)} in ${log.files.location} cannot be trusted: ${(cause as Error).message}`;
    throw new Failure('negative', message, { cause, advice: 'ailog tlog audit says more.' });
  }
  return checkpoint.quorum && checkpoint.size === size ? { ...log, signed, checkpoint } : log;
}

/**
 * Creates the proofs of entries of a log.
 * @returns a function that returns the inclusion proof of an entry hash, verified against the checkpoint.
 * It throws a Failure if the files of the log do not prove it
 */
export function inclusionProver({ checkpoint, readTile, files }: PublishedLog) {
  const { size, root } = checkpoint;
  const tree = treeReader(readTile, size);
  return async (entryHash: Uint8Array, index: number): Promise<Buffer[]> => {
    const proof = await tree.inclusionProof(index);
    if (verifyInclusion(proof, { index, size, leafHash: leafHashOf(entryHash), root })) return proof;
    throw new Failure('negative', `The tiles in ${files.location} do not match the checkpoint of size ${size}.`, {
      advice: 'Somebody changed a file of the log. ailog tlog audit names it.',
    });
  };
}
