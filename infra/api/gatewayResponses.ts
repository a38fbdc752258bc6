import { BODY_LIMIT_BYTES } from '../../functions/ailog/limits.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { type ApiError, apiError } from '../../functions/errors.ts';

/** An error that the gateway returns without calling the function: an entry of the error catalogue, and its headers. */
export interface GatewayError {
  /** @param received the path as received */
  readonly error: (received: string) => ApiError;
  readonly headers?: Readonly<Record<string, string>>;
}

const unknownPath: GatewayError = { error: (received) => apiError('unknownPath', { received, path: UPLOAD_PATH }) };
const blocked: GatewayError = { error: () => apiError('requestBlocked') };
const malformed: GatewayError = { error: () => apiError('requestMalformed', { path: UPLOAD_PATH }) };
const tooLarge: GatewayError = { error: () => apiError('requestTooLarge', { limit: BODY_LIMIT_BYTES }) };
const throttled: GatewayError = { error: () => apiError('throttled', { seconds: 1 }), headers: { 'Retry-After': '1' } };
const unavailable: GatewayError = { error: () => apiError('unavailable'), headers: { 'Retry-After': '1' } };
const broken: GatewayError = { error: () => apiError('systemError') };

/** The error for all methods except POST. A mock integration returns it. */
export const methodNotAllowed: GatewayError = { error: () => apiError('methodNotAllowed'), headers: { Allow: 'POST' } };

/** All types: an unlisted one would not have the envelope. Source: API Gateway Developer Guide, "Gateway responses". */
export const gatewayResponses = {
  // The response to an unknown path. If the request has an Authorization header, the gateway reads it as an AWS
  // signature, which no method here uses, and returns one of the next two instead.
  MISSING_AUTHENTICATION_TOKEN: unknownPath,
  INVALID_SIGNATURE: unknownPath,
  EXPIRED_TOKEN: unknownPath,
  RESOURCE_NOT_FOUND: unknownPath,
  // Only the mock of the other methods rejects media types; POST passes all of them to the function.
  UNSUPPORTED_MEDIA_TYPE: methodNotAllowed,
  // The gateway rejects bodies over 10 MB, Lambda those over 6 MB in base64. The function has a lower limit.
  REQUEST_TOO_LARGE: tooLarge,
  THROTTLED: throttled,
  QUOTA_EXCEEDED: throttled,
  WAF_FILTERED: blocked,
  ACCESS_DENIED: blocked,
  UNAUTHORIZED: blocked,
  INVALID_API_KEY: blocked,
  BAD_REQUEST_BODY: malformed,
  BAD_REQUEST_PARAMETERS: malformed,
  DEFAULT_4XX: malformed,
  INTEGRATION_FAILURE: unavailable,
  INTEGRATION_TIMEOUT: unavailable,
  // The function answers its own failures, so here it was throttled, was killed or did not start.
  DEFAULT_5XX: unavailable,
  API_CONFIGURATION_ERROR: unavailable,
  AUTHORIZER_CONFIGURATION_ERROR: broken,
  AUTHORIZER_FAILURE: broken,
} satisfies Record<string, GatewayError>;

/** @param received the path as received @param requestTime milliseconds since 1970 */
const bodyOf = ({ error }: GatewayError, received: string, requestTime: string): string => {
  const { code, message } = error(received);
  return `{"code":${JSON.stringify(code)},"msg":${JSON.stringify(message)},"requestTime":${requestTime},"data":null}`;
};

/**
 * Returns the error as a response template, whose variables the gateway fills in without escapes. `$context.path` is
 * safe inside a JSON string: a REST API keeps it percent-encoded. A caller who sends other characters anyway changes
 * only the response to that request. Source: API Gateway Developer Guide, "Gateway responses for REST APIs".
 */
export const toTemplate = (gatewayError: GatewayError) => ({
  status: String(gatewayError.error('').status),
  body: bodyOf(gatewayError, '$context.path', '$context.requestTimeEpoch'),
});

/** Returns the error as the caller receives it. @param requestTime milliseconds since 1970 */
export const render = (gatewayError: GatewayError, requestTime: number, path: string) => ({
  status: gatewayError.error('').status,
  headers: { 'Content-Type': 'application/json', ...gatewayError.headers },
  body: bodyOf(gatewayError, path, String(requestTime)),
});
