import { findTopLevelValue } from '../../../functions/ailog/jsonScanner.ts';
import { Failure } from '../../shell/terminal/failure.ts';

/**
 * Returns a log with this order id: in the place of the value of `orderId`, or else after the first bracket. Every
 * other byte stays as it is. @param body a log that the service would accept @throws Failure if the log names another
 * order
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
    const advice = 'Omit --order, or correct the log.';
    throw new Failure('usage', `The log names another order, ${named}.`, { advice });
  }
  return splice(found.start, found.start + found.text.length, String(orderId));
}
