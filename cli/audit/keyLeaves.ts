import { parseVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { entryHashOf, keyPreimage } from '../../functions/tlog/entryHash.ts';

/** Returns true if a verifier key is that of a log's checkpoints or receipts. */
function isKeyOf(origin: string, text: string): boolean {
  try {
    const { name } = parseVerifierKey(text);
    return name === origin || name === `${origin}/receipts`;
  } catch {
    // Something in the list of keys that is not a key has no leaf.
    return true;
  }
}

/** Returns the verifier keys of a log, without those of other logs and without repetitions. */
export const keysOfLog = (origin: string, keys: readonly string[]): string[] => [
  ...new Set(keys.filter((key) => isKeyOf(origin, key))),
];

/** Returns the leaves of verifier keys, in latin1, with the key of each. */
export const keyLeaves = (keys: readonly string[]): Map<string, string> =>
  new Map(keys.map((key) => [entryHashOf(keyPreimage(key)).toString('latin1'), key]));
