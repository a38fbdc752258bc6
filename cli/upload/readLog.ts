import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { composeEntry, requireItemSize } from '../../functions/ailog/entry.ts';
import { decodeJsonText, requireJsonObject } from '../../functions/ailog/jsonText.ts';
import { requireBodySize } from '../../functions/ailog/limits.ts';
import { orderWarning } from '../../functions/ailog/orderWarning.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import { ApiError } from '../../functions/errors.ts';
import { parseJsonText } from '../../functions/upload/middleware/parseJson.ts';
import { namingFile } from '../shell/files/write.ts';
import { watchInterruption } from '../shell/terminal/signals.ts';
import type { Terminal } from '../shell/terminal/terminal.ts';

/** Reads the bytes of a log from a file, or from the standard input if the name is `-`; with its name for messages. */
export async function readLog({ cwd, stdin, signal }: Terminal, file: string): Promise<{ name: string; body: Buffer }> {
  const path = resolve(cwd(), file);
  if (file !== '-') return { name: basename(file), body: namingFile(path, () => readFileSync(path)) };
  return { name: 'the standard input', body: await Promise.race([buffer(stdin), watchInterruption(signal).stop]) };
}

/** Reads a request body as the service does. @throws ApiError that the service would respond with */
function readBody(rawBody: Buffer) {
  requireBodySize(rawBody);
  const bodyText = decodeJsonText(rawBody);
  const parsed = requireJsonObject(parseJsonText(bodyText));
  const log = validateAiLog(parsed, bodyText);
  return { log, warning: orderWarning(log, parsed.orderId) };
}

/** Returns the AI log in a request body. @throws ApiError that the service would respond with */
export const readAiLog = (rawBody: Buffer): AiLog => readBody(rawBody).log;

/** Stands in for what only a request has. It adds to the size of the entry, but no rule depends on it. */
const TEXTS = { uid: '', accessKey: '', timestamp: '', signature: '', query: '', locale: 'en-US', sourceIp: '' };

/**
 * Checks a body as the service would. @returns `objection`: the error of the service; `orderId`: null if the log names
 * no order; `warning`: see `orderWarning`
 */
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
