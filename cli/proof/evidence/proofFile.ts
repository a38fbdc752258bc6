import { decodeBase64, decodeHash } from '../../../functions/c2sp/base64.ts';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { parseSize } from '../../../functions/c2sp/treeSize.ts';
import {
  entryPreimage,
  HASHED_ATTRIBUTES,
  type HashedAttributes,
  keyPreimage,
} from '../../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';

const HEADER = 'c2sp.org/tlog-proof@v1';

/** More than any tree of 2^53 leaves needs. */
const PROOF_LIMIT = 63;

/** A proof that an entry is in a log, to be verified without the log. */
export interface ProofFile {
  readonly index: number;
  /** Hashes of 32 bytes, the sibling of the leaf hash first. */
  readonly proof: readonly Uint8Array[];
  readonly checkpoint: string;
  /** Nothing that the proof proves: context for its readers. */
  readonly extra?: Uint8Array;
}

/** Returns the text of a `.tlog-proof` file. Source: C2SP tlog-proof, "Format". */
export function formatProofFile({ index, proof, checkpoint, extra }: ProofFile): string {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const lines = [HEADER, ...(extra ? [`extra ${base64(extra)}`] : []), `index ${index}`, ...proof.map(base64)];
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
export function verifyProofFile({ index, proof, checkpoint }: ProofFile, entry: Uint8Array, policy: Policy) {
  const opened = openCheckpoint(checkpoint, policy);
  if (!verifyInclusion(proof, { index, size: opened.size, leafHash: leafHashOf(entry), root: opened.root })) {
    throw new Error(`The proof does not show that the entry is number ${index} of the ${opened.size} in the log.`);
  }
  return opened;
}

const NUMBERS: readonly string[] = ['receivedAt', 'bodyBytes'];

/** Reads the preimage of an entry. An absent query is empty. @throws Error if the service would not write it so */
export function parsePreimage(text: string): HashedAttributes {
  const start = text.indexOf('\n') + 1;
  if (text.slice(0, start) !== 'ai-log-entry/v1\n') {
    throw new Error('The first line of a preimage of an entry is ai-log-entry/v1');
  }
  let values: unknown[];
  try {
    values = JSON.parse(text.slice(start));
  } catch (cause) {
    throw new Error('The second line of a preimage is a JSON array', { cause });
  }
  if (!Array.isArray(values) || values.length !== HASHED_ATTRIBUTES.length) {
    throw new Error(`A preimage has ${HASHED_ATTRIBUTES.length} values`);
  }
  for (const [index, name] of HASHED_ATTRIBUTES.entries()) {
    const isRight = NUMBERS.includes(name) ? Number.isSafeInteger(values[index]) : typeof values[index] === 'string';
    if (!isRight) throw new Error(`The ${name} of the preimage is not a ${NUMBERS.includes(name) ? 'number' : 'text'}`);
  }
  const named = HASHED_ATTRIBUTES.map((name, index) => [name, values[index]]);
  const entry: HashedAttributes = Object.fromEntries(named);
  if (entryPreimage(entry) !== text) throw new Error('The preimage is not written as the service writes it');
  return entry;
}

/** Reads the preimage of a key of the service. @throws Error if it is none */
export function parseKeyPreimage(preimage: string): string {
  const [, json = ''] = preimage.split('\n');
  const [key]: unknown[] = JSON.parse(json);
  if (typeof key === 'string' && keyPreimage(key) === preimage) return key;
  throw new Error('The preimage of a key is not written as the service writes it');
}
