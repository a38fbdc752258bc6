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
const [HAS_DATA, HAS_HIDDEN_CHARACTERS, IS_CUT] = [COMPARABLE + 1, COMPARABLE + 2, COMPARABLE + 3];

/** The length of the facts of a log in bytes, whatever the size of its body. */
export const FACTS_BYTES = IS_CUT + 1;

/**
 * Writes the first bits of a SHA-256: enough to tell entries apart. As text, a hash takes half the time of a buffer.
 */
const writeDigest = (row: Buffer, place: number, text: string) =>
  row.write(hash('sha256', text, 'binary'), place, DIGEST_BYTES, 'binary');

/**
 * Writes what the analyses need of a log's content into a row of bytes: digests that tell whether two logs repeat each
 * other, a MinHash signature, and whether it has data, hidden characters and more text than is compared.
 * @param bodySha256 hex SHA-256 of the body
 */
export function writeFacts(
  row: Buffer,
  { uid, entryId, bodySha256 }: { uid: string; entryId: string; bodySha256: string },
  { data, hasData, outputWords, words, hasHiddenCharacters, isCut }: LogContent,
): void {
  /** A short text is compared within its team only, and an empty one with nothing. */
  const textOf = (name: string, compared: readonly string[]) => {
    if (compared.length === 0) return `${name} ${uid} ${entryId}`;
    return `${name} ${compared.length < COMPARABLE_WORDS ? uid : ''} ${compared.join(' ')}`;
  };
  row.write(bodySha256, BODY, DIGEST_BYTES, 'hex');
  if (data === undefined) row.write(bodySha256, DATA, DIGEST_BYTES, 'hex');
  else writeDigest(row, DATA, data);
  // A short output is compared only together with its explanation.
  writeDigest(row, OUTPUT, textOf('output', outputWords.length < COMPARABLE_WORDS ? [] : outputWords));
  writeDigest(row, TEXT, textOf('text', words));
  signWords(words, row.subarray(SIGNATURE, COMPARABLE));
  row[COMPARABLE] = words.length < COMPARABLE_WORDS ? 0 : 1;
  row[HAS_DATA] = hasData ? 1 : 0;
  row[HAS_HIDDEN_CHARACTERS] = hasHiddenCharacters ? 1 : 0;
  row[IS_CUT] = isCut ? 1 : 0;
}

/** Returns the facts of one log as a row, see `writeFacts`. */
export function factsOf(
  ...[log, content]: Parameters<typeof writeFacts> extends [Buffer, ...infer Rest] ? Rest : never
): Uint8Array {
  const row = Buffer.alloc(FACTS_BYTES);
  writeFacts(row, log, content);
  return row;
}

/**
 * The offsets of the facts in a row that tell whether two logs repeat each other. `isComparable` is one byte: 1 or 0.
 */
export const factOffsets = {
  digests: [BODY, DATA, OUTPUT, TEXT],
  signature: SIGNATURE,
  isComparable: COMPARABLE,
} as const;

/** Returns the facts of a row that are counted for its team. */
export const countedFacts = (row: Uint8Array) => ({
  /** True if the log has input and output data. */
  hasData: row[HAS_DATA] === 1,
  hasHiddenCharacters: row[HAS_HIDDEN_CHARACTERS] === 1,
  /** True if only a part of its text was compared. */
  isCut: row[IS_CUT] === 1,
});
