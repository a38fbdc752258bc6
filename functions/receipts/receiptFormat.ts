import { ENTRY_ID } from '../ailog/entry.ts';
import { entryHashOf, entryPreimage, type HashedAttributes } from '../tlog/entryHash.ts';

const VERSION = 'ai-log-receipt/v1';

/** The statement of the service that it accepted an entry and will put it into the transparency log. */
export interface Receipt {
  readonly origin: string;
  readonly uid: string;
  readonly entryId: string;
  /** The time at which the function received the request, in milliseconds since 1970. */
  readonly receivedAt: number;
  readonly bodySha256: string;
  /** Hex of the 32 bytes that will stand for the entry in the log, as `entryHashOf` returns them. */
  readonly entryHash: string;
  /** The time by which the entry will be in the log, in milliseconds since 1970. */
  readonly deadline: number;
}

/** The time within which the service promises to put an entry into the log. */
export const PROMISE_MS = 10 * 60_000;

/** Returns the receipt of an entry. @param origin the name of the log */
export const receiptOf = (origin: string, entry: HashedAttributes): Receipt => ({
  origin,
  uid: entry.uid,
  entryId: entry.entryId,
  receivedAt: entry.receivedAt,
  bodySha256: entry.bodySha256,
  entryHash: entryHashOf(entryPreimage(entry)).toString('hex'),
  deadline: entry.receivedAt + PROMISE_MS,
});

const TIME = /^[1-9]\d{0,15}$/;
const SHA_256 = /^[0-9a-f]{64}$/;

/** The lines of a receipt after the first one, in their order. */
const LINES: Readonly<Record<keyof Receipt, RegExp>> = {
  origin: /^\S+$/,
  uid: /^\S+$/,
  entryId: ENTRY_ID,
  receivedAt: TIME,
  bodySha256: SHA_256,
  entryHash: SHA_256,
  deadline: TIME,
};
const NAMES = Object.keys(LINES) as (keyof Receipt)[];

/** Returns the text of a receipt, to be signed as a note: eight lines. @throws Error if a value has white space */
export function formatReceipt(receipt: Receipt): string {
  const lines = [VERSION, ...NAMES.map((name) => String(receipt[name]))];
  const wrong = lines.find((line) => !/^\S+$/.test(line));
  if (wrong !== undefined) throw new Error(`A line of a receipt must be one word, not ${JSON.stringify(wrong)}.`);
  return `${lines.join('\n')}\n`;
}

/** Reads a receipt. Verify the signature of its note first: see `verifyNote`. @throws Error that names a wrong line */
export function parseReceipt(text: string): Receipt {
  const [version, ...lines] = text.split('\n');
  if (version !== VERSION) throw new Error(`The first line of a receipt must be ${VERSION}.`);
  if (lines.length !== NAMES.length + 1 || lines.pop() !== '') throw new Error('A receipt must have eight lines.');
  const values = NAMES.map((name, at) => {
    const line = lines[at] as string;
    const value = LINES[name] === TIME ? Number(line) : line;
    if (LINES[name].test(line) && (typeof value === 'string' || Number.isSafeInteger(value))) return [name, value];
    throw new Error(`Line ${at + 2} of the receipt is wrong: ${JSON.stringify(line)}.`);
  });
  return Object.fromEntries(values);
}
