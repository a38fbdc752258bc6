/** All error responses, of the gateway too. docs/teams.md explains them; docs/decisions.md#status-codes. */
export const apiErrors = {
  accessKeyMissing: { status: 401, code: '40001', msg: 'Header "ACCESS-KEY" is required' },
  signatureMissing: { status: 401, code: '40002', msg: 'Header "ACCESS-SIGN" is required' },
  timestampMissing: { status: 401, code: '40003', msg: 'Header "ACCESS-TIMESTAMP" is required' },
  passphraseMissing: { status: 401, code: '40011', msg: 'Header "ACCESS-PASSPHRASE" is required' },
  queryUnsupported: { status: 400, code: '40017', msg: 'Query string is not supported, send none' },
  localeMissing: { status: 400, code: '40017', msg: 'Header "locale" is required, send one such as en-US' },
  localeMalformed: {
    status: 400,
    code: '40017',
    msg: 'Header "locale" is not a locale: {locale}; send one such as en-US: a letter, then at most 63 of letters, digits and -_.@',
  },
  contentTypeInvalid: { status: 415, code: '40007', msg: 'Invalid Content-Type, use "application/json"' },
  contentEncodingUnsupported: {
    status: 415,
    code: '40007',
    msg: 'Content-Encoding "{encoding}" is not supported, send the body plain',
  },
  bodyTooLarge: { status: 413, code: '413', msg: 'Body too large: limit {limit} bytes, received {received} bytes' },
  timestampInvalid: {
    status: 401,
    code: '40005',
    msg: 'Invalid ACCESS-TIMESTAMP, send the time in milliseconds since 1970 as 13 digits',
  },
  timestampExpired: {
    status: 401,
    code: '40008',
    msg: 'Request timestamp expired: the server clock reads {serverTime}, ACCESS-TIMESTAMP {timestamp} is more than {toleranceSeconds} s away',
  },
  accessKeyInvalid: {
    status: 401,
    code: '40006',
    msg: 'Invalid ACCESS-KEY: {received} is unknown here, revoked or expired',
  },
  signatureMalformed: {
    status: 401,
    code: '40009',
    msg: 'Signature verification failed: ACCESS-SIGN {seen}; send the HMAC-SHA256 in base64, which has 44 characters',
  },
  secretDecoded: {
    status: 401,
    code: '40009',
    msg: 'Signature verification failed: the secret was decoded from {encoding} before signing; sign with its text as it was issued',
  },
  signatureInvalid: {
    status: 401,
    code: '40009',
    msg: 'Signature verification failed. Usual causes: the body was serialised again after signing; the secret belongs to another key; the signed path is not {path}; the signed timestamp is not ACCESS-TIMESTAMP. "node ailog.mjs doctor" finds the cause',
  },
  passphraseInvalid: { status: 401, code: '40012', msg: 'Incorrect ACCESS-PASSPHRASE' },
  uidNotListed: { status: 403, code: '40022', msg: 'UID {uid} is not on the AI log allowlist' },
  uidNotApproved: {
    status: 403,
    code: '40022',
    msg: 'UID {uid} is {status} on the AI log allowlist, the organisers can say why',
  },
  jsonInvalid: { status: 400, code: '40017', msg: 'Body is not valid JSON: {reason}' },
  jsonNotObject: { status: 400, code: '40017', msg: 'Body must be a JSON object, received {received}' },
  parameterEmpty: { status: 400, code: '40019', msg: '{problems}' },
  parameterInvalid: { status: 400, code: '40020', msg: '{problems}' },
  entryTooLarge: {
    status: 413,
    code: '413',
    msg: 'Body too large: limit {limit} bytes once compressed for storage, received {received} bytes that take {stored}',
  },
  weightExceeded: {
    status: 429,
    code: '429',
    msg: 'Too many requests: {subject} weight {used}/{quota} in {window} s, retry in {seconds} s',
  },
  partitionThrottled: {
    status: 429,
    code: '429',
    msg: 'Too many requests: one UID cannot store more per second, retry in {seconds} s',
  },
  unavailable: { status: 503, code: '40015', msg: 'System busy, retry' },
  systemError: { status: 500, code: '40015', msg: 'System error' },
  unknownPath: {
    status: 404,
    code: '404',
    msg: 'Unknown path {received}: use POST {path} after the base URL that the organisers gave you',
  },
  methodNotAllowed: { status: 405, code: '405', msg: 'Method not allowed, use POST' },
  requestMalformed: { status: 400, code: '400', msg: 'Request not understood, use POST {path}' },
  requestBlocked: { status: 403, code: '403', msg: 'Request blocked' },
  requestTooLarge: { status: 413, code: '413', msg: 'Body too large: limit {limit} bytes' },
  throttled: { status: 429, code: '429', msg: 'Too many requests, retry in {seconds} s' },
} as const satisfies Record<string, { status: number; code: string; msg: string }>;

export type ApiErrorName = keyof typeof apiErrors;

interface ErrorOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
}

/** An error to respond with. The caller sees only the catalogue's message; `cause` is for the log line. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The message for the log line. It quotes no part of the body. */
  readonly logMessage: string;
  /** Whole seconds to wait before a retry, for the header Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(
    { status, code }: { status: number; code: string },
    messages: { message: string; logMessage: string },
    { cause, retryAfter }: ErrorOptions,
  ) {
    super(messages.message, { cause });
    this.status = status;
    this.code = code;
    this.logMessage = messages.logMessage;
    this.retryAfter = retryAfter;
  }
}

type PlaceholderIn<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderIn<Rest>
  : never;

type PlaceholderOf<Name extends ApiErrorName> = PlaceholderIn<(typeof apiErrors)[Name]['msg']>;

type NoValues = Readonly<Record<string, never>>;

/** The values that fill the placeholders of an error's message: all of them, and no others. */
type Values<Name extends ApiErrorName> = [PlaceholderOf<Name>] extends [never]
  ? NoValues
  : Readonly<Record<PlaceholderOf<Name>, string | number>>;

type PlainErrorName = { [Name in ApiErrorName]: Values<Name> extends NoValues ? Name : never }[ApiErrorName];

/**
 * Returns an error with its message. @param options `logged`: values for the log, in place of those that quote the body
 */
export function apiError<Name extends ApiErrorName>(
  name: Name,
  values: Values<Name>,
  options?: ErrorOptions & { readonly logged?: Partial<Values<Name>> },
): ApiError;
export function apiError(name: PlainErrorName, values?: NoValues, options?: ErrorOptions): ApiError;
export function apiError(
  name: ApiErrorName,
  values: Readonly<Record<string, string | number>> = {},
  { logged = {}, ...options }: ErrorOptions & { readonly logged?: object } = {},
): ApiError {
  const { msg } = apiErrors[name];
  const fill = (filling: typeof values) =>
    msg.replace(/\{(\w+)\}/g, (_placeholder, key: string) => String(filling[key]));
  const messages = { message: fill(values), logMessage: fill({ ...values, ...logged }) };
  return new ApiError(apiErrors[name], messages, options);
}
