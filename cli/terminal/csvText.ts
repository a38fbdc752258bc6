import { readFileSync } from 'node:fs';
import { Failure } from './failure.ts';

/** Names the encoding of bytes that are not UTF-8, as far as they show it. */
function guessEncoding(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  return mark === 'fffe' || mark === 'feff' || bytes.includes(0) ? 'UTF-16' : 'Latin-1 (Windows-1252)';
}

/**
 * Reads a text file in UTF-8, with or without a byte-order mark.
 * @throws Failure that names the line and the likely encoding if it is not UTF-8
 */
function readUtf8(path: string): string {
  const bytes = readFileSync(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // The message below says more than the decoder's error.
  }
  const good = new TextDecoder('utf-8').decode(bytes).split(/[\ufffd\0]/)[0] ?? '';
  const line = good.split('\n').length;
  throw new Failure('usage', `${path} is not UTF-8: line ${line} looks like ${guessEncoding(bytes)}.`, {
    advice: 'Save it again as UTF-8. Excel calls this format "CSV UTF-8".',
  });
}

/** Returns the separator that a line of column names uses: a comma, a semicolon or a tab. */
function findSeparator(heads: string): string {
  const outsideQuotes = heads.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((separator) => [separator, outsideQuotes.split(separator).length] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/**
 * Reads the text of a CSV file as spreadsheets write it. Some separate cells by semicolons or tabs, and some announce it
 * in a first line `sep=;`.
 * @returns the text, its separator, and the number of the line before the text
 * @throws Failure if the file is not UTF-8
 */
export function readCsvText(path: string): { text: string; separator: string; linesBefore: number } {
  const text = readUtf8(path);
  const [announcement, separator] = /^sep=([,;\t])\r?\n/i.exec(text) ?? [];
  if (announcement && separator) return { text: text.slice(announcement.length), separator, linesBefore: 1 };
  const [heads = ''] = text.trimStart().split(/\r?\n/, 1);
  return { text, separator: findSeparator(heads), linesBefore: 0 };
}
