import { findTopLevelValue } from '../../functions/ailog/jsonScanner.ts';
import { Failure } from '../terminal/failure.ts';

/**
 * Returns a log with this order id. If the log has the key `orderId`, its value is replaced; if not, `"orderId":ID,` is
 * inserted after its first bracket. Every other byte stays as it is.
 * @param body a log that the service would accept
 * @throws Failure if the log names another order
 */
export function setOrderId(body: Buffer, orderId: bigint): Buffer {
  // One character per byte: JSON's own characters are ASCII, and the bytes of other characters never look like them.
  const text = body.toString('latin1');
  const found = findTopLevelValue(text, 'orderId');
  const splice = (start: number, end: number, inserted: string) =>
    Buffer.from(text.slice(0, start) + inserted + text.slice(end), 'latin1');
  if (!found) {
    const start = text.indexOf('{') + 1;
    return splice(start, start, `"orderId":${orderId},`);
  }
  const named = found.text === 'null' ? '' : found.text.replaceAll('"', '');
  if (!['', '0', String(orderId)].includes(named)) {
    throw new Failure('usage', `The log names another order, ${named}.`, {
      advice: 'Omit --order, or correct the log.',
    });
  }
  return splice(found.start, found.start + found.text.length, String(orderId));
}
