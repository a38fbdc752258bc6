/** `Buffer` and `node:buffer` for the page. The browser decodes UTF-8 faster than the package, and as Node does. */
import { Buffer } from 'buffer/';

const toText = Buffer.prototype.toString;
Buffer.prototype.toString = function (encoding = 'utf8', ...range) {
  return encoding === 'utf8' && range.length === 0
    ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(this)
    : toText.call(this, encoding, ...range);
};

export { Buffer };
export function isUtf8(bytes: Uint8Array<ArrayBuffer>): boolean {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) !== undefined;
  } catch {
    return false;
  }
}
