import { entryHashOf, entryPreimage, type HashedAttributes } from '../tlog/entryHash.ts';

/** The first line of every receipt. */
const VERSION = 'ai-log-receipt/v1';

/** The statement of the service that it accepted an entry and will put it into the transparency log. */
export interface Receipt {
  readonly origin: string;
  readonly uid: string;
  readonly entryId: string;
  /** The time at which the function received the request, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Hex SHA-256 of the request body. */
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

/** Returns the text of a receipt, to be signed as a note: eight lines. @throws Error if a value has white space */
export function formatReceipt(receipt: Receipt): string {
  const { origin, uid, entryId, receivedAt, bodySha256, entryHash, deadline } = receipt;
  const lines = [VERSION, origin, uid, entryId, String(receivedAt), bodySha256, entryHash, String(deadline)];
  const wrong = lines.find((line) => !/^\S+$/.test(line));
  if (wrong !== undefined) throw new Error(`A line of a receipt must be one word, not ${JSON.stringify(wrong)}.`);
  return `${lines.join('\n')}\n`;
}

const isTime = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text));

/** Reads a receipt. Verify the signature of its note first: see `verifyNote`. @throws Error that names a wrong line */
export function parseReceipt(text: string): Receipt {
  const lines = text.split('\n');
  const [version, origin = '', uid = '', entryId = '', receivedAt = '', bodySha256 = '', entryHash = '', ...rest] =
    lines;
  const [deadline = '', end, ...more] = rest;
  if (version !== VERSION) throw new Error(`The first line of a receipt must be ${VERSION}.`);
  if (end !== '' || more.length > 0) throw new Error('A receipt must have eight lines.');
  const wrong = Object.entries({
    'name of the log': /^\S+$/.test(origin),
    UID: /^\S+$/.test(uid),
    'entry id': /^\d{13}-[0-9a-f]{32}$/.test(entryId),
    'time, in milliseconds since 1970,': isTime(receivedAt),
    'hex SHA-256 of the body': /^[0-9a-f]{64}$/.test(bodySha256),
    'entry hash': /^[0-9a-f]{64}$/.test(entryHash),
    deadline: isTime(deadline),
  }).findIndex(([, isRight]) => !isRight);
  if (wrong >= 0) {
    throw new Error(`Line ${wrong + 2} of the receipt is wrong: ${JSON.stringify(lines[wrong + 1])}.`);
  }
  return { origin, uid, entryId, receivedAt: Number(receivedAt), bodySha256, entryHash, deadline: Number(deadline) };
}
