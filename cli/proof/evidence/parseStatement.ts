import { parseWithNames } from '../../../functions/ailog/plainNames.ts';
import { repeatKinds } from '../../review/figures/figures.ts';
import { reasons } from '../../review/figures/reasonsToLook.ts';
import {
  type FigureOfOrders,
  STATEMENT_FORMAT,
  type StatementEnd,
  type StatementEntry,
  type StatementHeader,
} from './statement.ts';

type Check = (value: unknown) => boolean;

/** Checks of the values of an object, by name. Every name must be there, in this order, and no other. */
type Shape<Value> = Readonly<Record<keyof Value, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime: Check = (value) => {
  const time = new Date(value as string);
  return isText(value) && !Number.isNaN(time.getTime()) && time.toISOString() === value;
};
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const hasShape =
  <Value>(shape: Shape<Value>): Check =>
  (value) =>
    isObject(value) &&
    Object.keys(value).join() === Object.keys(shape).join() &&
    Object.entries<Check>(shape).every(([name, check]) => check(value[name]));

/** Counts by a name that only has to be text. */
const counts: Check = (value) => isObject(value) && Object.values(value).every(isCount);

const countsOf = (names: readonly string[]) => hasShape(Object.fromEntries(names.map((name) => [name, isCount])));

const figuresShape: Shape<Omit<StatementHeader['figures'], FigureOfOrders>> = {
  period: hasShape({ from: isTime, until: isTime }),
  uid: isText,
  team: orNull(isText),
  status: isText,
  lookAt: listOf((value) => isText(value) && Object.hasOwn(reasons, value as string)),
  entries: isCount,
  first: orNull(isTime),
  last: orNull(isTime),
  perDay: counts,
  models: counts,
  stages: counts,
  withOrder: isCount,
  withOrderPercent: orNull((value) => typeof value === 'number'),
  complete: isCount,
  missing: countsOf(['modelVersion', 'data', 'order', 'versionOrData']),
  silences: listOf(hasShape({ seconds: isCount, from: isTime, until: isTime, orders: isCount })),
  ownRepeats: isCount,
  copies: isCount,
  sameTime: isCount,
  ownRepeatsByKind: orNull(countsOf(repeatKinds)),
  copiesByKind: orNull(countsOf(repeatKinds)),
  sameTimeByKind: orNull(countsOf(repeatKinds)),
  hiddenCharacters: isCount,
  cutTexts: isCount,
  foreignOrders: isCount,
};

const headerShape: Shape<StatementHeader> = {
  format: (value) => value === STATEMENT_FORMAT,
  uid: isText,
  origin: isText,
  since: orNull(isTime),
  until: orNull(isTime),
  generatedAt: isTime,
  policy: isText,
  checkpoint: isText,
  figures: hasShape(figuresShape),
  entries: isCount,
};

const entryShape: Shape<StatementEntry> = {
  uid: isText,
  entryId: isText,
  receivedAt: isTime,
  orderId: orNull((value) => isText(value) && /^[1-9]\d{0,18}$/.test(value as string)),
  stage: isText,
  model: isText,
  explanation: orNull(isText),
  bodySha256: isText,
  bodyBytes: isCount,
  accessKey: isText,
  timestamp: (value) => isText(value) && /^\d{13}$/.test(value as string),
  signature: isText,
  query: orNull(isText),
  locale: isText,
  sourceIp: isText,
  body: orNull(isText),
  status: (value) => ['logged', 'pending', 'differs', 'missing'].includes(value as string),
  index: orNull(isCount),
  proof: orNull(listOf(isText)),
};

const endShape: Shape<StatementEnd> = { end: (value) => value === true, entries: isCount, sha256: isText };

/**
 * Parses a line. Its bytes must be those that the command writes for what it says, so that one statement has one form:
 * no other spaces, spellings or order of names, and no name twice, at any depth.
 * @throws Error that names the attribute that is missing, unknown or wrong
 */
function parseLine<Line>(line: string, shape: Shape<Line>, what: string): Line {
  let values: unknown;
  try {
    values = parseWithNames(line);
  } catch (cause) {
    throw new Error(`${what} is not JSON`, { cause });
  }
  if (!isObject(values)) throw new Error(`${what} is not a JSON object`);
  for (const [name, check] of Object.entries<Check>(shape)) {
    if (!Object.hasOwn(values, name)) throw new Error(`${what} has no ${name}`);
    if (!check(values[name]))
      throw new Error(`${what} has a wrong ${name}: ${JSON.stringify(values[name])?.slice(0, 200)}`);
  }
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined) throw new Error(`${what} has an unknown attribute ${JSON.stringify(unknown)}`);
  if (!hasShape(shape)(values) || JSON.stringify(values) !== line) {
    throw new Error(`${what} is not written as ailog writes it: a name twice, other spaces, or another order`);
  }
  return values as Line;
}

export const isEnd = (line: string): boolean => line.startsWith('{"end":');

/** Parses the first line. @throws Error that says what is wrong */
export const parseHeader = (line: string): StatementHeader => parseLine(line, headerShape, 'The first line');

/** Parses the line of an entry. @throws Error that says what is wrong */
export const parseEntry = (line: string): StatementEntry => parseLine(line, entryShape, 'The line');

/** Parses the last line. @throws Error that says what is wrong */
export const parseEnd = (line: string): StatementEnd => parseLine(line, endShape, 'The last line');
