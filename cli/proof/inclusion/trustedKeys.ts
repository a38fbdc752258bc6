import pMap from 'p-map';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import { type Policy, parsePolicy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { hexId, parseVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { entryHashOf, keyPreimage } from '../../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { checkpointPath, cosignedPath } from '../../../functions/tlog/paths.ts';
import { type LoggedKey, receiptKeyName } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { LOCAL_FOLDER, LOCAL_ORIGIN } from '../../store/targets/data.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import type { StoredItem } from './judgeHead.ts';
import { keyHash, readKeyLeaves } from './keyLeaves.ts';
import { quorumTime } from './publication.ts';

/** Reads a file of a log. @throws Failure if it is missing */
export async function requireFile(files: TlogFiles, path: string): Promise<Uint8Array> {
  const bytes = await files.read(path);
  if (bytes) return bytes;
  throw new Failure('negative', `The transparency log has no ${path} in ${files.location}.`, {
    advice: 'A file of the log is missing. docs/runbook says what to do.',
  });
}

const isOfReceipts = (key: string): boolean => parseVerifierKey(key).name.endsWith(receiptKeyName(''));

const WITNESSING = /^[ \t]*(witness|group|quorum)[ \t]/;

/**
 * Returns the trust policy of a log: what somebody needs to verify its receipts, proofs and checkpoints. By C2SP, every
 * key in a `log` line makes a tree valid. So the keys of receipts are in comments, `# receipts <verifier key>`. Source:
 * C2SP tlog-policy, "Policy file syntax and structure".
 * @param log `keys`: the verifier keys of checkpoints and receipts, as text; `witnesses`: the policy that names the
 * witnesses of the log. Without one, no cosignature is required.
 * @throws Error if a key or the witnesses' policy is not valid
 */
export function policyText({
  keys,
  witnesses = 'quorum none\n',
}: {
  readonly keys: readonly string[];
  readonly witnesses?: string | undefined;
}): string {
  const lines = keys.map((key) => `${isOfReceipts(key) ? '# receipts' : 'log'} ${key}`);
  const witnessing = witnesses.split('\n').filter((line) => WITNESSING.test(line));
  const text = `${[...lines, ...witnessing].join('\n')}\n`;
  parsePolicy(text);
  return text;
}

/** The most entries of an append that announces keys: these and the retention. Its checkpoint has no others. */
const ANNOUNCED = 8;

/** Returns the size of the first checkpoint over a key; undefined: there is none. @param index that of the key */
async function firstSize({ modifiedAt }: TlogFiles, index: number): Promise<number | undefined> {
  const sizes = Array.from({ length: ANNOUNCED }, (_, at) => index + at + 1);
  const times = await Promise.all(sizes.map((size) => modifiedAt(checkpointPath(size))));
  return sizes.find((_size, at) => times[at] !== undefined);
}

/** Returns when the first checkpoint of a log was stored, in milliseconds since 1970; 0: nothing says so. */
export async function beginningOf(files: TlogFiles): Promise<number> {
  const size = await firstSize(files, 0);
  return (size !== undefined && (await files.modifiedAt(checkpointPath(size)))) || 0;
}

/** Checks that the leaf of a key is under a checkpoint that a trusted key signed. @throws Error if it is not */
async function requireLogged(files: TlogFiles, { key, index, size }: LoggedKey, signers: readonly string[]) {
  const signed = await requireFile(files, checkpointPath(size));
  const { root } = openCheckpoint(Buffer.from(signed).toString(), parsePolicy(policyText({ keys: signers })));
  const proof = await treeReader((tile) => requireFile(files, tilePath(tile)), size).inclusionProof(index);
  const leafHash = leafHashOf(entryHashOf(keyPreimage(key)));
  if (verifyInclusion(proof, { index, size, leafHash, root })) return;
  throw new Error(`the leaf at index ${index} of ${checkpointPath(size)} is not its own.`);
}

/**
 * Tells the keys of a log from others. The first key is trusted if it signed the first checkpoint, with its own leaf
 * under it; each other key if its leaf is under a checkpoint that a trusted key signed.
 */
async function judgeKeys(origin: string, keys: readonly LoggedKey[], files: TlogFiles) {
  const first = await firstSize(files, 0);
  const signers: string[] = [];
  const trusted: LoggedKey[] = [];
  const problems = new Map<string, string>();
  for (const logged of keys) {
    try {
      if (trusted.some(({ key }) => key === logged.key)) throw new Error('it is there twice.');
      const isSigner = parseVerifierKey(logged.key).name === origin;
      await requireLogged(files, logged, isSigner && logged.size === first ? [...signers, logged.key] : signers);
      if (isSigner) signers.push(logged.key);
      trusted.push(logged);
    } catch (error) {
      problems.set(logged.key, `The key ${logged.key} in the head is not trusted: ${(error as Error).message}`);
    }
  }
  return { trusted, problems };
}

/** Returns the verifier keys that the item receipt-keys names, whatever somebody has written there. */
export function receiptKeysIn(item: StoredItem | undefined): string[] {
  const { current, previous } = item ?? {};
  const keys = [...(Array.isArray(previous) ? previous : []), current].map((one) => one?.verifierKey);
  return keys.filter((key) => typeof key === 'string');
}

export const keyWithoutName = (index: number): string =>
  `The log has a key at index ${index} that neither the Tlog table nor the policy names.`;

export const hiddenKey = (key: string, index: number): string =>
  `The head in the Tlog table does not say that the key ${key} is at index ${index} of the log: somebody changed it.`;

/**
 * Tells the keys of a log from others that somebody wrote into the Tlog table: see `judgeKeys`. If the head does not
 * have all that the log itself or the item receipt-keys has, the keys are searched in the whole log.
 * @param named the keys in the head, the item with the keys of receipts, and the size of the newest checkpoint
 * @returns the trusted keys in their order, a sentence for each key in the head that is not trusted or is missing there
 * (`problems`), and for each key of the item or the log that has no counterpart, with advice (`others`)
 */
export async function trustedKeys(
  origin: string,
  { keys, receiptKeys, size }: { keys: readonly LoggedKey[]; receiptKeys: StoredItem | undefined; size: number },
  files: TlogFiles,
) {
  const judged = await judgeKeys(origin, keys, files);
  const { problems } = judged;
  let { trusted } = judged;
  const others: string[] = [];
  const isNamed = (hash: string) => trusted.some(({ key }) => keyHash(key) === hash);
  const named = size > 0 ? receiptKeysIn(receiptKeys) : [];
  const begins = await readKeyLeaves(files, size, await firstSize(files, 0));
  if (![...begins.map(({ hash }) => hash), ...named.map(keyHash)].every(isNamed)) {
    const leaves = await readKeyLeaves(files, size);
    const candidates = new Map([...keys.map(({ key }) => key), ...named].map((key) => [keyHash(key), key]));
    const found = new Map<string, LoggedKey>();
    for (const { index, hash } of leaves) {
      const key = candidates.get(hash);
      if (key === undefined) others.push(keyWithoutName(index));
      else if (!found.has(key)) found.set(key, { key, index, size: (await firstSize(files, index)) ?? size });
    }
    ({ trusted } = await judgeKeys(origin, [...found.values()], files));
    for (const { key, index } of trusted)
      if (!judged.trusted.some((one) => one.key === key)) problems.set(key, hiddenKey(key, index));
    const rogue = named.filter((key) => !isNamed(keyHash(key)));
    others.push(
      ...rogue.map((key) => `The item receipt-keys in the Tlog table has the key ${key}, and the log does not.`),
    );
  }
  if (keys.length > 0 && trusted.length === 0 && origin === LOCAL_ORIGIN)
    others.push(`If an earlier version made the data, delete the folder ${LOCAL_FOLDER}: npm start makes it again.`);
  return { trusted, problems: [...problems.values()], others };
}

/**
 * Returns the keys of receipts but the first: whoever made one of them could sign receipts from then on.
 * @returns `id`: 8 hex digits; `at`: when the quorum cosigned the first checkpoint over it, else when it was stored,
 * ISO 8601; null: unknown
 */
export async function laterReceiptKeys(
  keys: readonly Pick<LoggedKey, 'key' | 'index'>[],
  files: TlogFiles,
  policy: Policy,
) {
  const cosignedAt = async (size: number) => {
    const bytes = await files.read(cosignedPath(size));
    // The audit names one that cannot be trusted.
    return bytes && orUndefined(() => quorumTime(openCheckpoint(Buffer.from(bytes).toString(), policy), policy));
  };
  const ofReceipts = keys.filter(({ key }) => isOfReceipts(key)).toSorted((one, other) => one.index - other.index);
  return pMap(ofReceipts.slice(1), async ({ key, index }) => {
    const size = (await firstSize(files, index)) ?? 0;
    const witnessed = await cosignedAt(size);
    const at = witnessed ?? (await files.modifiedAt(checkpointPath(size)));
    const id = hexId(parseVerifierKey(key).id);
    const source = witnessed === undefined ? 'the storage' : 'the witnesses';
    return { id, index, at: at === undefined ? null : new Date(at).toISOString(), source };
  });
}

type LaterReceiptKey = Awaited<ReturnType<typeof laterReceiptKeys>>[number];

/** Returns the sentence that names such a key to those who know whether it was rotated. */
export const askAboutKey = ({ id, index, at, source }: LaterReceiptKey): string =>
  `The receipt key ${id} came into the log at index ${index}, ${at === null ? 'nothing says when' : `by ${at}, ${source === 'the storage' ? 'says' : 'say'} ${source}`}. Was it rotated then? If not, see "The receipt key has leaked" in docs/runbook/tlog-keys.md.`;
