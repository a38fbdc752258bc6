import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a proxy in front of a DynamoDB engine that delays every response. @param delay milliseconds */
export async function openSlowProxy(engine: string, delay: number) {
  let requests = 0;
  const server = createServer((incoming, response) => {
    requests += 1;
    response.on('error', () => {});
    const call = request(engine, { method: incoming.method as string, headers: incoming.headers }, (answer) => {
      setTimeout(() => {
        response.writeHead(answer.statusCode as number, answer.headers);
        answer.pipe(response);
      }, delay);
    });
    call.on('error', () => response.destroy());
    incoming.pipe(call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Returns the number of requests so far. */
    requests: () => requests,
    close: () => server.close().closeAllConnections(),
  };
}
