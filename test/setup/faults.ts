import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A response that the proxy makes up. */
interface FakeResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The fault that the proxy applies to a request:
 *
 * - `pass`: none
 * - `break before`: the connection breaks before the request reaches the service
 * - `lose the answer`: the service receives the request, then the connection breaks
 * - `drip`: the service receives the request, and the client gets the answer at one byte a second
 * - `hang`: the service receives the request, but the client never gets a response
 * - a response: the client gets it, and the service never receives the request
 * - `afterwards`: the service receives the request, but the client gets this response instead
 */
export type Fault =
  | 'pass'
  | 'lose the answer'
  | 'hang'
  | 'drip'
  | 'break before'
  | FakeResponse
  | { readonly afterwards: FakeResponse };

/** A request that the proxy received, with its body in hex. */
interface SeenRequest {
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Starts a proxy that applies planned faults: one per request in their order. Further requests pass. */
export async function startFaultProxy(target: string) {
  const faults: Fault[] = [];
  let faulty = (_request: IncomingMessage, _body: Buffer) => true;
  const seen: SeenRequest[] = [];

  const forward = (from: IncomingMessage, body: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method = '', url = '', headers } = from;
      request(new URL(target + url), { method, headers }, resolve)
        .once('error', reject)
        .end(body);
    });
  const respond = (response: ServerResponse, { status, headers, body = '' }: FakeResponse) =>
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers }).end(body);

  const drip = async (response: ServerResponse, answer: IncomingMessage, text: string) => {
    response.writeHead(answer.statusCode as number, { ...answer.headers, connection: 'close' });
    for (const byte of text) {
      if (response.closed) return;
      response.write(byte);
      await sleep(1000);
    }
    response.end();
  };

  const server = createServer(async (from, response) => {
    const body = Buffer.concat(await Array.fromAsync(from));
    seen.push({ url: from.url ?? '', headers: from.headers, body: body.toString('hex') });
    const fault = (faulty(from, body) ? faults.shift() : undefined) ?? 'pass';
    if (fault === 'break before') return response.destroy();
    if (typeof fault === 'object' && 'status' in fault) return respond(response, fault);
    const answer = await forward(from, body);
    const text = Buffer.concat(await Array.fromAsync(answer)).toString();
    if (fault === 'lose the answer') return response.destroy();
    if (fault === 'hang') return;
    if (fault === 'drip') return drip(response, answer, text);
    if (fault !== 'pass') return respond(response, fault.afterwards);
    response.writeHead(answer.statusCode as number, answer.rawHeaders).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Plans the faults of the next requests, and forgets the requests seen so far. */
    plan(...planned: readonly Fault[]): void {
      faults.splice(0, faults.length, ...planned);
      faulty = () => true;
      seen.length = 0;
    },
    /** Plans the faults of the next writes to DynamoDB. Reads pass. */
    planWrites(...planned: readonly Fault[]): void {
      this.planWritesOf('', ...planned);
    },
    /** Plans the faults of the next writes to DynamoDB whose body has a text. All else passes. */
    planWritesOf(text: string, ...planned: readonly Fault[]): void {
      faults.splice(0, faults.length, ...planned);
      faulty = ({ headers }, body) =>
        /\.(PutItem|UpdateItem)$/.test(String(headers['x-amz-target'])) && body.includes(text);
      seen.length = 0;
    },
    /** Returns the requests since the last plan. */
    seen: () => [...seen],
    close: () => {
      server.close().closeAllConnections();
    },
  };
}
