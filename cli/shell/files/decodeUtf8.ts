import { isUtf8 } from 'node:buffer';
import { Failure } from '../terminal/failure.ts';

/** Decodes UTF-8. @param line of the file at which it begins @throws Failure with the line and the likely encoding */
export function decodeUtf8(path: string, bytes: Uint8Array, line = 1): string {
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes) && !text.includes('\0')) return text;
  const at = line + (text.split(/[\ufffd\0]/, 1)[0] as string).split('\n').length - 1;
  // In UTF-16, every second byte of a comma, a digit or a line feed is zero. Pictures and archives have others too.
  const zeros = [0, 1].map((first) => bytes.filter((byte, place) => place % 2 === first && byte === 0).length);
  const isWide =
    ['fffe', 'feff'].includes(Buffer.from(bytes.subarray(0, 2)).toString('hex')) ||
    Math.max(...zeros) > 8 * Math.min(...zeros);
  if (bytes.includes(0) && !isWide) {
    throw new Failure('usage', `${path} is not text.`, { advice: 'A spreadsheet saves CSV as "CSV UTF-8".' });
  }
  const encoding = isWide ? 'UTF-16' : 'Latin-1 (Windows-1252)';
  const advice = 'Save it again as UTF-8. Excel calls it "CSV UTF-8"; in PowerShell, it is -Encoding utf8.';
  throw new Failure('usage', `${path} is not UTF-8: line ${at} looks like ${encoding}.`, { advice });
}
