import { setImmediate } from 'node:timers/promises';
import { JSON_STRING } from '../../../functions/ailog/jsonScanner.ts';
import { parseExactly, parseWithNames } from '../../../functions/ailog/plainNames.ts';
import { decodeUtf8 } from '../../shell/files/decodeUtf8.ts';
import { readWhole } from '../../shell/files/readWhole.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { counted, nameSome } from '../../shell/text/numbers.ts';
import {
  findOrderColumns,
  hasTrade,
  type Lines,
  missingColumns,
  type OrderColumns,
  type OrderLines,
} from './orderColumns.ts';
import { visibleCell } from './shown.ts';

/** The largest JSON file, which is in memory as a whole, its longest order, and the most names in all orders. */
const JSON_BYTES = 32 * 1024 * 1024;
const ORDER_UNITS = 64 * 1024;
const JSON_NAMES = 10_000;
/** The most characters of it beside orders. They are parsed at once. */
const OTHER_UNITS = 1024 * 1024;
/** The most lists whose first objects are parsed, and the most characters of the path of one. */
const MOST_LISTS = 1000;
const PATH_UNITS = 200;
/** The strings and brackets, or the characters, after which other work has its turn. */
const PAUSE_PARTS = 2000;
const PAUSE_UNITS = 256 * 1024;
const JSON_PART_UNITS = 4 * 1024 * 1024;

const JSON_PART = new RegExp(`${JSON_STRING}|[{}[\\]]`, 'g');

const ZONE_MEMBER =
  /"(time_?zone(?:_?offset)?|tz|utc_?offset)"\s*:\s*(?!null)"?([^"{}[\],]{1,60})|"([^"]{1,60})"\s*:\s*"([^"]{0,200}\b(?:UTC|GMT)\s?[+-]\s?\d[^"]{0,60})"/gi;

/** An object in an array. `path`: the names above it, such as `.data.list`, without its place in other arrays. */
type Found = Readonly<{ path: string; start: number; end: number }>;

/** Yields the objects in arrays of a JSON text, each after those within it. In between, other work has its turn. */
async function* objectsIn(json: string): AsyncGenerator<Found> {
  const open: { readonly isArray: boolean; readonly path: string; readonly start: number }[] = [];
  let [parts, paused, name] = [0, 0, ''];
  for (const { 0: part, index } of json.matchAll(JSON_PART)) {
    parts += 1;
    if (parts === PAUSE_PARTS || index - paused > PAUSE_UNITS) {
      [parts, paused] = [0, index];
      await setImmediate();
    }
    const parent = open.at(-1);
    if (part[0] === '"') name = part.slice(1, Math.min(part.length - 1, PATH_UNITS));
    else if (part === '[' || part === '{') {
      const below = parent?.isArray === false ? `.${name}` : '';
      open.push({ isArray: part === '[', path: `${parent?.path ?? ''}${below}`.slice(0, PATH_UNITS), start: index });
    } else {
      const closed = open.pop();
      if (closed?.isArray === false && open.at(-1)?.isArray)
        yield { path: closed.path, start: closed.start, end: index + 1 };
    }
  }
}

const nameOf = (path: string): string => (path === '' ? 'the outermost list' : visibleCell(path.slice(1)));

/**
 * Finds the list of orders: the outermost one whose objects have the columns of orders.
 * @returns its path; undefined: there is none @throws Failure if there are two; SyntaxError; RangeError
 * if each order is in a value within it
 */
async function findList(file: string, json: string, isOfOneAccount: boolean): Promise<string | undefined> {
  const lists = new Map<string, number>();
  const messages = new Set<string>();
  for await (const { path, start, end } of objectsIn(json)) {
    if (lists.has(path) || end - start > ORDER_UNITS || lists.size === MOST_LISTS) continue;
    const first = parseWithNames(json.slice(start, end)) as object;
    const lacks = (names: readonly string[]) => missingColumns(names, isOfOneAccount).length;
    lists.set(path, lacks(Object.keys(first)));
    if (lists.get(path) !== 0 || hasTrade(Object.keys(first))) continue;
    messages.add(path);
    const within = Object.values(first).flatMap((value) => (value instanceof Object ? [Object.keys(value)] : []));
    if (within.some((names) => hasTrade(names) && lacks(names) === 0))
      throw new RangeError('an order within another value');
  }
  const least = Math.min(...lists.values());
  const best = [...lists.keys()].filter((path) => lists.get(path) === least);
  // A list within an order is that of its fills.
  const isWithin = (path: string, other: string) => other !== path && path.startsWith(`${other}.`);
  const isAround = (path: string) => best.some((other) => isWithin(other, path) && !messages.has(other));
  const orders = best.filter((path) => !(messages.has(path) && isAround(path)));
  const outer = orders.filter((path) => !orders.some((other) => isWithin(path, other)));
  if (least === 0 && outer.length > 1) {
    throw new Failure('usage', `${file} has several lists of orders: ${nameSome(outer.map(nameOf), 5)}.`, {
      advice: 'Leave one of them in the file.',
    });
  }
  return outer[0];
}

/** Returns true if an array of a JSON value has objects and other values side by side. */
const isMixed = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  const members = Object.values(value);
  const objects = Array.isArray(value) ? members.filter(isObject).length : 0;
  return (objects > 0 && objects < members.length) || members.some(isMixed);
};

/**
 * Yields the objects of a list. @param outside gets the text beside the orders
 * @throws SyntaxError if the text is not JSON; RangeError if something is too long, or the list has other values
 */
async function* valuesOf(json: string, list: string, outside: { text: string }): AsyncGenerator<string> {
  let end = 0;
  outside.text = '';
  const take = (between: string) => {
    outside.text += between;
    if (outside.text.length > OTHER_UNITS) throw new RangeError('too much beside the orders');
  };
  for await (const found of objectsIn(json)) {
    if (found.path !== list) continue;
    const between = json.slice(end, found.start);
    // Orders with a comma between them stand for one.
    if (end === 0 || between.trim() !== ',') take(`${between}{}`);
    if (found.end - found.start > ORDER_UNITS) throw new RangeError('a long order');
    yield json.slice(found.start, found.end);
    end = found.end;
  }
  take(json.slice(end));
  if (isMixed(JSON.parse(outside.text))) throw new RangeError('other values');
}

/** Yields orders as lines of CSV: the cells of some columns, and in the last cell all that an order has besides. */
async function* linesOfJson(json: string, list: string, used: readonly string[]): AsyncGenerator<Lines> {
  const cellOf = (value: unknown) =>
    `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""').replace(/[\r\n]+/g, ' ')}"`;
  let [line, first, text] = [0, 1, ''];
  for await (const value of valuesOf(json, list, { text: '' })) {
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

/** Returns a JSON text, one value or one a line, as a text of one array. */
function asArray(text: string): string {
  const trimmed = text.trim();
  const end = trimmed.indexOf('\n');
  if (end > 0 && end <= OTHER_UNITS) {
    try {
      JSON.parse(trimmed.slice(0, end));
      const values = trimmed.split('\n').filter((line) => line.trim() !== '');
      return `[${values.join(',\n')}]`;
    } catch {
      // The first value has several lines.
    }
  }
  return trimmed.startsWith('[') ? text : `[${text}]`;
}

/** Reads orders in JSON as lines of CSV: an array of objects, anywhere in a value, or JSON Lines. @throws Failure */
export async function readJson(path: string, isOfOneAccount: boolean): Promise<OrderLines> {
  const advice = 'It is JSON. Give several files, or CSV, which may be of any size.';
  const text = decodeUtf8(path, readWhole(path, JSON_BYTES, advice)).replace(/^\ufeff/, '');
  const json = asArray(text);
  const heads = new Set<string>();
  const outside = { text: '' };
  let [orders, list] = [0, ''];
  try {
    const found = await findList(path, json, isOfOneAccount);
    if (found === undefined && json.length <= OTHER_UNITS) JSON.parse(json);
    if (found === undefined) throw new RangeError('no list');
    list = found;
    for await (const value of valuesOf(json, list, outside)) {
      for (const name of Object.keys(parseWithNames(value) as object)) heads.add(name);
      if (heads.size > JSON_NAMES) throw new RangeError('too many names');
      orders += 1;
    }
    const isAnswer = list === '' && json !== text && missingColumns([...heads], isOfOneAccount).includes('orderId');
    if (isAnswer || heads.size === 0) throw new RangeError('no orders');
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      // The position is that in the part that was parsed.
      const what = cause.message.replace(/( in JSON)? at position .*$/s, '');
      throw new Failure('usage', `${path} is not JSON: ${what}, after ${counted(orders, 'order')}.`, { cause });
    }
    if (!(cause instanceof RangeError)) throw cause;
    throw new Failure('usage', `${path} has no list of orders.`, {
      advice: `Give a JSON array of objects, each of at most ${ORDER_UNITS / 1024} KiB and all with at most ${JSON_NAMES} names, or CSV. pandas writes it by to_json(orient="records").`,
      cause,
    });
  }
  const found = findOrderColumns(path, [...heads], isOfOneAccount, list);
  const used = Object.values(found.headings).filter((head) => head !== undefined);
  const usedAt = Object.entries(found.headings).map(([column, head]) => [column, used.indexOf(head ?? '') + 1]);
  const columns = { ...found, places: Object.fromEntries(usedAt) as OrderColumns['places'], count: used.length + 1 };
  const stated = Array.from(outside.text.matchAll(ZONE_MEMBER), ([, name, zone, beside, text = '']) =>
    name === undefined
      ? { text, from: `the member ${visibleCell(beside ?? '')}` }
      : { text: `time zone: ${zone}`, from: `the member ${name}` },
  );
  const parts = linesOfJson(json, list, used);
  return { columns, delimiter: ',', preamble: 0, stated, parts, ...(list !== '' && { list: nameOf(list) }) };
}
