import { readFileSync } from 'node:fs';
import { BODY_LIMIT_BYTES, ITEM_LIMIT_BYTES } from '../../functions/ailog/limits.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { type ApiErrorName, apiError, apiErrors } from '../../functions/errors.ts';
import { settings } from '../settings.ts';

/** The time in all examples, in milliseconds since 1970. */
export const EXAMPLE_TIME = 1763103201300;

const samples = {
  locale: '"en-US,en;q=0.9"',
  encoding: 'gzip',
  limit: BODY_LIMIT_BYTES,
  received: 1_500_000,
  stored: 500_000,
  serverTime: EXAMPLE_TIME,
  timestamp: EXAMPLE_TIME - 42_000,
  toleranceSeconds: CLOCK_TOLERANCE_MS / 1000,
  uid: '1001',
  reason: 'it is empty',
  subject: 'UID',
  used: settings.uidQuota.default,
  quota: settings.uidQuota.default,
  window: settings.windowSeconds.default,
  seconds: 7,
  path: UPLOAD_PATH,
  seen: 'is in hex',
  status: 'suspended',
  problems: 'Parameter stage cannot be empty; Parameter model cannot be empty',
};

/** The values for errors that use a name with another meaning. */
const ownSamples: Partial<Record<ApiErrorName, Readonly<Record<string, string | number>>>> = {
  jsonNotObject: { received: 'an array' },
  parameterInvalid: { problems: 'Parameter input is invalid: it must be a JSON object, received a string' },
  accessKeyInvalid: { received: '"ailog_5ba7…" (37 characters)' },
  secretDecoded: { encoding: 'hex' },
  unknownPath: { received: `/${UPLOAD_PATH}` },
  partitionThrottled: { seconds: 1 },
  throttled: { seconds: 1 },
  entryTooLarge: { limit: ITEM_LIMIT_BYTES, received: 1_000_000 },
};

const descriptions: Readonly<Record<string, string>> = {
  400: 'The locale, the body or one of its fields is wrong, or there is a query string. Nothing is stored.',
  401: 'The request cannot be authenticated. Nothing is stored.',
  403: 'The UID is not approved on the allowlist, or the gateway blocked the request. Nothing is stored.',
  404: 'The base URL is wrong. Nothing is stored.',
  405: 'The method is not POST. Nothing is stored.',
  413: 'The body is too large. Nothing is stored.',
  415: 'The Content-Type is not application/json, or the body has a Content-Encoding. Nothing is stored.',
  429: 'The quota of the UID or of the IP address is used up, or all callers together exceed the rate limit. This request stored nothing: resend the identical request after Retry-After.',
  500: 'An unexpected error. The log may or may not be stored: resend the identical request.',
  503: 'A dependency of the service is busy. The log may or may not be stored: resend the identical request after Retry-After.',
};

/** Returns the last column of docs/teams.md, "what to do", by error. The rows are in the order of the catalogue. */
function advice(): Readonly<Record<string, string | undefined>> {
  const text = readFileSync(new URL('../../docs/teams.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| \d{3} \| .* \| (.*) \|$/gm)];
  return Object.fromEntries(Object.keys(apiErrors).map((name, i) => [name, rows[i]?.[1]]));
}

/** Returns the error responses by status, with an example for each error. @param always the headers of all of them */
export function errorResponses(always: object, headersOf: Readonly<Record<string, object>>): Record<string, unknown> {
  const toDo = advice();
  const example = (name: ApiErrorName) => {
    const { code, message: msg } = apiError(name, { ...samples, ...ownSamples[name] });
    const value = { code, msg, requestTime: EXAMPLE_TIME, data: null };
    return { summary: apiErrors[name].msg, description: toDo[name], value };
  };
  const names = Object.groupBy(Object.keys(apiErrors) as ApiErrorName[], (name) => String(apiErrors[name].status));
  const responses = Object.entries(names).map(([status, these = []]) => {
    const examples = Object.fromEntries(these.map((name) => [name, example(name)]));
    const content = { 'application/json': { schema: { $ref: '#/components/schemas/UploadError' }, examples } };
    return [status, { description: descriptions[status], headers: { ...always, ...headersOf[status] }, content }];
  });
  return Object.fromEntries(responses);
}
