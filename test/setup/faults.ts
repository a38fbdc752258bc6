import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer that the service did not give. */
interface Made {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * What happens to one request on its way: it passes; it arrives and its answer is lost, be it that the connection breaks
 * or that nothing more comes; it breaks before it arrives; it is answered on the way; it arrives and another answer comes.
 */
export type Fault = 'pass' | 'lose the answer' | 'hang' | 'break before' | Made | { readonly afterwards: Made };

/** A request as it came by. */
interface Seen {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A way to a service on which things go wrong, as told: the first fault for the first request, and so on; then all pass. */
export async function faultyWay(target: string) {
  const faults: Fault[] = [];
  const seen: Seen[] = [];

  const forward = (from: IncomingMessage, body: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { method = '', url = '', headers } = from;
      request(new URL(url, target), { method, headers }, resolve).once('error', reject).end(body);
    });
  const answer = (response: ServerResponse, { status, headers, body = '' }: Made) =>
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(body), ...headers }).end(body);

  const server = createServer(async (from, response) => {
    const body = Buffer.concat(await Array.fromAsync(from));
    seen.push({ headers: from.headers, body: body.toString('hex') });
    const fault = faults.shift() ?? 'pass';
    if (fault === 'break before') return response.destroy();
    if (typeof fault === 'object' && 'status' in fault) return answer(response, fault);
    const answered = await forward(from, body);
    const text = Buffer.concat(await Array.fromAsync(answered)).toString();
    if (fault === 'lose the answer') return response.destroy();
    if (fault === 'hang') return;
    if (fault !== 'pass') return answer(response, fault.afterwards);
    response.writeHead(answered.statusCode as number, answered.rawHeaders).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What will go wrong from now on; forgets what came by so far. */
    plan(...planned: readonly Fault[]): void {
      faults.splice(0, faults.length, ...planned);
      seen.length = 0;
    },
    seen: () => [...seen],
    close: () => {
      server.close().closeAllConnections();
    },
  };
}
