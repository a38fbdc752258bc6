import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { type GatewayError, gatewayResponses, methodNotAllowed, render } from '../../infra/api/gatewayResponses.ts';
import { bundleUpload } from '../../infra/build/bundle.ts';
import { formatTime } from '../shell/text/time.ts';
import { visible } from '../shell/text/visible.ts';
import { type Invoked, type LocalFunction, openFunction, proxyEvent } from './openFunction.ts';
import { serveTlog, TLOG_PATH } from './serveTlog.ts';

/** Returns a response as one line: time (milliseconds since 1970), UID, HTTP status, code, message and warning. */
export function describeAnswer({ uid = '-', result: { statusCode, headers, body } }: Invoked, at: number): string {
  const { code, msg } = JSON.parse(body);
  const warning = headers?.['AI-LOG-WARNING'];
  const says = warning === undefined ? msg : `${msg}, but ${warning}`;
  return [formatTime(at), uid, statusCode, code, says].map((part) => visible(String(part))).join('  ');
}

/** The quotas of API Gateway in bytes: request line with headers, and payload. */
const HEADER_LIMIT_BYTES = 10_240;
const PAYLOAD_LIMIT_BYTES = 10 * 1024 * 1024;

/** Reads the body of a request, byte for byte. Returns undefined if it exceeds the quota of the gateway. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= PAYLOAD_LIMIT_BYTES) chunks.push(chunk);
  }
  return length <= PAYLOAD_LIMIT_BYTES ? Buffer.concat(chunks) : undefined;
}

/** Returns true if a request has exactly one Host header, or none in HTTP/1.0. Source: RFC 9112, section 3.2. */
const hasOneHost = ({ headersDistinct: { host = [] }, httpVersion }: IncomingMessage): boolean =>
  host.length === 1 || (host.length === 0 && httpVersion === '1.0');

/** Returns false if a body has a transfer coding besides `chunked`, which would be stored as it is. */
const hasKnownCoding = ({ headers: { 'transfer-encoding': coding = 'chunked' } }: IncomingMessage): boolean =>
  coding.toLowerCase() === 'chunked';

async function answer(
  request: IncomingMessage,
  requestId: string,
  invoke: LocalFunction['invoke'],
  keepsData: ServerOptions['keepsData'] = () => true,
): Promise<Invoked> {
  const [target = '', query = ''] = (request.url ?? '').split(/\?(.*)/s);
  // A server must accept an absolute target. Source: RFC 9112, section 3.2.2.
  const path = target.replace(/^https?:\/\/[^/]*/i, '') || '/';
  const body = await readBody(request);
  const reject = (error: GatewayError) => {
    const { status: statusCode, ...answered } = render(error, Date.now(), path);
    return { result: { statusCode, ...answered }, uid: undefined };
  };
  if (!hasOneHost(request) || !hasKnownCoding(request)) return reject(gatewayResponses.BAD_REQUEST_PARAMETERS);
  // The gateway ignores further slashes before the path, and one after it: docs/decisions.md#slashes-around-the-path.
  const routed = path.replace(/^\/+/, '/');
  if (routed.replace(/\/$/, '') !== UPLOAD_PATH) return reject(gatewayResponses.MISSING_AUTHENTICATION_TOKEN);
  if (request.method !== 'POST') return reject(methodNotAllowed);
  if (body === undefined) return reject(gatewayResponses.REQUEST_TOO_LARGE);
  try {
    const invoked = await invoke(proxyEvent(request, { path: routed, query, body, requestId }));
    return keepsData() ? invoked : reject(gatewayResponses.DEFAULT_5XX);
  } catch {
    return reject(gatewayResponses.DEFAULT_5XX);
  }
}

const REQUEST_ID = 'x-amzn-RequestId';

function write(response: ServerResponse, { statusCode, headers, body }: APIGatewayProxyResult): void {
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, String(value));
  response.writeHead(statusCode, { 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/** The longest time that a connection stays open after its last answer, for a caller that is still sending. */
const LINGER_MS = 1000;

/** Writes the answer of the gateway to a connection that has no request to answer, and closes it. */
function writeRaw(socket: Duplex, error: GatewayError): void {
  const { status, headers, body } = render(error, Date.now(), '');
  const length = String(Buffer.byteLength(body));
  const added = { [REQUEST_ID]: randomUUID(), 'Content-Length': length, Connection: 'close' };
  const lines = Object.entries({ ...headers, ...added });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Creates a tracker of the requests that were received completely and are not answered yet, by connection. */
function trackUnanswered() {
  const unanswered = new WeakMap<Duplex, Map<ServerResponse, IncomingMessage>>();
  return {
    add(request: IncomingMessage, response: ServerResponse): void {
      const ofSocket = unanswered.get(request.socket) ?? new Map();
      unanswered.set(request.socket, ofSocket.set(response, request));
      response.once('close', () => ofSocket.delete(response));
    },
    lastOn: (socket: Duplex): ServerResponse | undefined =>
      [...(unanswered.get(socket) ?? [])].findLast(([, { complete }]) => complete)?.[0],
  };
}

/** The longest time in which a request must arrive: the time-out of the gateway's integrations. */
const REQUEST_TIMEOUT_MS = 29_000;

interface ServerOptions {
  readonly onAnswer?: (answered: Invoked) => void;
  /** Requests wait for it before they are answered. */
  readonly ready?: Promise<void>;
  /** Returns false if what the function stores is lost: then no request is a success. */
  readonly keepsData?: () => boolean;
  readonly tlogFolder?: string;
}

/** Creates a server that runs the deployed bundle, and acts like API Gateway. @returns `idle` waits for its requests */
export async function createLocalServer(bundleFolder: string, options: ServerOptions = {}) {
  const { onAnswer, ready = Promise.resolve(), keepsData, tlogFolder } = options;
  const { invoke, idle, preloaded } = await openFunction(bundleUpload(bundleFolder));
  // An upload waits half a second for its receipt, and goes without it then, as on a slow machine at the start.
  const loaded = Promise.all([ready, preloaded]);
  const unanswered = trackUnanswered();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    unanswered.add(request, response);
    if (tlogFolder !== undefined && request.url?.startsWith(TLOG_PATH)) {
      void serveTlog(tlogFolder, request, response);
      return;
    }
    const requestId = randomUUID();
    response.setHeader(REQUEST_ID, requestId);
    loaded
      .then(() => answer(request, requestId, invoke, keepsData))
      .then(
        (invoked) => {
          write(response, invoked.result);
          onAnswer?.(invoked);
        },
        // The caller disconnected before its body was complete.
        () => response.destroy(),
      );
  };
  // Node itself would answer an unknown `Expect` header or a missing Host, without an envelope.
  const http = {
    maxHeaderSize: HEADER_LIMIT_BYTES,
    requireHostHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1000,
  };
  const server = createServer(http, serve).on('checkExpectation', serve);
  // A caller that ends its side after its request still gets its answer. The types of Node do not have the property.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connect', (_request, socket) => writeRaw(socket, methodNotAllowed));
  // Data that Node cannot parse as HTTP never becomes a request: the envelope is written to the socket.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    // Bytes after a complete request are not its error: the log may be stored, so the answer must arrive.
    const response = unanswered.lastOn(socket);
    if (response) response.once('close', () => socket.end());
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') writeRaw(socket, gatewayResponses.INTEGRATION_TIMEOUT);
    else writeRaw(socket, gatewayResponses.BAD_REQUEST_PARAMETERS);
  });
  return { server, idle };
}

/** Makes a server listen on the loopback address only; port 0 is any free one. @returns the base URL */
export async function listen(server: Server, port: number): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'ailog-bundle-'));
  const { server, idle } = await createLocalServer(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.once('SIGTERM', async () => {
    server.close().closeAllConnections();
    await idle();
    process.exit();
  });
  console.error(`Listening on ${await listen(server, Number(process.env.PORT))}`);
}
