import { hash } from 'node:crypto';
import type { LogContent } from './logContent.ts';
import { SIGNATURE_BYTES, signWords } from './minHash.ts';

/**
 * The fewest words of a text that is compared with the texts of other teams, and for near-duplicates. Many honest logs
 * have a short text, such as "Hold. No clear signal.", in common.
 */
const COMPARABLE_WORDS = 12;

/** The length of a digest in bytes. Among a million logs, two are equal by chance once in 40 million reports. */
export const DIGEST_BYTES = 8;

/** The offsets of the facts of a log in a row of bytes. The digests are in the order of the kinds of repetition. */
const [BODY, DATA, OUTPUT, TEXT] = [0, 1, 2, 3].map((place) => place * DIGEST_BYTES) as [
  number,
  number,
  number,
  number,
];
const SIGNATURE = 4 * DIGEST_BYTES;
const COMPARABLE = SIGNATURE + SIGNATURE_BYTES;
const HAS_DATA = COMPARABLE + 1;

/** The length of the facts of a log in bytes, whatever the size of its body. */
export const FACTS_BYTES = HAS_DATA + 1;

/** Returns the first bits of a SHA-256: enough to tell entries apart. */
const shortDigest = (text: string): Uint8Array => hash('sha256', text, 'buffer').subarray(0, DIGEST_BYTES);

/**
 * Writes what the analyses need of a log's content into a row of bytes: digests that tell whether two logs repeat each other, a
 * MinHash signature, and whether it has data.
 * @param bodySha256 hex SHA-256 of the body
 */
export function writeFacts(
  row: Uint8Array,
  { uid, entryId, bodySha256 }: { uid: string; entryId: string; bodySha256: string },
  { data, hasData, outputWords, words }: LogContent,
): void {
  const body = Buffer.from(bodySha256, 'hex').subarray(0, DIGEST_BYTES);
  /** A short text is compared within its team only, and an empty one with nothing. */
  const digestWords = (name: string, compared: readonly string[]) => {
    if (compared.length === 0) return shortDigest(`${name} ${uid} ${entryId}`);
    return shortDigest(`${name} ${compared.length < COMPARABLE_WORDS ? uid : ''} ${compared.join(' ')}`);
  };
  row.set(body, BODY);
  row.set(data === undefined ? body : shortDigest(data), DATA);
  // A short output is compared only together with its explanation.
  row.set(digestWords('output', outputWords.length < COMPARABLE_WORDS ? [] : outputWords), OUTPUT);
  row.set(digestWords('text', words), TEXT);
  row.set(signWords(words), SIGNATURE);
  row[COMPARABLE] = words.length < COMPARABLE_WORDS ? 0 : 1;
  row[HAS_DATA] = hasData ? 1 : 0;
}

/** Returns the facts of one log as a row, see `writeFacts`. */
export function factsOf(
  ...[log, content]: Parameters<typeof writeFacts> extends [Uint8Array, ...infer Rest] ? Rest : never
): Uint8Array {
  const row = new Uint8Array(FACTS_BYTES);
  writeFacts(row, log, content);
  return row;
}

/** Returns the parts of a row of facts as views. */
export const readFacts = (row: Uint8Array) => ({
  digests: [BODY, DATA, OUTPUT, TEXT].map((offset) => row.subarray(offset, offset + DIGEST_BYTES)),
  signature: row.subarray(SIGNATURE, COMPARABLE),
  isComparable: row[COMPARABLE] === 1,
  hasData: row[HAS_DATA] === 1,
});
