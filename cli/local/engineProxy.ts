import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';

const BROWSER_HEADERS = ['origin', 'sec-fetch-site'];

/** Returns the reason why a request may come from a web page; undefined if it cannot. */
function suspicionOf({ headers, socket }: IncomingMessage): string | undefined {
  const sent = BROWSER_HEADERS.find((name) => headers[name] !== undefined);
  if (sent !== undefined) return `it has the header ${sent}, which browsers send`;
  // A page can make its own host name resolve to 127.0.0.1. The Host header then still has that name.
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${socket.localPort}`);
  return hosts.includes(headers.host ?? '') ? undefined : `its Host is not ${hosts.join(' or ')}`;
}

function reject(response: ServerResponse, reason: string): void {
  const message = `The local DynamoDB does not serve web pages, and this request may come from one: ${reason}.`;
  response.writeHead(403, { 'Content-Type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException', message }));
}

function forward(request: IncomingMessage, response: ServerResponse, engine: string): void {
  const { method = '', url = '', headers } = request;
  const { hostname, port, host } = new URL(engine);
  const call = httpRequest({ hostname, port, path: url, method, headers: { ...headers, host } }, (answer) => {
    const passed = Object.entries(answer.headers).filter(([name]) => !name.startsWith('access-control-'));
    response.writeHead(answer.statusCode as number, Object.fromEntries(passed));
    answer.once('error', () => response.destroy()).pipe(response);
  });
  call.once('error', () => response.destroy());
  request.once('error', () => call.destroy()).pipe(call);
}

/** Creates a proxy to the embedded engine that rejects web pages, to all of which the engine itself gives access. */
export const createEngineProxy = (engine: string) =>
  createServer((request, response) => {
    const suspicion = suspicionOf(request);
    if (suspicion === undefined) forward(request, response, engine);
    else reject(response, suspicion);
  });
