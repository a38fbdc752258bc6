import { createReadStream } from 'node:fs';
import { findSeparator } from '../../shell/files/csv.ts';
import { decodeUtf8 } from '../../shell/files/decodeUtf8.ts';
import { readStart } from '../../shell/files/readWhole.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { findOrderColumns, type Lines, missingColumns, type OrderLines } from './orderColumns.ts';
import { readJson } from './orderJson.ts';

/** The beginning of a file in which the names of the columns are searched, and the lines of it. */
const HEAD_BYTES = 64 * 1024;
const HEAD_LINES = 30;

/** A query on a longer part would take longer than a second to hear an interruption. */
const PART_BYTES = 4 * 1024 * 1024;

/** The longest lines that are read together, as a quotation mark can join all. */
const LINE_LIMIT_CHARACTERS = 16 * 1024 * 1024;

const LINE_END = /\r\n?|\n/g;

/** The most bytes of a character whose rest is in the next part. */
const CUT_BYTES = 3;

/**
 * Reads a text file part by part. @param start the first byte of the line with the number `line`
 * @throws Failure that names the line and the likely encoding if it is not UTF-8
 */
async function* textFrom(path: string, start: number, line: number): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [at, part] = [line, Buffer.alloc(0)];
  try {
    for await (const bytes of createReadStream(path, { start, highWaterMark: PART_BYTES })) {
      part = Buffer.concat([part.subarray(-CUT_BYTES), bytes as Buffer]);
      const text = decoder.decode(bytes as Buffer, { stream: true });
      if (text.includes('\0')) throw new TypeError('The text has a NUL character');
      at += countIn(text, '\n');
      part = part.subarray(-CUT_BYTES);
      yield text;
    }
    yield decoder.decode();
  } catch (error) {
    const cut = part.toString('latin1', 0, CUT_BYTES);
    decodeUtf8(path, part, at - countIn(cut, '\n'));
    throw error;
  }
}

const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replace(LINE_END, '\n') : text);

function countIn(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Returns the index after the last line that ends outside of quotation marks, or 0. @param isOpen it ends inside */
function endOfLines(text: string, isOpen: boolean): number {
  let isInside = isOpen;
  let quote = text.lastIndexOf('"');
  let end = text.lastIndexOf('\n');
  while (end >= 0) {
    for (; quote > end; quote = quote === 0 ? -1 : text.lastIndexOf('"', quote - 1)) isInside = !isInside;
    if (!isInside) return end + 1;
    // All line ends after the quotation mark before are within the same ones.
    end = quote <= 0 ? -1 : text.lastIndexOf('\n', quote - 1);
  }
  return 0;
}

/** Yields the lines of a text file. @param start the first byte of the line with the number `line` */
async function* linesFrom(path: string, start: number, line: number): AsyncGenerator<Lines> {
  let [next, rest, isOpen] = [line, '', false];
  const take = (end: number): Lines => {
    const taken = { line: next, text: withLineFeeds(rest.slice(0, end)) };
    rest = rest.slice(end);
    next += countIn(taken.text, '\n');
    return taken;
  };
  for await (const text of textFrom(path, start, line)) {
    rest += text;
    isOpen = isOpen !== (countIn(text, '"') % 2 === 1);
    const end = endOfLines(rest, isOpen);
    if (end > 0) yield take(end);
    else if (rest.length > LINE_LIMIT_CHARACTERS)
      throw new Failure(
        'usage',
        `${path} is not CSV, line ${next}: it is too long, or a quotation mark is not closed.`,
      );
  }
  if (rest === '') return;
  rest += '\n';
  yield take(rest.length);
}

/**
 * Opens an order list, whose columns may have any names and stand below other lines, and yields its lines.
 * @throws Failure if it is no regular file, is not UTF-8, CSV or JSON, is empty, or has no columns of an order list
 */
export async function openOrderLines(path: string, isOfOneAccount: boolean): Promise<OrderLines> {
  const bytes = readStart(path, HEAD_BYTES);
  const head = bytes.toString().replace(/^\ufeff/, '');
  if (head.trim() === '') throw new Failure('usage', `${path} is empty.`);
  if (/^\s*[[{]/.test(head)) return readJson(path, isOfOneAccount);
  const top = head.split(LINE_END).slice(0, HEAD_LINES);
  const cellsOf = (text: string) => {
    const separator = findSeparator(text);
    const cells = `${separator}${text}`.matchAll(new RegExp(`${separator}((?:"[^"]*"|[^"${separator}])*)`, 'g'));
    return Array.from(cells, ([, cell = '']) =>
      cell
        .trim()
        .replace(/^"(.*)"$/s, '$1')
        .trim(),
    );
  };
  const [, announced] = /^sep=([,;\t])$/i.exec(top[0] ?? '') ?? [];
  const filled = top.findIndex((text, line) => text.trim() !== '' && !(announced && line === 0));
  const missing = top.map((text) => missingColumns(cellsOf(text), isOfOneAccount).length);
  const least = Math.min(...missing);
  const at = Math.max(0, filled, missing.indexOf(least));
  const isUnreadable = top.slice(0, at + 1).some((text) => text.includes('\ufffd'));
  // The last line of a part may end within a character.
  const whole = bytes.length > HEAD_BYTES ? bytes.subarray(0, bytes.lastIndexOf('\n') + 1) : bytes;
  if (least > 0 || isUnreadable) decodeUtf8(path, whole);
  const columns = findOrderColumns(path, cellsOf(top[at] ?? ''), isOfOneAccount);
  const delimiter = announced ?? findSeparator(top[at] ?? '');
  const preamble = at - (announced === undefined ? 0 : 1);
  const last = [...bytes.toString('latin1').matchAll(LINE_END)][at];
  const start = last ? last.index + last[0].length : bytes.length;
  const stated = top.slice(0, at).map((text, line) => ({ text, from: `line ${line + 1}` }));
  return { columns, delimiter, preamble, stated, parts: linesFrom(path, start, at + 2) };
}
