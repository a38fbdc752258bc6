import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * An endpoint that refuses connections for as long as this process runs: its port is the near end of a connection
 * between two sockets of this process, so that nobody can listen on it.
 */
export const UNREACHABLE = await refusing();

async function refusing(): Promise<string> {
  const server = createServer((socket) => socket.unref()).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(near, 'connect');
  return `http://127.0.0.1:${near.unref().localPort}`;
}
