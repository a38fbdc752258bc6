import type { Checkpoint } from '../../../functions/c2sp/checkpoint.ts';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { type ReadTile, readBundle, tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { isDependencyFailure } from '../../../functions/dependencyFailure.ts';
import { PROMISE_MS } from '../../../functions/receipts/receiptFormat.ts';
import { readReceiptKeys } from '../../../functions/receipts/signingKey.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT } from '../../../functions/tlog/paths.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { readTimeout } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { bundlesAround, entryFinder } from './entryFinder.ts';
import { readHead, type StoredItem } from './judgeHead.ts';
import { hintReader, type Judgement, judgePublication, publicationFinder } from './publication.ts';
import type { ReadPublic } from './publicFiles.ts';
import { beginningOf, policyText, requireFile, trustedKeys } from './trustedKeys.ts';

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

/**
 * Reads the keys of a log that can be trusted, of those that the Tlog table names: see `trustedKeys`.
 * @param signed its newest checkpoint; undefined: none
 * @returns also `policy`, `policyText`: these keys and the witnesses
 */
export async function readOwnPolicy(
  { db, tables }: Target,
  { origin, files, witnesses }: Awaited<ReturnType<Target['openTlog']>>,
  { keys }: Pick<Head, 'keys'>,
  signed: string | undefined,
) {
  const receiptKeys = (await readReceiptKeys(db, tables.tlog, readTimeout())) as StoredItem | undefined;
  const size = Number(signed?.split('\n')[1] ?? 0);
  const found = await trustedKeys(origin, { keys, receiptKeys, size }, files);
  const text = policyText({ keys: found.trusted.map(({ key }) => key), witnesses });
  return { ...found, policy: parsePolicy(text), policyText: text };
}

export type PublishedLog = NonNullable<Awaited<ReturnType<typeof readPublishedLog>>>;

/**
 * Opens the transparency log of a target, and checks the signature of its newest checkpoint.
 * @returns `head`: that of the Tlog table, read before the checkpoint; `now`: the service's time after both;
 * `signed`: the checkpoint with its signatures, verbatim; `policy`, `policyText`: the trusted keys in the log and the
 * witnesses; `keyProblems`: a sentence for each key that is not trusted, or that somebody hides; `find`: see
 * `finderByMarks`; `publicationOf`: see `publicationFinder`. Undefined if nothing was published yet
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
    const { problems, others, ...own } = await readOwnPolicy(target, log, head, signed);
    const { policy } = own;
    const checkpoint = openCheckpoint(signed, policy);
    if (checkpoint.origin !== log.origin) throw new Error(`It is of another log, ${checkpoint.origin}.`);
    const readTile: ReadTile = (tile) => requireFile(log.files, tilePath(tile));
    const find = finderByMarks(head, checkpoint, readTile);
    const read: ReadPublic = async (path) => {
      const file = await log.files.read(path);
      return file && { bytes: Buffer.from(file), storedAt: await log.files.modifiedAt(path) };
    };
    const tree = treeReader(readTile, checkpoint.size);
    const newest = { ...checkpoint, signed, storedAt: await log.files.modifiedAt(CHECKPOINT) };
    const files = { read, hintsOf: hintReader(read, checkpoint), tree: () => tree };
    const findPublication = publicationFinder(newest, policy, files);
    const publicationOf: typeof findPublication = (index, receivedAt) =>
      findPublication(index, receivedAt).catch((cause: Error) => {
        if (isDependencyFailure(cause)) throw cause;
        const message = `The log in ${log.files.location} does not say when the entry came: ${cause.message}`;
        throw new Failure('negative', message, { cause, advice: 'ailog tlog audit says more.' });
      });
    const keyProblems = [...problems, ...others];
    return { ...log, ...own, head, now, signed, checkpoint, readTile, find, publicationOf, keyProblems };
  } catch (cause) {
    const message = `The checkpoint in ${log.files.location} cannot be trusted: ${(cause as Error).message}`;
    throw new Failure('negative', message, { cause, advice: 'ailog tlog status says more.' });
  }
}

/**
 * Judges when an entry came into the log, by the ten minutes that a receipt promises. One that is older than the log
 * itself has no receipt, and is not late. @param receivedAt milliseconds since 1970
 */
export async function judgeEntry(
  { publicationOf, policy, files }: PublishedLog,
  index: number,
  { receivedAt }: { readonly receivedAt: number },
): Promise<Judgement> {
  const judged = judgePublication(await publicationOf(index, receivedAt), policy, receivedAt + PROMISE_MS);
  return judged.late && receivedAt < (await beginningOf(files)) ? { ...judged, late: undefined } : judged;
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

/**
 * Creates the proofs of entries of a log.
 * @returns a function that returns the inclusion proof of an entry hash, verified against the checkpoint.
 * It throws a Failure if the files of the log do not prove it
 */
export function inclusionProver(
  { readTile, files }: Pick<PublishedLog, 'readTile' | 'files'>,
  checkpoint: Pick<Checkpoint, 'size' | 'root'>,
) {
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
