import { decodeBase64, decodeHash } from '../../functions/c2sp/base64.ts';
import { leafHashOf } from '../../functions/c2sp/hashing.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../functions/c2sp/proofs.ts';
import { parseSize } from '../../functions/c2sp/treeSize.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';

/** The first line of the file. */
const HEADER = 'c2sp.org/tlog-proof@v1';

/** More than any tree of 2^53 leaves needs. */
const PROOF_LIMIT = 63;

/** A proof that an entry is in a log, to be verified without the log. */
export interface ProofFile {
  /** The index of the entry in the log, from 0. */
  readonly index: number;
  /** The inclusion proof: hashes of 32 bytes, the leaf's sibling first. */
  readonly proof: readonly Uint8Array[];
  /** The signed checkpoint, verbatim. */
  readonly checkpoint: string;
  /** Nothing that the proof proves: context for whoever reads it. */
  readonly extra?: Uint8Array;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** Returns the text of a `.tlog-proof` file. Source: C2SP tlog-proof, "Format". */
export function formatProofFile({ index, proof, checkpoint, extra }: ProofFile): string {
  const lines = [
    HEADER,
    ...(extra ? [`extra ${base64(extra)}`] : []),
    `index ${index}`,
    ...proof.map((hash) => base64(hash)),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/** Reads a `.tlog-proof` file. @throws Error that names the line that is wrong */
export function parseProofFile(text: string): ProofFile {
  const end = text.indexOf('\n\n');
  if (end < 0) throw new Error('A proof file has an empty line between the proof and the checkpoint.');
  const [header, ...rest] = text.slice(0, end).split('\n');
  if (header !== HEADER) throw new Error(`The first line of a proof file is ${HEADER}.`);
  const extra = rest[0]?.startsWith('extra ')
    ? decodeBase64(rest.shift()?.slice(6) as string, 'The extra data')
    : undefined;
  const [, index] = /^index (.*)$/.exec(rest.shift() ?? '') ?? [];
  if (index === undefined) throw new Error('A proof file has a line "index", a space and the index of the entry.');
  if (rest.length > PROOF_LIMIT) throw new Error(`A proof has at most ${PROOF_LIMIT} hashes, not ${rest.length}.`);
  return {
    index: parseSize(index, 'index of the entry'),
    proof: rest.map((line, position) => decodeHash(line, `Hash ${position + 1} of the proof`)),
    checkpoint: text.slice(end + 2),
    ...(extra && { extra }),
  };
}

/**
 * Verifies that an entry is in a log that the policy trusts. Source: C2SP tlog-proof, "Verifying a tlog proof".
 * @param entry the 32 bytes in the log, which the verifier computes from the entry's preimage
 * @returns the checkpoint that proves it. A missed quorum is not an error: look at `quorum`.
 * @throws Error that says what does not hold: the checkpoint's signature, or the proof
 */
export function verifyProofFile(
  { index, proof, checkpoint }: ProofFile,
  entry: Uint8Array,
  policy: Policy,
): OpenedCheckpoint {
  const opened = openCheckpoint(checkpoint, policy);
  if (!verifyInclusion(proof, { index, size: opened.size, leafHash: leafHashOf(entry), root: opened.root })) {
    throw new Error(`The proof does not show that the entry is number ${index} of the ${opened.size} in the log.`);
  }
  return opened;
}
