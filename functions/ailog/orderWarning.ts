import { quote } from '../quote.ts';
import { originalName } from './plainNames.ts';
import type { AiLog } from './schema.ts';

/** The longest key that may be a misspelt `orderId`, in UTF-16 code units. */
const KEY_LIMIT = 64;

const RIGHT = 'orderid';

/** Names that other programs give to the id of an order, in lower case and without signs. */
const OTHER_NAMES: readonly string[] = ['oid', 'order', 'orderno', 'ordernumber', 'ordid'];

/** Returns true if two texts differ by at most one letter that is missing, added or wrong, or by two swapped ones. */
function isTypingError(text: string, right: string): boolean {
  const shorter = Math.min(text.length, right.length);
  let start = 0;
  while (start < shorter && text[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && text.at(-1 - end) === right.at(-1 - end)) end += 1;
  const a = text.slice(start, text.length - end);
  const b = right.slice(start, right.length - end);
  return (a.length <= 1 && b.length <= 1) || (a.length === 2 && a[0] === b[1] && a[1] === b[0] && b.length === 2);
}

/** Returns true if a key looks like `orderId`. The word `ordered` does not. */
function isLikeOrderId(key: string): boolean {
  if (key.length > KEY_LIMIT) return false;
  const letters = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  return OTHER_NAMES.includes(letters) || (letters !== 'ordered' && isTypingError(letters, RIGHT));
}

/** Returns true if a value may be the id of an order: a number, or one word with a digit. */
const isLikeId = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^[^\s\d]*\d\S*$/.test(value.slice(0, KEY_LIMIT)));

/**
 * Returns true if a number of the body is what JavaScript makes of a larger id: 702628302073888771 becomes …800. Of
 * the 18-digit ids that were never rounded, 1 in 128 looks the same.
 */
const looksRounded = (spelled: AiLog['orderId'], parsed: unknown): boolean =>
  typeof parsed === 'number' && parsed > 2 ** 53 && String(parsed) === spelled;

/**
 * Says why a valid log may name no order, or another one, by mistake. Such a log may count for nothing, and the
 * contract accepts it.
 * @param parsedOrderId the order id as JSON.parse reads it
 * @returns a text of at most 600 ASCII characters, for the header AI-LOG-WARNING; undefined if there is nothing to say
 */
export function orderWarning(log: AiLog, parsedOrderId?: unknown): string | undefined {
  if (looksRounded(log.orderId, parsedOrderId))
    return `orderId ${log.orderId} looks rounded (JavaScript's numbers); send it as a string`;
  if (Number(log.orderId ?? 0) !== 0) return undefined;
  const key = Object.keys(log).find(
    (name) => name !== 'orderId' && isLikeId(log[name]) && isLikeOrderId(originalName(name)),
  );
  if (key !== undefined) {
    const quoted = quote(originalName(key)).replace(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    return `the key ${quoted} is unknown: did you mean "orderId"?`;
  }
  return log.orderId === '' ? 'orderId is empty: the log names no order' : undefined;
}
