/**
 * The error catalogue: HTTP status, code and message of every error response, including those of the gateway.
 * `apiError` fills in each `{name}` in a message. docs/errors.md explains every error to clients.
 */
export const apiErrors = {
  accessKeyMissing: { status: 401, code: '40001', msg: 'Header "ACCESS-KEY" is required' },
  signatureMissing: { status: 401, code: '40002', msg: 'Header "ACCESS-SIGN" is required' },
  timestampMissing: { status: 401, code: '40003', msg: 'Header "ACCESS-TIMESTAMP" is required' },
  passphraseMissing: { status: 401, code: '40011', msg: 'Header "ACCESS-PASSPHRASE" is required' },
  localeMissing: { status: 400, code: '40017', msg: 'Header "locale" is required' },
  localeMalformed: {
    status: 400,
    code: '40017',
    msg: 'Header "locale" is not a language tag: "{locale}"; send one such as en-US or zh-CN',
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
  accessKeyInvalid: { status: 401, code: '40006', msg: 'Invalid ACCESS-KEY' },
  signatureInvalid: { status: 401, code: '40009', msg: 'Signature verification failed' },
  passphraseInvalid: { status: 401, code: '40012', msg: 'Incorrect ACCESS-PASSPHRASE' },
  uidNotApproved: { status: 403, code: '40022', msg: 'UID {uid} is not on the AI log allowlist' },
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
    msg: 'Too many requests: {subject} weight {used}/{quota} in {seconds} s',
  },
  unavailable: { status: 503, code: '40015', msg: 'System busy, retry' },
  systemError: { status: 500, code: '40015', msg: 'System error' },
  unknownPath: { status: 404, code: '404', msg: 'Unknown path, use POST {path}' },
  methodNotAllowed: { status: 405, code: '405', msg: 'Method not allowed, use POST' },
  requestMalformed: { status: 400, code: '400', msg: 'Request not understood, use POST {path}' },
  requestBlocked: { status: 403, code: '403', msg: 'Request blocked' },
  requestTooLarge: { status: 413, code: '413', msg: 'Body too large: limit {limit} bytes' },
  throttled: { status: 429, code: '429', msg: 'Too many requests, retry' },
} as const satisfies Record<string, { status: number; code: string; msg: string }>;

/** The name of an error in the catalogue. */
export type ApiErrorName = keyof typeof apiErrors;

/** An error to respond with. The caller sees only the catalogue's message; `cause` is for the log. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The seconds to wait before a retry, sent as Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(status: number, code: string, msg: string, options: { cause?: unknown; retryAfter?: number } = {}) {
    super(msg, { cause: options.cause });
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.retryAfter = options.retryAfter;
  }
}

/**
 * Returns an error of the catalogue with its message filled in.
 * @param values the text for each `{name}` in the message
 * @param options `cause` for the log; `retryAfter` in whole seconds
 */
export function apiError(
  name: ApiErrorName,
  values: Readonly<Record<string, string | number>> = {},
  options: { cause?: unknown; retryAfter?: number } = {},
): ApiError {
  const { status, code, msg } = apiErrors[name];
  const filled = msg.replace(/\{(\w+)\}/g, (placeholder, key: string) => String(values[key] ?? placeholder));
  return new ApiError(status, code, filled, options);
}
