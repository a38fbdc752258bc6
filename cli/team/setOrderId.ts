import { Failure } from '../terminal/failure.ts';

/** A string with what follows it if it is a key with a plain value, or one bracket, of a JSON text. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(?:\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],]+))?|[{}[\]]/g;

/**
 * A log with this order id. Where the log has the key `orderId`, its value is replaced; where it has none, `"orderId":ID,`
 * is put behind its first bracket. Every other byte stays as it is.
 * @param body a log that the service would take
 * @throws Failure where the log names another order
 */
export function setOrderId(body: Buffer, orderId: bigint): Buffer {
  // One character a byte: what JSON is made of is ASCII, the bytes of other characters never look like it.
  const text = body.toString('latin1');
  let depth = 0;
  let found: { value: string; end: number } | undefined;
  for (const match of text.matchAll(TOKEN)) {
    const [token, key, value] = match;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    // Of a key that stands twice, the last one counts.
    else if (depth === 1 && value !== undefined && JSON.parse(key as string) === 'orderId') {
      found = { value, end: match.index + token.length };
    }
  }
  const splice = (start: number, end: number, inserted: string) =>
    Buffer.from(text.slice(0, start) + inserted + text.slice(end), 'latin1');
  if (!found) {
    const start = text.indexOf('{') + 1;
    return splice(start, start, `"orderId":${orderId},`);
  }
  const named = found.value === 'null' ? '' : found.value.replaceAll('"', '');
  if (!['', '0', String(orderId)].includes(named)) {
    throw new Failure('usage', `The log names another order, ${named}.`, {
      advice: 'Leave --order away, or correct the log.',
    });
  }
  return splice(found.end - found.value.length, found.end, String(orderId));
}
