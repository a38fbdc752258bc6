import { BODY_LIMIT } from '../../functions/ailog/limits.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { type ApiErrorName, apiError } from '../../functions/errors.ts';

/** An answer that the gateway gives by itself, without the function: an entry of the catalogue and the headers with it. */
export interface GatewayAnswer {
  readonly error: ApiErrorName;
  /** Text for each `{name}` in the entry's message. */
  readonly values?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const unknownPath: GatewayAnswer = { error: 'unknownPath', values: { path: UPLOAD_PATH } };
const blocked: GatewayAnswer = { error: 'requestBlocked' };
const malformed: GatewayAnswer = { error: 'requestMalformed', values: { path: UPLOAD_PATH } };
const tooLarge: GatewayAnswer = { error: 'requestTooLarge', values: { limit: BODY_LIMIT } };
const throttled: GatewayAnswer = { error: 'throttled', headers: { 'Retry-After': '1' } };
const unavailable: GatewayAnswer = { error: 'unavailable', headers: { 'Retry-After': '1' } };
const broken: GatewayAnswer = { error: 'systemError' };

/** What every method but POST is answered, by a mock integration. */
export const methodNotAllowed: GatewayAnswer = { error: 'methodNotAllowed', headers: { Allow: 'POST' } };

/**
 * The gateway's own errors by response type, all there are: what is not listed would answer in the gateway's own shape.
 * Source: API Gateway Developer Guide, "Gateway response types".
 */
export const gatewayResponses = {
  // What the gateway says of a path it does not have. With an Authorization header it tries to read an AWS signature
  // first, and complains of that; as no method here asks for one, these two mean the same.
  MISSING_AUTHENTICATION_TOKEN: unknownPath,
  INVALID_SIGNATURE: unknownPath,
  EXPIRED_TOKEN: unknownPath,
  RESOURCE_NOT_FOUND: unknownPath,
  // The mock of the other methods rejects every media type but JSON; POST takes all of them to the function.
  UNSUPPORTED_MEDIA_TYPE: methodNotAllowed,
  // Over 10 MB the gateway rejects, over 6 MB as base64 Lambda does: the limit to keep is the function's, far below both.
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
  // The function answers its own failures, so this is one that was throttled, killed or never started. To send the same
  // request again is safe, and right.
  DEFAULT_5XX: unavailable,
  API_CONFIGURATION_ERROR: broken,
  AUTHORIZER_CONFIGURATION_ERROR: broken,
  AUTHORIZER_FAILURE: broken,
} satisfies Record<string, GatewayAnswer>;

const bodyOf = ({ error, values }: GatewayAnswer, requestTime: string): string => {
  const { code, message } = apiError(error, values);
  return `{"code":${JSON.stringify(code)},"msg":${JSON.stringify(message)},"requestTime":${requestTime},"data":null}`;
};

/** An answer as a template: the gateway puts the time of the request, in milliseconds, in its place. */
export const toTemplate = (answer: GatewayAnswer) => ({
  status: String(apiError(answer.error).status),
  body: bodyOf(answer, '$context.requestTimeEpoch'),
});

/**
 * An answer as the caller gets it.
 * @param requestTime milliseconds since 1970
 */
export const render = (answer: GatewayAnswer, requestTime: number) => ({
  status: apiError(answer.error).status,
  headers: { 'Content-Type': 'application/json', ...answer.headers },
  body: bodyOf(answer, String(requestTime)),
});
