import type { Entry } from '../../functions/ailog/entry.ts';
import { STATEMENT_FORMAT, type StatementEnd, type StatementEntry, type StatementHeader } from './statement.ts';

/** Checks of the values of a line, by name. Every name must be there, and no other. */
type Shape<Line> = Readonly<Record<keyof Line, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime = (value: unknown): boolean => {
  const time = new Date(value as string);
  return isText(value) && !Number.isNaN(time.getTime()) && time.toISOString() === value;
};
const orNull = (check: (value: unknown) => boolean) => (value: unknown) => value === null || check(value);

const headerShape: Shape<StatementHeader> = {
  format: (value) => value === STATEMENT_FORMAT,
  uid: isText,
  origin: isText,
  since: orNull(isTime),
  until: orNull(isTime),
  generatedAt: isTime,
  policy: isText,
  checkpoint: isText,
  figures: (value) => {
    const { period } = (value ?? {}) as Partial<StatementHeader['figures']>;
    return isTime(period?.from) && isTime(period?.until);
  },
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
  proof: orNull((value) => Array.isArray(value) && value.every(isText)),
  receipt: orNull(isText),
};

const endShape: Shape<StatementEnd> = { end: (value) => value === true, entries: isCount, sha256: isText };

/** Parses a line. @throws Error that names the attribute that is missing, unknown or wrong */
function parseLine<Line>(line: string, shape: Shape<Line>, what: string): Line {
  let values: Record<string, unknown>;
  try {
    values = JSON.parse(line);
  } catch (cause) {
    throw new Error(`${what} is not JSON`, { cause });
  }
  if (typeof values !== 'object' || values === null) throw new Error(`${what} is not a JSON object`);
  for (const [name, check] of Object.entries<(value: unknown) => boolean>(shape)) {
    if (!Object.hasOwn(values, name)) throw new Error(`${what} has no ${name}`);
    if (!check(values[name]))
      throw new Error(`${what} has a wrong ${name}: ${JSON.stringify(values[name])?.slice(0, 200)}`);
  }
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined) throw new Error(`${what} has an unknown attribute ${JSON.stringify(unknown)}`);
  return values as Line;
}

/** Returns true if a line is the last one of a statement. */
export const isEnd = (line: string): boolean => line.startsWith('{"end":');

/** Parses the first line. @throws Error that says what is wrong */
export const parseHeader = (line: string): StatementHeader => parseLine(line, headerShape, 'The first line');

/** Parses the line of an entry. @throws Error that says what is wrong */
export const parseEntry = (line: string): StatementEntry => parseLine(line, entryShape, 'The line');

/** Parses the last line. @throws Error that says what is wrong */
export const parseEnd = (line: string): StatementEnd => parseLine(line, endShape, 'The last line');

/** Returns the entry that a line describes, without its stored body. */
export function entryOfLine({
  body,
  status,
  index,
  proof,
  receipt,
  query,
  orderId,
  receivedAt,
  ...texts
}: StatementEntry): Entry {
  return {
    ...texts,
    receivedAt: Date.parse(receivedAt as string),
    ...(orderId !== null && { orderId: BigInt(orderId) }),
    ...(query !== null && { query }),
  } as unknown as Entry;
}
