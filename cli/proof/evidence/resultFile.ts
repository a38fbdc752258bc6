import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { findTopLevelValue } from '../../../functions/ailog/jsonScanner.ts';
import { parseJson } from '../../../functions/ailog/plainNames.ts';
import { openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { isJson } from '../../shell/text/json.ts';
import { type Context, collectFindings, type EvidenceFormat } from './evidence.ts';
import { decodeReceiptHeader, judgeReceipt } from './receiptEvidence.ts';
import { readBeside } from './smallFile.ts';

export const RESULTS_FILE = 'ailog-results.jsonl';

/** The size of the largest result file that is read. A log takes about 1.5 KB, so this is more than 150 000 logs. */
export const RESULTS_LIMIT_BYTES = 256 * 1024 * 1024;

/** The longest line, in characters, and the lines after which other work has its turn. */
const LINE_CHARACTERS = 1024 * 1024;
const PAUSE_LINES = 1000;

const STATES = ['sending', 'stored', 'not stored', 'unknown'] as const;

/** One line of a result file: a step in the upload of one log. */
export interface Line {
  /** It identifies the log in later runs. */
  readonly file: string;
  /** The base URL. A log that was uploaded to the local run is still new for a deployment. */
  readonly url: string;
  readonly accessKey: string;
  readonly uid?: string | undefined;
  /** `sending` is written before the first byte is sent. It is the last state of a log if the run was interrupted. */
  readonly state: (typeof STATES)[number];
  /** Hex SHA-256 of the file. */
  readonly digest: string;
  /** The order id that the command inserted into the log. */
  readonly order?: string | undefined;
  /** The id that the entry has if it is stored. Its first 13 digits are the timestamp of the request. */
  readonly entryId: string;
  /** The value of AI-LOG-RECEIPT, if the log is stored and the service sent one. */
  readonly receipt?: string | undefined;
  readonly says?: string | undefined;
  readonly at: string;
}

const REQUIRED = new Set(['file', 'url', 'accessKey', 'digest', 'entryId', 'at']);
const OPTIONAL = ['uid', 'order', 'receipt', 'says'];

/** Checks a line of a result file, which others may have written. @param number from 1 @throws Failure if it is none */
export function requireLine(value: unknown, number: number, path: string): Line {
  const wrong = (problem: string) =>
    new Failure('usage', `Line ${number} of ${path} is not a result of an upload: ${problem}.`, {
      advice: 'Give the result file of an upload, such as ailog-results.jsonl.',
    });
  if (typeof value !== 'object' || value === null) throw wrong('it is not an object');
  const line = value as Readonly<Record<string, unknown>>;
  const isWrong = (name: string) => typeof line[name] !== 'string' && (REQUIRED.has(name) || line[name] !== undefined);
  const name = [...REQUIRED, ...OPTIONAL].find(isWrong);
  if (name !== undefined) throw wrong(`its ${name} is ${line[name] === undefined ? 'missing' : 'not a text'}`);
  if (!STATES.some((state) => state === line.state)) throw wrong(`its state is none of ${STATES.join(', ')}`);
  return value as Line;
}

/** @throws Failure if it is not JSON */
function parseLine(text: string, number: number, path: string): unknown {
  try {
    if (text.length > LINE_CHARACTERS) throw new RangeError('The line is too long');
    return parseJson(text);
  } catch (cause) {
    throw new Failure('usage', `Line ${number} of ${path} is not JSON.`, {
      advice: 'Correct it, or use another result file: --results FILE.',
      cause,
    });
  }
}

/**
 * Reads an open result file. @returns its lines, parsed but not checked, and the bytes of those with a line feed. The
 * last one may have none (`isOpen`), or half a line may follow (`isCutOff`)
 * @throws Failure if it is too large, or if a line is not JSON
 */
export async function parseResults(descriptor: number, path: string) {
  if (fstatSync(descriptor).size > RESULTS_LIMIT_BYTES) {
    throw new Failure('usage', `${path} is larger than ${RESULTS_LIMIT_BYTES / 1024 / 1024} MiB.`, {
      advice: 'Use another result file: --results FILE.',
    });
  }
  const text = readFileSync(descriptor, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const rest = text.slice(whole.length);
  const isCutOff = rest !== '' && isHalfLine(rest, whole !== '');
  const isOpen = rest !== '' && !isCutOff;
  const lines = (isOpen ? text : whole).split('\n').slice(0, isOpen ? undefined : -1);
  const values: unknown[] = [];
  for (const line of lines) {
    // Other work, such as a signal, has its turn.
    if (values.length % PAUSE_LINES === 0) await setImmediate();
    values.push(parseLine(line, values.length + 1, path));
  }
  return { values, length: Buffer.byteLength(whole), isOpen, isCutOff };
}

/** Matches what every line begins with, up to the end of the name of the log, and what follows the name. */
const NAME = /^\{"file":"[^"\\]*(?:\\.[^"\\]*)*/s;
const AFTER_NAME = '","url":"';

/**
 * Checks that the text after the last line feed is what a power cut leaves of a line. A file system may have put zero
 * bytes in the place of what was not written. A JSON text is never half a line: it is a whole one, or another file.
 * @param follows true if complete lines are before it, so that nothing but a line can have been cut off
 */
function isHalfLine(rest: string, follows: boolean): boolean {
  let end = rest.length;
  while (rest[end - 1] === '\0') end -= 1;
  const written = rest.slice(0, end);
  if (written === '') return follows;
  const [start] = NAME.exec(written) ?? [];
  if (start === undefined) return '{"file":"'.startsWith(written);
  const after = written.slice(start.length);
  return after === '\\' || AFTER_NAME.startsWith(after) || (after.startsWith(AFTER_NAME) && !isJson(written));
}

/** As `parseResults`, of the file at a path. */
export async function readResults(path: string) {
  const descriptor = openRegularFile(path);
  try {
    return await parseResults(descriptor, path);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Returns a log with this order id: in the place of the value of `orderId`, or else after the first bracket. Every
 * other byte stays as it is, and all that is not JSON. @throws Failure if the log names another order
 */
export function setOrderId(body: Buffer, orderId: bigint): Buffer {
  // One character per byte: JSON's own characters are ASCII, and the bytes of other characters never look like them.
  const text = body.toString('latin1');
  if (!isJson(text)) return body;
  const found = findTopLevelValue(text, 'orderId');
  const splice = (start: number, end: number, inserted: string) =>
    Buffer.from(text.slice(0, start) + inserted + text.slice(end), 'latin1');
  if (!found) {
    const start = text.indexOf('{') + 1;
    return splice(start, start, `"orderId":${orderId},`);
  }
  const named = found.text === 'null' ? '' : found.text.replaceAll('"', '');
  if (!['', '0', String(orderId)].includes(named)) {
    const advice = 'Omit --order, or correct the log.';
    throw new Failure('usage', `The log names another order, ${named}.`, { advice });
  }
  return splice(found.start, found.start + found.text.length, String(orderId));
}

/** Returns the body that a line is about, from the file beside the result file; undefined if there is none. */
function bodyOf({ file, order }: Line, folder: string): Context['body'] {
  // A result file of others must not name files elsewhere.
  if (file !== basename(file)) return undefined;
  const read = readBeside(join(folder, file));
  return read && { name: file, bytes: order === undefined ? read.bytes : setOrderId(read.bytes, BigInt(order)) };
}

async function verifyLine(line: Line, folder: string, context: Context) {
  const findings = collectFindings();
  const { facts, attempt, wrong, notProven } = findings;
  facts.log = line.file;
  const header = line.state === 'stored' ? line.receipt : undefined;
  if (header === undefined) {
    const why = line.state === 'stored' ? 'the result file has no receipt of it' : `its last state is "${line.state}"`;
    notProven.push(`that the service accepted the log: ${why}`);
    return findings;
  }
  await judgeReceipt(
    findings,
    () => decodeReceiptHeader(header),
    context,
    ({ entryId }) => {
      if (entryId !== line.entryId) wrong.push(`The receipt is not about the entry of the line, ${line.entryId}`);
      return attempt(() => bodyOf(line, folder));
    },
  );
  return findings;
}

/** The result file of `ailog upload`, with the receipts of all stored logs. */
export const resultEvidence: EvidenceFormat = {
  name: 'result file',
  options: ['log'],
  recognizes: (text) => /^\{"file":"[^\n]*"url":"/.test(text),
  async *verify({ name, path }, context) {
    const last = new Map<string, Line>();
    const { values, isCutOff } = await readResults(path);
    for (const [index, value] of values.entries()) {
      const findings = collectFindings();
      const line = findings.attempt(() => requireLine(value, index + 1, name));
      if (!line) {
        yield findings;
        continue;
      }
      const log = JSON.stringify([line.url, line.file]);
      // A log that was stored stays so, whatever a later run of the command did.
      if (line.state === 'stored' || last.get(log)?.state !== 'stored') last.set(log, line);
    }
    for (const line of last.values()) yield verifyLine(line, dirname(path), context);
    if (!isCutOff) return;
    const findings = collectFindings();
    findings.facts.line = values.length + 1;
    findings.notProven.push('anything about the log of the last line: the line is cut off');
    yield findings;
  },
};
