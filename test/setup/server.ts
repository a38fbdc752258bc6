import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closedAtEnd } from './closing.ts';

/** Starts an HTTP server on this machine. @param answer gets each request with its whole body */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown,
) {
  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request).catch(() => undefined);
    // The client has closed the connection.
    if (chunks === undefined) return response.destroy();
    await answer(request, response, Buffer.concat(chunks));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = closedAtEnd(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${port}`, port, server, close };
}
