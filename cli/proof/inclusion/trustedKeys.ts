import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import { parsePolicy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { parseVerifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { entryHashOf, keyPreimage } from '../../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { checkpointPath } from '../../../functions/tlog/paths.ts';
import { type LoggedKey, receiptKeyName } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { LOCAL_FOLDER, LOCAL_ORIGIN } from '../../store/targets/data.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';

/** Reads a file of a log. @throws Failure if it is missing */
export async function requireFile(files: TlogFiles, path: string): Promise<Uint8Array> {
  const bytes = await files.read(path);
  if (bytes) return bytes;
  throw new Failure('negative', `The transparency log has no ${path} in ${files.location}.`, {
    advice: 'A file of the log is missing. docs/runbook says what to do.',
  });
}

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
  const isOfReceipts = (key: string) => parseVerifierKey(key).name.endsWith(receiptKeyName(''));
  const lines = keys.map((key) => `${isOfReceipts(key) ? '# receipts' : 'log'} ${key}`);
  const witnessing = witnesses.split('\n').filter((line) => WITNESSING.test(line));
  const text = `${[...lines, ...witnessing].join('\n')}\n`;
  parsePolicy(text);
  return text;
}

/** The largest size of the first checkpoint of a log: its first batch has only keys and the retention. */
const FIRST_SIZE_LIMIT = 8;

async function firstSize({ modifiedAt }: TlogFiles): Promise<number | undefined> {
  const sizes = Array.from({ length: FIRST_SIZE_LIMIT }, (_, index) => index + 1);
  const times = await Promise.all(sizes.map((size) => modifiedAt(checkpointPath(size))));
  return sizes.find((_size, index) => times[index] !== undefined);
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
 * Tells the keys of a log from others that somebody wrote into its head. The first key is trusted if it signed the
 * first checkpoint, with its own leaf under it; each other key if its leaf is under a checkpoint that a trusted key
 * signed.
 * @returns the verifier keys as text, and a sentence for each key that is not trusted
 */
export async function trustedKeys(origin: string, keys: readonly LoggedKey[], files: TlogFiles) {
  const first = await firstSize(files);
  const signers: string[] = [];
  const trusted: string[] = [];
  const problems: string[] = [];
  for (const logged of keys) {
    try {
      if (trusted.includes(logged.key)) throw new Error('it is there twice.');
      const isSigner = parseVerifierKey(logged.key).name === origin;
      await requireLogged(files, logged, isSigner && logged.size === first ? [...signers, logged.key] : signers);
      if (isSigner) signers.push(logged.key);
      trusted.push(logged.key);
    } catch (error) {
      problems.push(`The key ${logged.key} in the head is not trusted: ${(error as Error).message}`);
    }
  }
  if (keys.length > 0 && trusted.length === 0 && origin === LOCAL_ORIGIN)
    problems.push(`If an earlier version made the data, delete the folder ${LOCAL_FOLDER}: npm start makes it again.`);
  return { trusted, problems };
}
