import { findTopLevelValue } from '../../../functions/ailog/jsonScanner.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';

/**
 * Returns a log with this order id: in the place of the value of `orderId`, or else after the first bracket. All other
 * bytes stay, and so does what is not JSON, or names another order.
 */
export function insertOrder(body: Uint8Array, order: string): Buffer {
  // One character per byte: JSON's own characters are ASCII, and the bytes of other characters never look like them.
  const text = Buffer.from(body).toString('latin1');
  const log: { orderId?: unknown } | undefined = /^\s*\{/.test(text) ? orUndefined(() => JSON.parse(text)) : undefined;
  const isPlain = log !== undefined && typeof (log.orderId ?? '') !== 'object';
  if (!isPlain || orderNamed(body, order) !== undefined) return Buffer.from(body);
  const found = findTopLevelValue(text, 'orderId');
  const splice = (start: number, end: number, inserted: string) =>
    Buffer.from(text.slice(0, start) + inserted + text.slice(end), 'latin1');
  if (found) return splice(found.start, found.start + found.text.length, order);
  const start = text.indexOf('{') + 1;
  return splice(start, start, `"orderId":${order},`);
}

/** Returns the order that a log names, if it is another one than this; undefined if it names none. */
export function orderNamed(body: Uint8Array, order: string): string | undefined {
  const found = findTopLevelValue(Buffer.from(body).toString('latin1'), 'orderId');
  const named = found === undefined || found.text === 'null' ? '' : found.text.replaceAll('"', '');
  return ['', '0', order].includes(named) ? undefined : named;
}
