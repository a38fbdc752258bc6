import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isBlank } from '../../functions/ailog/blank.ts';
import { BODY_LIMIT_BYTES } from '../../functions/ailog/limits.ts';
import { ORDER_ID_LIMIT } from '../../functions/ailog/orderId.ts';
import { aiLogSchema } from '../../functions/ailog/schema.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { apiErrors } from '../../functions/errors.ts';
import { LOCALE_PATTERN } from '../../functions/upload/middleware/checkRequest.ts';
import { settings } from '../settings.ts';
import { EXAMPLE_TIME, errorResponses } from './errorResponses.ts';
import { exampleLog, rawJSON } from './exampleLog.ts';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const DESCRIPTION_PATH = file('docs/openapi.json');

const tolerance = `${CLOCK_TOLERANCE_MS / 1000} s`;
const { uidQuota, ipQuota, windowSeconds, requireLocale } = settings;

/** Without this, generators make a type without keys of an object that may have any. `AiLog` has known ones. */
const open = { additionalProperties: {} };
const { orderId } = aiLogSchema.properties;
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

function invisibleRanges(): string {
  // Every language knows \x, and generated source files must have no control character. Others stand for themselves.
  const name = (code: number) => (code < 0x100 ? `\\x${hex(code, 2)}` : String.fromCodePoint(code));
  let ranges = '';
  for (let code = 0, first = -1; code <= 0x110000; code += 1) {
    const isInvisible = code < 0x110000 && isBlank(String.fromCodePoint(code));
    if (isInvisible && first < 0) first = code;
    if (isInvisible || first < 0) continue;
    ranges += name(first) + (code - first > 1 ? `-${name(code - 1)}` : '');
    first = -1;
  }
  return ranges;
}
const invisible = invisibleRanges();
/** The pattern of the schema in the syntax of all languages: they differ in `\\s`, in code points and in anchoring. */
const visible = { minLength: 1, pattern: `^[${invisible}]*[^${invisible}]` };
const fields = Object.entries(aiLogSchema.properties).map(([name, rules]) => [
  name,
  {
    ...rules,
    ...(rules.type === 'object' && open),
    ...('pattern' in rules && {
      ...visible,
      description: `${rules.description} A text of white space and invisible characters only counts as empty.`,
    }),
  },
]);

/** The schema of an AI log as clients send it. For the validator the order id is always text: no digit is lost. */
const aiLogOnTheWire = {
  ...aiLogSchema,
  description:
    'One AI log. Other keys are stored with the body and otherwise ignored. Rejected with 40017: a key `__proto__` at any depth, and nesting that is too deep to parse; 2000 levels are always accepted.',
  properties: {
    ...Object.fromEntries(fields),
    orderId: {
      description: `${orderId.description} An integer from 0 to ${ORDER_ID_LIMIT} in plain digits, or the same digits as a string. Rejected: signs, fractions, exponents, leading zeros, spaces, and text in any other form. Ids have 18 digits; a floating-point number loses the last of them, so prefer a string.`,
      oneOf: [
        {
          title: 'OrderIdNumber',
          ...{ type: 'integer', format: 'int64', minimum: 0, maximum: rawJSON(String(ORDER_ID_LIMIT)) },
        },
        {
          title: 'OrderIdText',
          ...{
            type: ['string', 'null'],
            pattern: '^(0|[1-9][0-9]{0,18})?$',
            description: `At most ${ORDER_ID_LIMIT}.`,
          },
        },
      ],
    },
  },
};

const requestTime = {
  type: 'integer',
  format: 'int64',
  description: "The server's clock, in milliseconds since 1970.",
};

const envelope = (description: string, fields: { code: object; msg: object; data: object }) => ({
  description,
  type: 'object',
  properties: { code: fields.code, msg: fields.msg, requestTime, data: fields.data },
  required: ['code', 'msg', 'requestTime', 'data'],
});

const header = (description: string, schema: object) => ({ description, required: true, schema });
const optionalHeader = (description: string, schema: object) => ({ description, required: false, schema });
/** The fields changed with almost every version: `"uid";r=99;t=7` is the form of this one. */
const RATE_LIMIT_DRAFT = 'IETF draft-ietf-httpapi-ratelimit-headers-10';
const once = 'Present once the weights are known.';
const headers = {
  AiLogId: header('The entry id.', { type: 'string', pattern: '^[0-9]{13}-[0-9a-f]{32}$' }),
  AiLogDigest: header('Hex SHA-256 of the body as sent.', { type: 'string', pattern: '^[0-9a-f]{64}$' }),
  AiLogReceipt: optionalHeader(
    "The service's signed statement that it accepted this log: base64 of a signed note (C2SP), by an Ed25519 key. It proves the upload: keep it. The identical request gets the identical receipt, unless the receipt key was rotated in between; then both are valid. Absent only if the service cannot sign at the moment; the log is stored all the same. docs/teams.md shows how to check it.",
    { type: 'string', pattern: '^[A-Za-z0-9+/]{400,}={0,2}$' },
  ),
  AiLogWarning: optionalHeader(
    'Present if the log is stored, but probably not as it was meant: its `orderId` is empty, or looks rounded. The identical request gets the identical warning.',
    {
      type: 'string',
      maxLength: 200,
      pattern: '^[ -~]+$',
      examples: [
        'orderId is empty: the log names no order',
        'orderId 702628302073888800 looks rounded: JSON.parse loses the last digits of an id; take them from the text of the answer',
      ],
    },
  ),
  RateLimitPolicy: optionalHeader(`Each quota and its window in seconds (${RATE_LIMIT_DRAFT}). ${once}`, {
    type: 'string',
    examples: [
      `"uid";q=${uidQuota.default};w=${windowSeconds.default}, "ip";q=${ipQuota.default};w=${windowSeconds.default}`,
    ],
  }),
  RateLimit: optionalHeader(
    `The weight left of each quota, and the seconds until it resets (${RATE_LIMIT_DRAFT}). ${once}`,
    {
      type: 'string',
      examples: [`"uid";r=${uidQuota.default - 1};t=7, "ip";r=${ipQuota.default - 1};t=7`],
    },
  ),
  RetryAfter: header('Whole seconds to wait before you resend the identical request.', { type: 'integer', minimum: 1 }),
  RequestId: optionalHeader(
    'The id of the request, which the gateway adds. Give it to the organisers if you ask about a 500.',
    { type: 'string', examples: ['4c7a0f0e-2f0b-4d0c-9d6a-5f3a1e8b7c21'] },
  ),
  Allow: header('The only allowed method.', { type: 'string', const: 'POST' }),
};

const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
const requestId = { 'x-amzn-RequestId': headerRef('RequestId') };
const rateLimit = { 'RateLimit-Policy': headerRef('RateLimitPolicy'), RateLimit: headerRef('RateLimit') };
const retryAfter = { 'Retry-After': headerRef('RetryAfter') };

const inHeader = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

const components = {
  securitySchemes: {
    accessKey: inHeader('ACCESS-KEY', 'The public name of the API key.'),
    signature: inHeader(
      'ACCESS-SIGN',
      `The signature of this request: base64(HMAC-SHA256(secret, ACCESS-TIMESTAMP + "POST" + "${UPLOAD_PATH}" + body)), over the bytes of the body exactly as sent. There is no query string. A path prefix in the base URL is not signed. OpenAPI cannot describe this scheme, so a generated client needs extra code for this header: docs/teams.md has an example to check it with.`,
    ),
    passphrase: inHeader('ACCESS-PASSPHRASE', 'The passphrase issued with the API key.'),
  },
  headers,
  schemas: {
    AiLog: aiLogOnTheWire,
    Accepted: envelope('The log is stored. This is the only success response.', {
      code: { type: 'string', const: '00000' },
      msg: { type: 'string', const: 'success' },
      data: { type: 'string', const: 'upload success' },
    }),
    UploadError: envelope('An error. docs/teams.md explains each code. Later versions may have more.', {
      code: { type: 'string', examples: [...new Set(Object.values(apiErrors).map(({ code }) => code))] },
      msg: { type: 'string' },
      data: { type: ['string', 'null'], description: 'Always null.' },
    }),
  },
};

const TAG = { name: 'AI logs', description: 'The upload of AI logs.' };

const upload = {
  operationId: 'uploadAiLog',
  tags: [TAG.name],
  summary: 'Store one AI log',
  description: `Consumes a weight of 1 from the quota of the UID and from the quota of the IP address. You can resend the identical request, byte for byte and with the same headers, any number of times within ${tolerance} of its timestamp: it gets the same answer and is stored once. A request that is signed again with a new timestamp is a new upload and a second entry.`,
  security: [{ accessKey: [], signature: [], passphrase: [] }],
  parameters: [
    {
      name: 'ACCESS-TIMESTAMP',
      in: 'header',
      required: true,
      description: `The client's clock in milliseconds since 1970, at most ${tolerance} from the server's clock. The signature covers it.`,
      schema: { type: 'string', pattern: '^[0-9]{13}$', examples: [String(EXAMPLE_TIME)] },
    },
    {
      name: 'locale',
      in: 'header',
      required: requireLocale.default,
      description:
        'The locale: a letter, then at most 63 of letters, digits and "-_.@". Anything else is rejected with 40017.',
      schema: { type: 'string', pattern: LOCALE_PATTERN.source, examples: ['en-US', 'zh_CN.UTF-8'] },
    },
  ],
  requestBody: {
    required: true,
    description: `JSON in UTF-8, at most ${BODY_LIMIT_BYTES} bytes, without Content-Encoding. Sign exactly the bytes that you send.`,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AiLog' }, example: exampleLog } },
  },
  responses: {
    200: {
      description: 'The log is stored.',
      headers: {
        'AI-LOG-ID': headerRef('AiLogId'),
        'AI-LOG-DIGEST': headerRef('AiLogDigest'),
        'AI-LOG-RECEIPT': headerRef('AiLogReceipt'),
        'AI-LOG-WARNING': headerRef('AiLogWarning'),
        ...requestId,
        ...rateLimit,
      },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Accepted' },
          example: { code: '00000', msg: 'success', requestTime: EXAMPLE_TIME, data: 'upload success' },
        },
      },
    },
    ...errorResponses(requestId, {
      405: { Allow: headerRef('Allow') },
      429: { ...retryAfter, ...rateLimit },
      500: rateLimit,
      503: { ...retryAfter, ...rateLimit },
    }),
  },
};

/** Returns the API description in OpenAPI 3.1, from the schema, the error catalogue and docs/teams.md. */
export function describeApi(): string {
  const description = {
    openapi: '3.1.1',
    info: {
      title: 'AI log upload',
      version: JSON.parse(readFileSync(file('package.json'), 'utf8')).version,
      description:
        'The signed endpoint that receives AI logs from the teams of a trading competition. Generated by `npm run openapi`: do not edit.',
      contact: { name: 'The organisers of the competition' },
      license: { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' },
    },
    tags: [TAG],
    servers: [
      {
        url: '{baseUrl}',
        description: 'The base URL, without a trailing slash. The default is the local run.',
        variables: { baseUrl: { default: 'http://127.0.0.1:8787' } },
      },
    ],
    paths: { [UPLOAD_PATH]: { post: upload } },
    components,
  };
  const escaped = (character: string) => `\\u${hex(character.charCodeAt(0), 4)}`;
  // Invisible characters stand in the file as escapes of JSON.
  return `${JSON.stringify(description, null, 2).replace(/[^\n -~]/g, escaped)}\n`;
}

if (import.meta.main) writeFileSync(DESCRIPTION_PATH, describeApi());
