import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Failure, failureOf, type Outcome } from '../../shell/terminal/failure.ts';
import { bigintAsText } from '../../shell/text/json.ts';
import { escapeHidden } from '../../shell/text/visible.ts';
import { createGuard } from './guard.ts';
import { openingFile } from './openPage.ts';
import { changes, type Read, reads } from './routes.ts';
import type { Console } from './state.ts';

const PAGE = fileURLToPath(new URL('../page/', import.meta.url));

/** Builds the page. @returns its files by their paths */
export async function bundlePage(): Promise<ReadonlyMap<string, { readonly type: string; readonly body: Uint8Array }>> {
  const { outputFiles } = await build({
    absWorkingDir: PAGE,
    entryPoints: ['app.tsx'],
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['chrome125', 'firefox127', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'silent',
    write: false,
  });
  const read = (name: string) => readFileSync(`${PAGE}${name}`);
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: read('page.html') }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: outputFiles[0]?.contents as Uint8Array }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: read('page.css') }],
  ]);
}

/** The longest body of a change: an order list of 500 teams over three weeks. */
const BODY_LIMIT_BYTES = 512 * 1024 * 1024;

/** Only what the page needs: its own script, style and data. */
const CONTENT_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'",
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

/** The headers of every answer. */
const HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The status of a failure. */
const STATUS: Partial<Record<Outcome, number>> = { usage: 400, negative: 404, rejected: 502, unreachable: 504 };

/** A replacer for `JSON.stringify`. All text on its way to the page passes here, and nothing in it stays hidden. */
const shown = (name: string, value: unknown): unknown =>
  typeof value === 'string' ? escapeHidden(value) : bigintAsText(name, value);

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > BODY_LIMIT_BYTES) throw new Failure('usage', 'The file is too large. Give it with --orders.');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (cause) {
    throw new Failure('usage', 'The request is not JSON.', { cause });
  }
}

/** Runs the route of a request. @throws Failure with `negative` if there is none */
async function route(console: Console, request: IncomingMessage, { pathname, searchParams }: URL): Promise<unknown> {
  const [, name = ''] = /^\/api\/(\w+)$/.exec(pathname) ?? [];
  if (request.method === 'GET' && Object.hasOwn(reads, name)) {
    const read: Read = reads[name as keyof typeof reads];
    return read(console, searchParams);
  }
  if (request.method === 'POST' && Object.hasOwn(changes, name)) {
    const { change, writes } = changes[name as keyof typeof changes];
    if (writes && !console.canWrite) {
      throw new Failure('usage', 'This console only reads.', { advice: 'Start it with --write to record verdicts.' });
    }
    return change(console, await readJson(request));
  }
  throw new Failure('negative', 'There is no such page.');
}

/**
 * Serves the console on 127.0.0.1.
 * @param port 0: any that is free
 * @returns the link that opens it, the file that does too, and a function that ends it
 * @throws Failure if the port is in use
 */
export async function serve(console: Console, port: number) {
  const page = bundlePage();
  page.catch(() => {});
  const server: Server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause) => {
    if (cause.code !== 'EADDRINUSE') throw cause;
    throw new Failure('usage', `The port ${port} is in use.`, { cause, advice: 'Give another --port, or none.' });
  });
  const guard = createGuard((server.address() as AddressInfo).port, (link) => {
    try {
      opening.write(link);
    } catch {
      // The tab that has just used the link is open anyway, and opens further ones.
    }
  });
  const opening = openingFile(console.terminal.cwd(), guard.origin);
  opening.write(guard.link());

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, type: string, body: string | Uint8Array, headers = {}) =>
      void response.writeHead(status, { ...HEADERS, 'content-type': type, ...headers }).end(body);
    try {
      const url = URL.parse(request.url ?? '', guard.origin);
      const path = url?.pathname ?? '';
      // The page reads its screen from the path.
      const file = request.method === 'GET' ? (await page).get(/^\/\w*$/.test(path) ? '/' : path) : undefined;
      const answered = guard.check(request, path, file !== undefined);
      if (answered) return send(answered[0], 'text/plain; charset=utf-8', answered[1]);
      if (file) return send(200, file.type, file.body);
      if (!url) throw new Failure('negative', 'There is no such page.');
      const answer = await route(console, request, url);
      if (answer instanceof Uint8Array)
        return send(200, 'application/octet-stream', answer, { 'content-disposition': 'attachment' });
      send(200, 'application/json', JSON.stringify(answer, shown));
    } catch (error) {
      const { outcome, message, advice } = failureOf(error);
      send(STATUS[outcome] ?? 500, 'application/json', JSON.stringify({ outcome, message, advice }, shown));
    }
  };
  // Nothing that somebody sends, with or without a session, may end the process.
  server.on('request', (request, response) => void respond(request, response).catch(() => response.destroy()));
  const close = () => {
    opening.remove();
    server.close().closeAllConnections();
  };
  return { link: guard.link(), file: opening.path, close };
}
