import { createReadStream } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { JSON_STRING } from '../../../functions/ailog/jsonScanner.ts';
import { parseExactly, parseWithNames } from '../../../functions/ailog/plainNames.ts';
import { decodeUtf8, findSeparator } from '../../shell/files/csv.ts';
import { LINE_LIMIT_CHARACTERS } from '../../shell/files/openRegularFile.ts';
import { readStart, readWhole } from '../../shell/files/readWhole.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { counted } from '../../shell/text/numbers.ts';
import { findOrderColumns, missingColumns, type OrderColumns } from './orderColumns.ts';

/** Some lines of an order list, with the number of the first one. None of them ends within a cell. */
type Lines = { readonly line: number; readonly text: string };

/** An order list whose columns are known. */
export interface OrderLines {
  readonly columns: OrderColumns;
  readonly delimiter: string;
  /** The number of lines above the names of the columns. */
  readonly preamble: number;
  readonly parts: AsyncIterable<Lines> | Iterable<Lines>;
}

/** The beginning of a file in which the names of the columns are searched, and the lines of it. */
const HEAD_BYTES = 64 * 1024;
const HEAD_LINES = 30;

/** What is read from the file at once: a query on more would take longer than a second to hear an interruption. */
const PART_BYTES = 4 * 1024 * 1024;

/** The largest JSON file, which is in memory as a whole, its longest order, and the most names in all orders. */
const JSON_BYTES = 32 * 1024 * 1024;
const ORDER_UNITS = 64 * 1024;
const JSON_NAMES = 10_000;
/** The most characters of it beside orders. They are parsed at once. */
const OTHER_UNITS = 1024 * 1024;
/** The strings and brackets, or the characters, after which other work has its turn. */
const PAUSE_PARTS = 2000;
const PAUSE_UNITS = 256 * 1024;
/** The characters of a part of its lines. */
const JSON_PART_UNITS = 4 * 1024 * 1024;

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

/** Returns a text whose lines end in line feeds. Most have no other ends. */
const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replace(LINE_END, '\n') : text);

function countIn(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/**
 * Returns the index after the last line that ends outside of quotation marks; 0 if there is none.
 * @param isOpen true if the text ends within some
 */
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
    else if (rest.length > LINE_LIMIT_CHARACTERS) {
      const message = `${path} is not CSV, line ${next}: it is too long, or a quotation mark is not closed.`;
      throw new Failure('usage', message);
    }
  }
  rest += '\n';
  yield take(rest.length);
}

/** Matches a string, or a bracket, of a JSON text. */
const JSON_PART = new RegExp(`${JSON_STRING}|[{}[\\]]`, 'g');

/** @param other the text without orders @throws SyntaxError if it is short and not JSON; RangeError: it has no list */
function noList(other = '[]'): never {
  if (other.length <= OTHER_UNITS) JSON.parse(other);
  throw new RangeError('no list');
}

/**
 * Yields the objects of the first array of a JSON text, which is all of it or a member of its object. It reads a part
 * at a time, because parsing all at once would let nothing else have its turn, and an interruption would not be heard.
 * @throws SyntaxError if it is not JSON; RangeError if it has no such array, if anything but a comma stands between the
 * objects, or if one of them, or all that is beside them, is too long
 */
async function* valuesIn(json: string): AsyncGenerator<string> {
  const outside = json.trimStart().startsWith('[') ? 0 : 1;
  let [depth, list, start, end] = [0, -1, 0, 0];
  let [parts, paused] = [0, 0];
  for (const { 0: part, index } of json.matchAll(JSON_PART)) {
    parts += 1;
    if (parts === PAUSE_PARTS || index - paused > PAUSE_UNITS) {
      [parts, paused] = [0, index];
      await setImmediate();
    }
    if (list >= 0 && depth > outside + 1 && index - start > ORDER_UNITS) noList();
    if (part === '[' || part === '{') {
      if (list < 0 && part === '[' && depth === outside) [list, end] = [index, index];
      if (list >= 0 && depth === outside + 1) {
        const [first, comma] = end === list ? ['', ''] : ['{}', ','];
        const between = json.slice(end + 1, index);
        if (between.trim() !== comma) noList(`[${first}${between}{}]`);
        start = index;
      }
      depth += 1;
    } else if (part === ']' || part === '}') {
      depth -= 1;
      if (list >= 0 && depth === outside + 1) {
        yield json.slice(start, index + 1);
        end = index;
      } else if (list >= 0 && depth === outside) {
        const other = `${json.slice(0, list + 1)}${end === list ? '' : '{}'}${json.slice(end + 1)}`;
        if (other.length > OTHER_UNITS || (end > list && json.slice(end + 1, index).trim() !== '')) noList(other);
        JSON.parse(other);
        return;
      }
    }
  }
  if (depth > 0 && json.length > OTHER_UNITS) throw new SyntaxError('Unexpected end of JSON input');
  noList(json);
}

/** Yields orders as lines of CSV: the cells of some columns, and in the last cell all that an order has besides. */
async function* linesOfJson(json: string, used: readonly string[]): AsyncGenerator<Lines> {
  const cellOf = (value: unknown) =>
    `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""').replace(LINE_END, ' ')}"`;
  let [line, first, text] = [0, 1, ''];
  for await (const value of valuesIn(json)) {
    const order = parseExactly(value) as Record<string, unknown>;
    const others = Object.entries(order).filter(([name]) => !used.includes(name));
    const rest = JSON.stringify(others.sort(([one], [other]) => (one < other ? -1 : 1)));
    text += `${[...used.map((head) => cellOf(order[head] ?? '')), cellOf(rest)].join()}\n`;
    line += 1;
    if (text.length < JSON_PART_UNITS) continue;
    yield { line: first, text };
    [first, text] = [line + 1, ''];
  }
  if (text !== '') yield { line: first, text };
}

/** Reads a JSON array of orders, or an object with one such array, as lines of CSV. Numbers keep every digit. */
async function readJson(path: string, isOfOneAccount: boolean): Promise<OrderLines> {
  const advice = 'It is JSON. Give several files, or CSV, which may be of any size.';
  const text = decodeUtf8(path, readWhole(path, JSON_BYTES, advice));
  const heads = new Set<string>();
  let orders = 0;
  try {
    for await (const value of valuesIn(text)) {
      for (const name of Object.keys(parseWithNames(value) as object)) heads.add(name);
      if (heads.size > JSON_NAMES) throw new RangeError('too many names');
      orders += 1;
    }
    if (heads.size === 0) throw new RangeError('no names');
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      // The position is that in the part that was parsed.
      const what = cause.message.replace(/( in JSON)? at position .*$/s, '');
      throw new Failure('usage', `${path} is not JSON: ${what}, after ${counted(orders, 'order')}.`, { cause });
    }
    if (!(cause instanceof RangeError)) throw cause;
    throw new Failure('usage', `${path} has no list of orders.`, {
      advice: `Give a JSON array of objects, each of at most ${ORDER_UNITS / 1024} KiB and all with at most ${JSON_NAMES} names, or CSV.`,
      cause,
    });
  }
  const found = findOrderColumns(path, [...heads], isOfOneAccount);
  const used = Object.values(found.headings).filter((head) => head !== undefined);
  const places = Object.fromEntries(
    Object.entries(found.headings).map(([column, head]) => [column, used.indexOf(head ?? '') + 1]),
  ) as OrderColumns['places'];
  const columns = { ...found, places, count: used.length + 1 };
  return { columns, delimiter: ',', preamble: 0, parts: linesOfJson(text, used) };
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
  const unquoted = (cell: string) => cell.trim().replace(/^"(.*)"$/s, '$1');
  const cellsOf = (text: string) => {
    const separator = findSeparator(text);
    const cells = `${separator}${text}`.matchAll(new RegExp(`${separator}((?:"[^"]*"|[^"${separator}])*)`, 'g'));
    return Array.from(cells, ([, cell = '']) => unquoted(cell).trim());
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
  return { columns, delimiter, preamble, parts: linesFrom(path, start, at + 2) };
}
