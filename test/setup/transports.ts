import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { createHandler } from '../../functions/upload/handler.ts';
import type { Dependencies } from '../../functions/upload/request.ts';
import { buildBundle, SOURCES, writeBundle } from '../../infra/build/bundle.ts';
import { closedAtEnd } from './closing.ts';
import { programEnvironment } from './execute.ts';
import type { Tables } from './tables.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import type { Upload } from './upload.ts';

/** A response. Its headers have lower-case names; the body is available as text and parsed. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: { code: string; msg: string; requestTime: number; data: string | null };
}

/** A way to call the function. `output` returns everything that the function has written so far. */
export interface Transport {
  readonly send: (upload: Upload) => Promise<Answer>;
  readonly output: () => string;
  readonly close: () => Promise<void>;
}

const answer = (status: number, headers: Record<string, unknown>, text: string): Answer => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
  text,
  json: JSON.parse(text),
});

/** Returns the gateway's event for an upload. UTF-8 is text here; the gateway and the HTTP transport send base64. */
export function eventOf({ method, path, query, headers, body }: Upload, sourceIp = '192.0.2.1'): APIGatewayProxyEvent {
  const parameters = new URLSearchParams(query);
  const multiValue = Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
  return {
    resource: path,
    path,
    httpMethod: method,
    headers: Object.fromEntries(headers),
    multiValueHeaders: {},
    queryStringParameters: query === '' ? null : Object.fromEntries(parameters),
    multiValueQueryStringParameters: query === '' ? null : multiValue,
    pathParameters: null,
    stageVariables: null,
    requestContext: { requestId: 'test', identity: { sourceIp } } as APIGatewayProxyEvent['requestContext'],
    body: body.length === 0 ? null : body.toString(isUtf8(body) ? 'utf8' : 'base64'),
    isBase64Encoded: !isUtf8(body),
  } as APIGatewayProxyEvent;
}

type Handler = ReturnType<typeof createHandler>;

/** Returns a transport that calls a handler with the gateway's event. */
function call(handler: Handler, sourceIp?: string): Transport {
  return {
    send: async (upload) => {
      const { statusCode, headers, body } = await handler(eventOf(upload, sourceIp), {} as Context);
      return answer(statusCode, headers ?? {}, body);
    },
    output: () => '',
    close: async () => {},
  };
}

/** Returns a transport that calls the handler in this process, with these dependencies. */
export const inProcess = (dependencies: Dependencies, sourceIp?: string): Transport =>
  call(createHandler(dependencies), sourceIp);

let built: ReturnType<typeof buildBundle> | undefined;

/** Loads the deployed bundle, which reads `process.env` also later. @returns a transport for each source IP */
export function loaded({ environment }: Pick<Tables, 'environment'>): (sourceIp: string) => Transport {
  Object.assign(process.env, environment);
  const folder = temporaryFolder();
  built ??= buildBundle(SOURCES.upload);
  writeBundle(built, folder);
  const { handler } = createRequire(folder)(join(folder, 'index.js')) as { handler: Handler };
  return (sourceIp) => call(handler, sourceIp);
}

/** Returns a function that sends uploads over HTTP, with their headers as they are. */
export const sendTo =
  ({ hostname, port }: URL): Transport['send'] =>
  ({ method, path, query, headers, body }) =>
    new Promise((resolve, reject) => {
      const length: [string, string][] = body.length > 0 ? [['Content-Length', String(body.length)]] : [];
      const call = request({
        hostname,
        port,
        method,
        path: query === '' ? path : `${path}?${query}`,
        headers: [['Host', hostname], ...headers, ...length].flat(),
      });
      call.once('error', reject);
      call.once('response', async (response) => {
        const chunks = await Array.fromAsync(response);
        resolve(answer(response.statusCode as number, response.headers, Buffer.concat(chunks).toString()));
      });
      call.end(body);
    });

const LOCAL_SERVER = fileURLToPath(new URL('../../cli/local/serve.ts', import.meta.url));

/** Starts the deployed bundle in a process with the local server. @param program another that prints its URL */
export async function overHttp(
  { environment }: Pick<Tables, 'environment'>,
  program = LOCAL_SERVER,
): Promise<Transport & { pid: number; url: string }> {
  const child = spawn(process.execPath, [program], { env: { ...programEnvironment(), ...environment, PORT: '0' } });
  let output = '';
  const listening = new Promise<URL>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk;
      const [, found] = /listening on (\S+)/i.exec(output) ?? [];
      if (found) resolve(new URL(found));
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('close', () => reject(new Error(output)));
  });
  const url = await listening;
  return {
    send: sendTo(url),
    url: url.origin,
    output: () => output,
    pid: child.pid as number,
    close: closedAtEnd(async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }),
  };
}
