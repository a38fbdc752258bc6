import httpJsonBodyParser from '@middy/http-json-body-parser';
import { findSyntaxError } from '../../ailog/findSyntaxError.ts';
import { decodeJsonText, requireJsonObject } from '../../ailog/jsonText.ts';
import { withPlainNames } from '../../ailog/plainNames.ts';
import { apiError } from '../../errors.ts';
import type { Middleware } from '../request.ts';

/** What Middy's parser uses of a request: it replaces the text of a body by its value. */
interface BodyRequest {
  readonly event: { readonly headers: object; readonly isBase64Encoded: boolean; body: unknown };
}

// It takes several times the CPU of JSON.parse: docs/decisions/body-parser.md says why it is used. Its type asks for
// more of a request than it reads, and `ailog upload`, which checks logs with the same parser, has a text only.
const parser = httpJsonBodyParser({ disableContentTypeCheck: true }) as { before(request: BodyRequest): void };

/** Parses JSON text with Middy's body parser. @throws ApiError 40017 that says where the JSON is invalid */
export function parseJsonText(text: string): unknown {
  const event = { headers: {}, isBase64Encoded: false, body: withPlainNames(text) as unknown };
  try {
    parser.before({ event });
    return event.body;
  } catch (error) {
    // The parser's error contains the whole body. It must not become the cause, which is logged.
    const problem = findSyntaxError(text);
    if (problem) {
      const reason = problem.text + problem.quotation;
      throw apiError('jsonInvalid', { reason }, { logged: { reason: problem.text } });
    }
    const { message, data } = (error as { cause: { message?: string; data: unknown } }).cause;
    // Without a message, the data is a key that the parser forbids. Else the stack did not suffice.
    const reason = message === undefined ? `the key "${data}" is not allowed` : 'it is nested too deeply';
    throw apiError('jsonInvalid', { reason });
  }
}

/** Parses the body, which must be a JSON object. */
export const parseJson = (): Middleware => ({
  before: ({ event }) => {
    event.bodyText = decodeJsonText(event.rawBody);
    event.parsedBody = requireJsonObject(parseJsonText(event.bodyText));
  },
});
