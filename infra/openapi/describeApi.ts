import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BODY_LIMIT } from '../../functions/ailog/limits.ts';
import { ORDER_ID_LIMIT } from '../../functions/ailog/orderId.ts';
import { aiLogSchema } from '../../functions/ailog/schema.ts';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { apiErrors } from '../../functions/errors.ts';
import { settings } from '../settings.ts';
import { EXAMPLE_TIME, errorResponses } from './errorResponses.ts';

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Where the description lies. */
export const DESCRIPTION_PATH = file('docs/openapi.json');

/** Node has it, TypeScript does not know it yet: a JSON number with every digit. */
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

const tolerance = `${CLOCK_TOLERANCE_MS / 1000} s`;
const { uidQuota, ipQuota, windowSeconds, requireLocale } = settings;

/** A log on the wire. The schema that validates has the order id as text, after its digits were read; a client writes this. */
const aiLogOnTheWire = {
  ...aiLogSchema,
  description: 'One AI log. Other keys are kept in the stored body, otherwise ignored.',
  properties: {
    ...aiLogSchema.properties,
    orderId: {
      description: `${aiLogSchema.properties.orderId.description} An integer in plain digits, without fraction or exponent, or the same digits as a string. Ids have 18 digits: a floating-point number loses the last ones.`,
      anyOf: [
        { type: 'integer', format: 'int64', minimum: 0, maximum: rawJSON(String(ORDER_ID_LIMIT)) },
        { type: 'string', pattern: '^(0|[1-9][0-9]{0,18})?$', description: `At most ${ORDER_ID_LIMIT}.` },
        { type: 'null' },
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

const header = (description: string, schema: object, required = true) => ({ description, required, schema });
const once = 'There once the weights are known.';
const headers = {
  AiLogId: header('The entry id. With the digest, the proof of what was uploaded: keep both.', {
    type: 'string',
    pattern: '^[0-9]{13}-[0-9a-f]{32}$',
  }),
  AiLogDigest: header('Hex SHA-256 of the body as it was sent.', { type: 'string', pattern: '^[0-9a-f]{64}$' }),
  RateLimitPolicy: header(
    `Each quota and its window in seconds (IETF draft-ietf-httpapi-ratelimit-headers). ${once}`,
    {
      type: 'string',
      examples: [
        `"uid";q=${uidQuota.default};w=${windowSeconds.default}, "ip";q=${ipQuota.default};w=${windowSeconds.default}`,
      ],
    },
    false,
  ),
  RateLimit: header(
    `What is left of each quota, and for how many seconds. ${once}`,
    { type: 'string', examples: [`"uid";r=${uidQuota.default - 1};t=7, "ip";r=${ipQuota.default - 1};t=7`] },
    false,
  ),
  RetryAfter: header('Whole seconds to wait before the identical request is sent again.', {
    type: 'integer',
    minimum: 1,
  }),
  Allow: header('The method there is.', { type: 'string', const: 'POST' }),
};

const headerRef = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
const rateLimit = { 'RateLimit-Policy': headerRef('RateLimitPolicy'), RateLimit: headerRef('RateLimit') };
const retryAfter = { 'Retry-After': headerRef('RetryAfter') };

const inHeader = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

const components = {
  securitySchemes: {
    accessKey: inHeader('ACCESS-KEY', 'The public name of an API key.'),
    signature: inHeader(
      'ACCESS-SIGN',
      `Differs from request to request: base64(HMAC-SHA256(secret, ACCESS-TIMESTAMP + "POST" + "${UPLOAD_PATH}" + body)), over the body byte for byte as it is sent. A query string, where there is one, stands between path and body as "?" + query. What the base URL holds before the path is not signed. OpenAPI has no word for such a scheme: a generated client needs code of its own for this header, which docs/clients.md has in six languages.`,
    ),
    passphrase: inHeader('ACCESS-PASSPHRASE', 'The passphrase that was issued with the key.'),
  },
  headers,
  schemas: {
    AiLog: aiLogOnTheWire,
    Accepted: envelope('The log is stored. Every 200 is this.', {
      code: { type: 'string', const: '00000' },
      msg: { type: 'string', const: 'success' },
      data: { type: 'string', const: 'upload success' },
    }),
    ApiError: envelope('Why not: docs/errors.md explains each.', {
      code: { type: 'string', enum: [...new Set(Object.values(apiErrors).map(({ code }) => code))] },
      msg: { type: 'string' },
      data: { type: 'null' },
    }),
  },
};

const upload = {
  operationId: 'uploadAiLog',
  summary: 'Store one AI log',
  description: `Costs a weight of 1 against the quota of the UID and against that of the IP address. The identical request, byte for byte and with the same headers, may be sent again within ${tolerance} of its timestamp as often as one likes: it gets the same answer and is stored once. Signed anew, it is a new upload and a second entry.`,
  security: [{ accessKey: [], signature: [], passphrase: [] }],
  parameters: [
    {
      name: 'ACCESS-TIMESTAMP',
      in: 'header',
      required: true,
      description: `The caller's clock in milliseconds since 1970, at most ${tolerance} away from the server's. It is part of what is signed.`,
      schema: { type: 'string', pattern: '^[0-9]{13}$', examples: [String(EXAMPLE_TIME)] },
    },
    {
      name: 'locale',
      in: 'header',
      required: requireLocale.default,
      description: 'A language tag (BCP 47).',
      schema: { type: 'string', examples: ['en-US', 'zh-CN'] },
    },
  ],
  requestBody: {
    required: true,
    description: `JSON in UTF-8, at most ${BODY_LIMIT} bytes, without Content-Encoding. The bytes that are signed are the bytes that are sent.`,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/AiLog' },
        example: {
          orderId: rawJSON('590480926522704171'),
          stage: 'Decision Making',
          model: 'GPT-5-mini',
          input: { prompt: 'Summarize last 6h BTC/ETH correlation' },
          output: { response: 'Sell ETH' },
          explanation: 'BTC is stronger than ETH over the last six hours.',
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The log is stored.',
      headers: { 'AI-LOG-ID': headerRef('AiLogId'), 'AI-LOG-DIGEST': headerRef('AiLogDigest'), ...rateLimit },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Accepted' },
          example: { code: '00000', msg: 'success', requestTime: EXAMPLE_TIME, data: 'upload success' },
        },
      },
    },
    ...errorResponses({
      405: { Allow: headerRef('Allow') },
      429: { ...retryAfter, ...rateLimit },
      500: rateLimit,
      503: { ...retryAfter, ...rateLimit },
    }),
  },
};

/** The operation in OpenAPI 3.1: the schema, the catalogue of errors and docs/errors.md for other tools to read. */
export function describeApi(): string {
  const description = {
    openapi: '3.1.1',
    info: {
      title: 'AI log upload',
      version: JSON.parse(readFileSync(file('package.json'), 'utf8')).version,
      description:
        'The signed endpoint that takes AI logs from the teams of a trading competition. Generated by `npm run openapi`: do not edit.',
    },
    servers: [
      {
        url: '{baseUrl}',
        variables: {
          baseUrl: {
            default: 'http://127.0.0.1:8787',
            description: 'Without a slash at its end. The default is the local run.',
          },
        },
      },
    ],
    paths: { [UPLOAD_PATH]: { post: upload } },
    components,
  };
  return `${JSON.stringify(description, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(DESCRIPTION_PATH, describeApi());
