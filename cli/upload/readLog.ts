import { closeSync, fstatSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { composeEntry, requireItemSize } from '../../functions/ailog/entry.ts';
import { decodeJsonText, requireJsonObject } from '../../functions/ailog/jsonText.ts';
import { BODY_LIMIT_BYTES, requireBodySize } from '../../functions/ailog/limits.ts';
import { orderWarning } from '../../functions/ailog/orderId.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import { ApiError, apiError } from '../../functions/errors.ts';
import { parseJsonText } from '../../functions/upload/middleware/checkLog.ts';
import { openRegularFile } from '../shell/files/openRegularFile.ts';
import { readOpened } from '../shell/files/readWhole.ts';
import type { Surroundings } from '../shell/terminal/defineCommand.ts';
import { Failure, failureOf } from '../shell/terminal/failure.ts';
import { watchInterruption } from '../shell/terminal/signals.ts';

/** Reads a log from a file. @throws ApiError if it is too large; Failure, or an error of the file system */
export function readLogFile(path: string): Buffer {
  const file = openRegularFile(path);
  try {
    requireBodySize({ length: fstatSync(file).size });
    return readOpened(path, file, BODY_LIMIT_BYTES);
  } finally {
    closeSync(file);
  }
}

async function readInput(stdin: Surroundings['stdin']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    length += chunk.length;
    if (length > BODY_LIMIT_BYTES) throw apiError('requestTooLarge', { limit: BODY_LIMIT_BYTES });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Says why a log cannot be uploaded. @param error what reading or checking it met */
export const sayObjection = (error: unknown): string =>
  error instanceof ApiError ? `${error.code}: ${error.message}` : failureOf(error).message.replace(/\.$/, '');

/** Returns the failure of a log that the service would reject. */
export const wouldBeRejected = (name: string, objection: ApiError): Failure =>
  new Failure('negative', `${name} would be rejected, ${sayObjection(objection)}.`);

/** Reads a log from a file, or for `-` from stdin. @throws Failure, or an error of the file system */
export async function readLog(
  { cwd, stdin, signal }: Surroundings,
  file: string,
): Promise<{ name: string; body: Buffer }> {
  const name = file === '-' ? 'the standard input' : basename(file);
  try {
    if (file !== '-') return { name, body: readLogFile(resolve(cwd(), file)) };
    return { name, body: await Promise.race([readInput(stdin), watchInterruption(signal).stop]) };
  } catch (error) {
    throw error instanceof ApiError ? wouldBeRejected(name, error) : error;
  }
}

function readBody(rawBody: Buffer) {
  requireBodySize(rawBody);
  const bodyText = decodeJsonText(rawBody);
  const parsed = requireJsonObject(parseJsonText(bodyText));
  const log = validateAiLog(parsed, bodyText);
  return { log, warning: orderWarning(log) };
}

/** Returns the AI log in a request body. @throws ApiError that the service would respond with */
export const readAiLog = (rawBody: Buffer): AiLog => readBody(rawBody).log;

/** Stands in for what only a request has. It adds to the size of the entry, but no rule depends on it. */
const TEXTS = { uid: '', accessKey: '', timestamp: '', signature: '', locale: 'en-US', sourceIp: '' };

/** Checks a body as the service would. `objection`: its error; `orderId`: null for no order; see `orderWarning`. */
export function checkLog(rawBody: Buffer) {
  try {
    const { log, warning } = readBody(rawBody);
    const entry = composeEntry(log, { ...TEXTS, receivedAt: 0, rawBody });
    requireItemSize(entry);
    return { orderId: entry.orderId === undefined ? null : String(entry.orderId), warning };
  } catch (error) {
    if (error instanceof ApiError) return { objection: error, orderId: null, warning: undefined };
    throw error;
  }
}

/** Reads a log from a file and checks it. @returns as `checkLog`; `objection` may also be why it cannot be read */
export function checkLogFile(path: string): Omit<ReturnType<typeof checkLog>, 'objection'> & { objection?: unknown } {
  try {
    return checkLog(readLogFile(path));
  } catch (objection) {
    return { objection, orderId: null, warning: undefined };
  }
}
