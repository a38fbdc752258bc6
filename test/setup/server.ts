import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closedAtEnd } from './closing.ts';

/** Starts an HTTP server on this machine. @param answer gets each request with its whole body @param wanted 0: any */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown,
  wanted = 0,
  host = '127.0.0.1',
) {
  // A client that computes between two requests keeps its connection.
  const server = createServer({ keepAliveTimeout: 600_000 }, async (request, response) => {
    const chunks = await Array.fromAsync(request).catch(() => undefined);
    // The client has closed the connection.
    if (chunks === undefined) return response.destroy();
    await answer(request, response, Buffer.concat(chunks));
  });
  await once(server.listen(wanted, host), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = closedAtEnd(async () => {
    const closed = server.listening && once(server, 'close');
    server.close().closeAllConnections();
    await closed;
  });
  return { url: `http://${host}:${port}`, port, server, close };
}
