import { type Note, parseNote, verifyNote } from '../c2sp/note.ts';
import { parseSize } from '../c2sp/treeSize.ts';
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from '../c2sp/verifierKey.ts';

/** The first line of every note about a receipt key. Its second line is no size, so it is never a checkpoint. */
const VERSION = 'ai-log-receipt-key/v1';

/** The content of the note `receipt-keys/<k>` of a log about a key of receipts. The checkpoint key signs the note. */
export interface CertifiedReceiptKey {
  readonly origin: string;
  readonly k: number;
  readonly key: VerifierKey;
  /** From when on it signs receipts, in milliseconds since 1970. */
  readonly since: number;
}

/** Returns the name of the keys that sign the receipts of a log. */
export const receiptKeyName = (origin: string): string => `${origin}/receipts`;

/** Returns the text of the note: five lines. */
export const formatReceiptKey = ({ origin, k, key, since }: CertifiedReceiptKey): string =>
  `${[VERSION, origin, k, formatVerifierKey(key), since].join('\n')}\n`;

/** Reads the text of the note. Verify its signature first. @throws Error that says what is wrong */
export function parseReceiptKey(text: string): CertifiedReceiptKey {
  const lines = text.split('\n');
  const [version, origin = '', k = '', verifierKey = '', since = ''] = lines;
  if (version !== VERSION) throw new Error(`The first line of a note about a receipt key must be ${VERSION}.`);
  if (lines.length !== 6 || lines.pop() !== '') throw new Error('A note about a receipt key must have five lines.');
  const key = parseVerifierKey(verifierKey);
  if (key.name !== receiptKeyName(origin) || key.type !== 'note')
    throw new Error(`A receipt key of ${origin} must be an Ed25519 key with the name ${receiptKeyName(origin)}.`);
  const certified = { origin, k: parseSize(k, 'number of the key'), key, since: parseSize(since, 'time of the key') };
  if (certified.k < 1) throw new Error('The number of a receipt key must be at least 1.');
  return certified;
}

/**
 * Opens the note of a receipt key. @throws Error unless one of `keys`, of its log, signed it and no signature is wrong
 */
export function openReceiptKey(signed: string, keys: readonly VerifierKey[]): CertifiedReceiptKey {
  const note: Note = parseNote(signed);
  const certified = parseReceiptKey(note.text);
  if (verifyNote(note, keys).some(({ name }) => name === certified.origin)) return certified;
  throw new Error(
    `No trusted key of the log ${certified.origin} signed the note about its receipt key ${certified.k}.`,
  );
}
