import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import pLimit from 'p-limit';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import type { UploadEvent } from '../../functions/upload/request.ts';

/** Requests that the function handles at once: more would wait for the engine, beyond the timeouts of their calls. */
const CONCURRENCY = 24;

/** The longest time that `idle` waits for requests in flight: the function ends each of them earlier. */
const PATIENCE_MS = 5000;

interface Bundle {
  readonly handler: (event: APIGatewayProxyEvent, context: object) => Promise<APIGatewayProxyResult>;
  readonly preloaded: Promise<void>;
}

export type Invoked = Readonly<{ result: APIGatewayProxyResult; uid: string | undefined }>;

export type LocalFunction = Awaited<ReturnType<typeof openFunction>>;

/** Loads the function from a bundle, which reads its environment from `process.env`. */
export async function openFunction(bundle: string) {
  const { handler, preloaded }: Bundle = await import(pathToFileURL(bundle).href);
  const limit = pLimit(CONCURRENCY);
  return {
    /** Resolves when the first attempt to read the receipt key has ended, which takes 2 s at the most. */
    preloaded,
    /** Calls the function. Requests wait for their turn in the order in which they arrived. */
    invoke: (event: UploadEvent<never, 'apiKey'>): Promise<Invoked> =>
      limit(async () => {
        const result = await handler(event, {});
        // The pipeline has added the key that it read to the event.
        return { result, uid: event.apiKey?.uid };
      }),
    /** Resolves when no request is in flight. Node 24 aborts if the process exits while a thread compresses. */
    idle: async () => {
      const end = performance.now() + PATIENCE_MS;
      while (limit.activeCount > 0 && performance.now() < end) await sleep(10);
    },
  };
}

function gather(pairs: Iterable<readonly [string, string]>) {
  const groups = Object.entries(Object.groupBy(pairs, ([name]) => name)) as [string, [string, string][]][];
  return {
    one: Object.fromEntries(groups.map(([name, group]) => [name, group.at(-1)?.[1]])),
    many: Object.fromEntries(groups.map(([name, group]) => [name, group.map(([, value]) => value)])),
  };
}

function* headerPairs(rawHeaders: readonly string[]): Generator<readonly [string, string]> {
  for (let i = 0; i < rawHeaders.length; i += 2) yield [rawHeaders[i] as string, rawHeaders[i + 1] as string];
}

/** A request that the gateway passes on: its path, query and body, and the id that its answer names. */
export interface Routed {
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  readonly requestId: string;
}

/** Converts a request to the event of a REST API. Source: API Gateway Developer Guide, "Lambda proxy integration". */
export function proxyEvent(request: IncomingMessage, { path, query, body, requestId }: Routed): APIGatewayProxyEvent {
  const headers = gather(headerPairs(request.rawHeaders));
  const parameters = query === '' ? undefined : gather(new URLSearchParams(query));
  const time = Date.now();
  return {
    resource: UPLOAD_PATH,
    path,
    httpMethod: request.method as string,
    headers: headers.one,
    multiValueHeaders: headers.many,
    queryStringParameters: parameters?.one ?? null,
    multiValueQueryStringParameters: parameters?.many ?? null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      httpMethod: request.method as string,
      identity: {
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? null,
      } as APIGatewayProxyEvent['requestContext']['identity'],
      path,
      protocol: `HTTP/${request.httpVersion}`,
      requestId,
      requestTime: new Date(time).toISOString(),
      requestTimeEpoch: time,
      resourceId: 'local',
      resourcePath: UPLOAD_PATH,
      stage: 'local',
    },
    body: body.length === 0 ? null : body.toString('base64'),
    isBase64Encoded: body.length > 0,
  };
}
