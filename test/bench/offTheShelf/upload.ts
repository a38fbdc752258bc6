/**
 * The same contract, implemented with packages: Middy's parser and validator, the DynamoDB store of
 * rate-limiter-flexible, Powertools Idempotency, and logs stored as maps of the document client. No package covers
 * signature, key and allowlist, so these use this project's own functions. `compare.ts` compares it with the function
 * on the same engine.
 */
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb';
import middy, { type MiddlewareObj } from '@middy/core';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import validator from '@middy/validator';
import { transpileSchema } from '@middy/validator/transpile';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { aiLogSchema } from '../../../functions/ailog/schema.ts';
import type { AllowlistEntry } from '../../../functions/allowlist/allowlist.ts';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { createCredentialStore, fileDecrypt } from '../../../functions/auth/credentialStore.ts';
import { sameText, sign } from '../../../functions/auth/signature.ts';

type Event = Omit<APIGatewayProxyEvent, 'body'> & { body: unknown; uid: string };

const {
  ALLOWLIST_TABLE = '',
  API_KEYS_TABLE = '',
  AI_LOGS_TABLE = '',
  LIMITER_TABLE = '',
  IDEMPOTENCY_TABLE = '',
  CREDENTIALS_KEY_FILE = '',
  UID_QUOTA,
  IP_QUOTA,
  WINDOW_SECONDS,
} = process.env;

const client = new DynamoDB();
export const db = DynamoDBDocument.from(client, { marshallOptions: { removeUndefinedValues: true } });
const credentialStore = createCredentialStore(fileDecrypt(CREDENTIALS_KEY_FILE));

const limiter = (keyPrefix: string, points: number) =>
  new RateLimiterDynamo({
    storeClient: client,
    tableName: LIMITER_TABLE,
    tableCreated: true,
    ttlSet: true,
    keyPrefix,
    points,
    duration: Number(WINDOW_SECONDS),
  });
const limits = { uid: limiter('uid', Number(UID_QUOTA)), ip: limiter('ip', Number(IP_QUOTA)) };

const answer = (statusCode: number, code: string, msg: string, data: string | null = null): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ code, msg, requestTime: Date.now(), data }),
});

/** An error for `onError`. */
const httpError = (status: number, code: string, msg: string) => Object.assign(new Error(msg), { status, code });

const authenticate = {
  before: async ({ event }: { event: Event }) => {
    const { headers } = event;
    const [accessKey = '', signature = '', timestamp = '', passphrase = ''] = [
      headers['ACCESS-KEY'],
      headers['ACCESS-SIGN'],
      headers['ACCESS-TIMESTAMP'],
      headers['ACCESS-PASSPHRASE'],
    ];
    if (!(Math.abs(Date.now() - Number(timestamp)) <= 30_000))
      throw httpError(401, '40008', 'Request timestamp expired');
    const { Item: key } = await db.get({ TableName: API_KEYS_TABLE, Key: { accessKey }, ConsistentRead: true });
    if (key?.status !== 'active') throw httpError(401, '40006', 'Invalid ACCESS-KEY');
    const known = await credentialStore.decrypt(key as ApiKey, AbortSignal.timeout(4500));
    const body = Buffer.from(String(event.body ?? ''), event.isBase64Encoded ? 'base64' : 'utf8');
    if (!sameText(sign(known.secret, { timestamp, query: '', body }), signature)) {
      throw httpError(401, '40009', 'Signature verification failed');
    }
    if (!sameText(known.passphrase, passphrase)) throw httpError(401, '40012', 'Incorrect ACCESS-PASSPHRASE');
    const { Item } = await db.get({ TableName: ALLOWLIST_TABLE, Key: { uid: key.uid }, ConsistentRead: true });
    if ((Item as AllowlistEntry | undefined)?.status !== 'approved')
      throw httpError(403, '40022', 'Not on the allowlist');
    event.uid = key.uid;
  },
};

const limitRate = {
  before: async ({ event }: { event: Event }) => {
    try {
      await Promise.all([limits.uid.consume(event.uid), limits.ip.consume(event.requestContext.identity.sourceIp)]);
    } catch (error) {
      throw error instanceof Error ? error : httpError(429, '429', 'Too many requests');
    }
  },
};

const reject = {
  onError: async (request: { error: Error | null; response?: APIGatewayProxyResult }) => {
    const {
      status = 500,
      statusCode = status,
      code = '40015',
      message,
    } = request.error as ReturnType<typeof httpError> & { statusCode?: number };
    request.response = answer(statusCode, code, statusCode < 500 ? message : 'System error');
  },
};

/** Stores a log once per signature, and returns the first response to every retry. */
const store = makeIdempotent(
  async (event: Event) => {
    const { headers, uid, requestContext } = event;
    const timestamp = headers['ACCESS-TIMESTAMP'];
    const log = event.body as { orderId?: string };
    await db.put({
      TableName: AI_LOGS_TABLE,
      Item: {
        uid,
        entryId: `${timestamp}-${requestContext.requestId}-${headers['ACCESS-SIGN']}`,
        receivedAt: Date.now(),
        accessKey: headers['ACCESS-KEY'],
        timestamp,
        signature: headers['ACCESS-SIGN'],
        locale: headers.locale,
        sourceIp: requestContext.identity.sourceIp,
        ...log,
        // The index needs a number. Beyond 2^53, the document client accepts only a BigInt.
        ...(log.orderId ? { orderId: BigInt(log.orderId) } : { orderId: undefined }),
      },
    });
    return answer(200, '00000', 'success', 'upload success');
  },
  {
    persistenceStore: new DynamoDBPersistenceLayer({ tableName: IDEMPOTENCY_TABLE, awsSdkV3Client: client }),
    config: new IdempotencyConfig({
      eventKeyJmesPath: '[headers."ACCESS-KEY", headers."ACCESS-TIMESTAMP", headers."ACCESS-SIGN"]',
      expiresAfterSeconds: 3600,
    }),
  },
);

const schema = {
  type: 'object',
  properties: {
    body: {
      ...aiLogSchema,
      properties: { ...aiLogSchema.properties, orderId: {} },
    },
  },
  required: ['body'],
};

/** The Lambda entry point. */
export const handler = middy<Event, APIGatewayProxyResult>()
  .use([
    reject,
    authenticate,
    httpJsonBodyParser({ disableContentTypeCheck: true }),
    validator({ eventSchema: transpileSchema(schema) }),
    limitRate,
  ] as MiddlewareObj[])
  .handler(store as never);
