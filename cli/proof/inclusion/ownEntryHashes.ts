import { entryHashOf, keyPreimage, retentionPreimage } from '../../../functions/tlog/entryHash.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';

/** The most days that the setting entryRetentionDays allows. */
const MAX_DAYS = 36_500;

let hashes: readonly Buffer[] | undefined;

/** Returns the entry hashes of all retentions, by their days; 0: for ever. */
export function retentionHashes(): readonly Buffer[] {
  hashes ??= Array.from({ length: MAX_DAYS + 1 }, (_, days) => entryHashOf(retentionPreimage(days)));
  return hashes;
}

/** Returns the entry hashes of a log that stand for no upload: those of its keys, and of any retention. */
export const ownEntryHashes = ({ keys }: Pick<Head, 'keys'>): Buffer[] => [
  ...keys.map(({ key }) => entryHashOf(keyPreimage(key))),
  ...retentionHashes(),
];
