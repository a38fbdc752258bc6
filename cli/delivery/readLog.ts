import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { composeEntry, requireItemSize } from '../../functions/ailog/entry.ts';
import { decodeJsonText, requireJsonObject } from '../../functions/ailog/jsonText.ts';
import { requireBodySize } from '../../functions/ailog/limits.ts';
import { orderWarning } from '../../functions/ailog/orderWarning.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { validateAiLog } from '../../functions/ailog/validateAiLog.ts';
import { ApiError } from '../../functions/errors.ts';
import { parseJsonText } from '../../functions/upload/middleware/parseJson.ts';
import { namingFile } from '../files/write.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A log, not yet parsed. */
export interface Log {
  /** The name for messages. */
  readonly name: string;
  /** The bytes of the file, unchanged. */
  readonly body: Buffer;
}

/** Reads a log from a file, or from the standard input if the name is `-`. */
export async function readLog({ cwd, stdin }: Terminal, file: string): Promise<Log> {
  const path = resolve(cwd(), file);
  if (file !== '-') return { name: basename(file), body: namingFile(path, () => readFileSync(path)) };
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return { name: 'the standard input', body: Buffer.concat(chunks) };
}

/**
 * Reads the AI log in a request body by the same rules as the service.
 * @throws ApiError that the service would respond with
 */
export function readAiLog(rawBody: Buffer): AiLog {
  requireBodySize(rawBody);
  const bodyText = decodeJsonText(rawBody);
  return validateAiLog(requireJsonObject(parseJsonText(bodyText)), bodyText);
}

/** Stands in for what only a request has. It adds to the size of the entry, but no rule depends on it. */
const REQUEST = {
  uid: '',
  accessKey: '',
  timestamp: '',
  signature: '',
  query: '',
  receivedAt: 0,
  locale: 'en-US',
  sourceIp: '',
};

/** The result of a check: the error that the service would respond with, or the order that the log names. */
interface Checked {
  readonly objection?: Pick<ApiError, 'code' | 'message'>;
  /** The order id as text; null if the log names no order. */
  readonly orderId: string | null;
  /** The warning that the service would add to its answer: see `orderWarning`. */
  readonly warning: string | undefined;
}

/** Checks a body as the service would. */
export function checkLog(rawBody: Buffer): Checked {
  try {
    const log = readAiLog(rawBody);
    const entry = composeEntry(log, { ...REQUEST, rawBody });
    requireItemSize(entry);
    return { orderId: entry.orderId === undefined ? null : String(entry.orderId), warning: orderWarning(log) };
  } catch (error) {
    if (error instanceof ApiError) return { objection: error, orderId: null, warning: undefined };
    throw error;
  }
}
