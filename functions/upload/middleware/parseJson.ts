import httpJsonBodyParser from '@middy/http-json-body-parser';
import { decodeJsonText, requireJsonObject } from '../../ailog/jsonText.ts';
import { withPlainNames } from '../../ailog/plainNames.ts';
import { apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

// It takes several times the CPU of JSON.parse: docs/decisions/body-parser.md says why it is used.
const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Matches the rest of a token that Python and Go write for a number, which JSON does not have. */
const NO_NUMBER = /Infinity|NaN/y;

/** Says why the parser rejected a text: V8's message, with the token after a minus sign, or the forbidden key. */
function reasonOf(error: unknown, text: string): string {
  const { data, message } = ((error as Error).cause ?? {}) as { data?: unknown; message?: string };
  if (message === undefined) return `the key "${data}" is not allowed`;
  if (message.startsWith('Maximum call stack')) return 'it is nested too deeply';
  const [, position] = /^No number after minus sign in JSON at position (\d+)/.exec(message) ?? [];
  NO_NUMBER.lastIndex = Number(position);
  const [token] = (position !== undefined && NO_NUMBER.exec(text)) || [];
  return token === undefined ? message : `Unexpected token '-${token}' at position ${Number(position) - 1}`;
}

/** Returns a reason for the log line. V8 quotes the text only in messages with quotation marks and no position. */
const forLogLine = (reason: string): string =>
  reason.includes('"') && !reason.startsWith('the key') ? 'a syntax error' : reason;

/** Parses a text with Middy's body parser. @throws HttpError of the parser */
function parseWithMiddy(text: string): unknown {
  const event = { body: text as unknown, isBase64Encoded: false, headers: {} };
  parser.before?.({ event } as never);
  return event.body;
}

/** Parses JSON text with Middy's body parser. @throws ApiError 40017 that says where the JSON is invalid */
export function parseJsonText(text: string): unknown {
  try {
    const plain = withPlainNames(text);
    // The text as it was sent is parsed as well, because the error names a position in it.
    if (plain !== text) parseWithMiddy(text);
    return parseWithMiddy(plain);
  } catch (error) {
    // The parser's error contains the whole body. It must not become the cause, which is logged.
    const reason = reasonOf(error, text);
    throw apiError('jsonInvalid', { reason }, { logged: { reason: forLogLine(reason) } });
  }
}

/** Parses the body, which must be a JSON object. */
export const parseJson = (): Middleware => ({
  before: ({ event }) => {
    event.bodyText = decodeJsonText(event.rawBody);
    event.parsedBody = requireJsonObject(parseJsonText(event.bodyText));
  },
});
