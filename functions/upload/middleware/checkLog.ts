import httpJsonBodyParser from '@middy/http-json-body-parser';
import { composeEntry, expiryOf, requireItemSize } from '../../ailog/entry.ts';
import { findSyntaxError } from '../../ailog/findSyntaxError.ts';
import { decodeJsonText, requireJsonObject } from '../../ailog/jsonText.ts';
import { orderWarning } from '../../ailog/orderId.ts';
import { withPlainNames } from '../../ailog/plainNames.ts';
import { validateAiLog } from '../../ailog/validateAiLog.ts';
import { apiError } from '../../errors.ts';
import { arrivalKeys } from '../../tlog/arrival.ts';
import type { Step } from '../request.ts';

/** The part of a request that Middy's parser uses: it replaces the text of a body by its value. */
interface BodyRequest {
  readonly event: { readonly headers: object; readonly isBase64Encoded: boolean; body: unknown };
}

// It takes several times the CPU of JSON.parse: docs/decisions.md#body-parser says why it is used. Its type asks for
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

export const parseJson = (): Step<'rawBody', 'bodyText' | 'parsedBody'> => ({
  before: ({ event }) => {
    event.bodyText = decodeJsonText(event.rawBody);
    event.parsedBody = requireJsonObject(parseJsonText(event.bodyText));
  },
});

/** Validates the parsed body against the schema of an AI log, and looks for an order id that is probably a mistake. */
export const validateBody = (): Step<'parsedBody' | 'bodyText', 'log' | 'orderWarning'> => ({
  before: ({ event }) => {
    event.log = validateAiLog(event.parsedBody, event.bodyText);
    event.orderWarning = orderWarning(event.log);
  },
});

/** Composes the entry and checks that it fits into one item, before the upload consumes any weight. */
export const prepareEntry = ({
  entryRetentionDays,
}: {
  entryRetentionDays: number | undefined;
}): Step<'caller' | 'access' | 'receivedAt' | 'locale' | 'rawBody' | 'log', 'entry'> => ({
  before: ({ event }) => {
    const { caller, access, receivedAt, locale, rawBody, log } = event;
    const entry = composeEntry(log, {
      ...caller,
      timestamp: access.timestamp,
      signature: access.signature,
      receivedAt,
      locale,
      sourceIp: event.requestContext.identity.sourceIp,
      rawBody,
      ...expiryOf(receivedAt, entryRetentionDays),
    });
    event.entry = { ...entry, ...arrivalKeys(entry) };
    requireItemSize(event.entry);
  },
});
