import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseWithNames } from '../../../functions/ailog/plainNames.ts';
import { removedAtExit } from '../../shell/files/removedAtExit.ts';
import { linkNew, namingFile, requireNoFile, syncFolder, writeFully } from '../../shell/files/write.ts';
import type { EntryDescription } from '../../store/entries/describeEntry.ts';

/** The format of statements. docs/proof.md documents it; docs/decisions/statements.md says why it is one file. */
export const STATEMENT_FORMAT = 'ai-log-statement/v1';

/**
 * The first line of a statement. Like all of it, it has facts only: no figures, no reasons and no rules, so that a
 * statement is judged alike by every later revision. Times are ISO 8601 in UTC.
 */
export interface StatementHeader {
  readonly format: typeof STATEMENT_FORMAT;
  readonly uid: string;
  readonly origin: string;
  /** The period, by the times at which the team signed; null: without limit. `until` is exclusive. */
  readonly since: string | null;
  readonly until: string | null;
  readonly generatedAt: string;
  /** The C2SP tlog-policy of the log. A verifier uses the policy that it got elsewhere. */
  readonly policy: string;
  readonly checkpoint: string;
}

/** A line of a statement: an entry, with its body as it was signed. */
export interface StatementEntry extends EntryDescription {
  /** Null if the stored body is damaged. */
  readonly body: string | null;
  /**
   * `logged`: it is in the log. `pending`: the log has not come past its time and the ten minutes after it. `differs`:
   * its row was changed since it was stored. `missing`: the log came past its time without it.
   */
  readonly status: 'logged' | 'pending' | 'differs' | 'missing';
  /** Null unless it is logged: its index in the log, and the inclusion proof in base64, the leaf's sibling first. */
  readonly index: number | null;
  readonly proof: readonly string[] | null;
}

export interface StatementEnd {
  readonly end: true;
  readonly entries: number;
  /** Hex SHA-256 of all bytes before this line. */
  readonly sha256: string;
}

type Check = (value: unknown) => boolean;

/** Checks of the values of a line, by name. Every name must be there, in this order, and no other. */
type Shape<Line> = Readonly<Record<keyof Line, Check>>;

/** Half of a surrogate pair would become U+FFFD in UTF-8: two statements would have the same hashes. */
const isText: Check = (value) => typeof value === 'string' && value.isWellFormed();
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime: Check = (value) => isText(value) && new Date(value as string).toJSON() === value;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const headerShape: Shape<StatementHeader> = {
  format: (value) => value === STATEMENT_FORMAT,
  uid: isText,
  origin: isText,
  since: orNull(isTime),
  until: orNull(isTime),
  generatedAt: isTime,
  policy: isText,
  checkpoint: isText,
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
};

const endShape: Shape<StatementEnd> = { end: (value) => value === true, entries: isCount, sha256: isText };

/**
 * Parses a line. Its bytes must be those that the command writes for what it says, so that one statement has one form:
 * no other spaces, spellings or order of names, and no name twice. An attribute that the format does not have is wrong
 * too: nobody could vouch for it, and a reader would take it for proven. A new one makes a new format.
 * @throws Error that names the attribute that is missing, unknown or wrong
 */
function parseLine<Line>(line: string, shape: Shape<Line>, what: string): Line {
  let values: Record<string, unknown>;
  try {
    values = parseWithNames(line) as typeof values;
  } catch (cause) {
    throw new Error(`${what} is not JSON`, { cause });
  }
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw new Error(`${what} is not a JSON object`);
  for (const [name, check] of Object.entries<Check>(shape)) {
    if (!Object.hasOwn(values, name)) throw new Error(`${what} has no ${name}`);
    if (!check(values[name]))
      throw new Error(`${what} has a wrong ${name}: ${JSON.stringify(values[name])?.slice(0, 200)}`);
  }
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined) {
    throw new Error(`${what} has an attribute that ${STATEMENT_FORMAT} does not have: ${JSON.stringify(unknown)}`);
  }
  if (Object.keys(values).join() !== Object.keys(shape).join() || JSON.stringify(values) !== line) {
    throw new Error(`${what} is not written as ailog writes it: a name twice, other spaces, or another order`);
  }
  return values as Line;
}

/** Returns the format of a statement that another revision wrote, by its first line; undefined if it is none. */
export function otherFormatOf(line: string): string | undefined {
  const [, format] = /^\{"format":"(ai-log-statement\/v\d{1,9})"/.exec(line) ?? [];
  return format === STATEMENT_FORMAT ? undefined : format;
}

export const isEnd = (line: string): boolean => line.startsWith('{"end":');

/** Each parses a line. @throws Error that says what is wrong */
export const parseHeader = (line: string): StatementHeader => parseLine(line, headerShape, 'The first line');

export const parseEntry = (line: string): StatementEntry => parseLine(line, entryShape, 'The line');
export const parseEnd = (line: string): StatementEnd => parseLine(line, endShape, 'The last line');

/** Returns true if an entry can be described in a statement: it has every attribute, and each can be one. */
export const canBeStated = (entry: StatementEntry): boolean =>
  Object.entries<Check>(entryShape).every(([name, check]) => check(entry[name as keyof StatementEntry]));

/** Opens a new statement, named `FILE.part` until it is complete. @throws Failure if the file or its part exists */
export function openStatementFile(path: string) {
  const part = `${path}.part`;
  requireNoFile([path, part]);
  const file = openSync(part, 'wx', 0o600);
  const remove = removedAtExit(part);
  const hash = createHash('sha256');
  const write = (line: StatementHeader | StatementEntry | StatementEnd) => {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    writeFully(part, file, bytes);
    hash.update(bytes);
  };

  return {
    write,
    /** Writes the last line, and gives the file its name. @throws if a file of that name exists now */
    finish(entries: number): void {
      write({ end: true, entries, sha256: hash.copy().digest('hex') });
      namingFile(part, () => fsyncSync(file));
      linkNew(part, path);
      syncFolder(dirname(path));
    },
    discard(): void {
      closeSync(file);
      remove();
    },
  };
}
