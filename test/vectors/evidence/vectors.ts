import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openLog } from '../../../cli/proof/log/openLog.ts';
import { logFilesAt } from '../../../cli/proof/log/publicFiles.ts';
import { signNote } from '../../../functions/c2sp/note.ts';
import { type Policy, parsePolicy } from '../../../functions/c2sp/policy.ts';
import { formatReceipt, parseReceipt, type Receipt } from '../../../functions/receipts/receiptFormat.ts';
import { fixedKey, newSigner } from '../../c2sp/keys.ts';
import { noDeadline } from '../../setup/time.ts';

/** What verifiers must say about a file of evidence: docs/formats.md has the words. */
interface Expected {
  readonly words: readonly string[];
  readonly exitCode: number;
  readonly policy: string;
  /** The folder with a copy of the log in which entries are looked up. */
  readonly log?: string;
}

/** The folder of the files. */
export const VECTORS = fileURLToPath(new URL('files/', import.meta.url));

const expected: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync(new URL('words.json', import.meta.url), 'utf8'),
);
export const vectors = Object.entries(expected).map(([name, one]) => ({ name, ...one }));

export const policyIn = (name: string): Policy => parsePolicy(readFileSync(VECTORS + name, 'utf8'));

/** Opens a copy of the log. */
export const openCopy = (folder: string, policy: Policy) =>
  openLog(logFilesAt(folder, VECTORS + folder, noDeadline()), policy);

/** Returns the text of a file. */
export const textOf = (name: string): string => readFileSync(VECTORS + name, 'utf8');

/** The value of the header of the receipt of `decision.json`, and what it says. */
export const HEADER = textOf('receipt.header');
export const RECEIPT: Receipt = parseReceipt(
  Buffer.from(HEADER, 'base64')
    .toString()
    .replace(/\n\n.*$/s, '\n'),
);

/** Returns the value of the header of that receipt, changed, and signed by a key, by default by that of the vectors. */
export async function headerWith(
  changed: Partial<Receipt>,
  signer = newSigner(`${changed.origin ?? RECEIPT.origin}/receipts`, fixedKey(2)),
): Promise<string> {
  const note = await signNote(formatReceipt({ ...RECEIPT, ...changed }), [signer], noDeadline());
  return Buffer.from(note).toString('base64');
}
