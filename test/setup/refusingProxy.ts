import { startServer } from './server.ts';

/** Starts a proxy that refuses every connection with 407, and tells with which credentials which host was asked for. */
export async function startRefusingProxy() {
  const asked: string[] = [];
  const { port, server } = await startServer(() => {});
  server.on('connect', ({ url, headers }, socket) => {
    asked.push([headers['proxy-authorization'], url].filter(Boolean).join(' '));
    socket.on('error', () => {}).end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  return {
    host: `127.0.0.1:${port}`,
    /** Returns what was asked for since the last call. */
    asked: () => asked.splice(0),
  };
}
