import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Failure, failureOf, type Outcome } from '../../shell/terminal/failure.ts';
import { bigintAsText } from '../../shell/text/json.ts';
import { escapeHidden } from '../../shell/text/visible.ts';
import { createGuard } from './guard.ts';
import { openingFile } from './openPage.ts';
import { hostsOf, listen } from './origin.ts';
import { changes, type Read, reads } from './routes.ts';
import type { Console } from './state.ts';

const PAGE = fileURLToPath(new URL('../page/', import.meta.url));

/** Builds the page. It runs no script but this one: a browser checks its digest. @returns its files by their paths */
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
  const parts = new Map([
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: outputFiles[0]?.contents as Uint8Array }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: read('page.css') }],
  ]);
  const html = [...parts].reduce(
    (text, [path, { body }]) =>
      text.replace(`"${path}"`, `"${path}" integrity="sha256-${hash('sha256', body, 'base64')}"`),
    String(read('page.html')),
  );
  return parts.set('/', { type: 'text/html; charset=utf-8', body: Buffer.from(html) });
}

/** The longest body of a change: an order list of 500 teams over three weeks. */
const BODY_LIMIT_BYTES = 512 * 1024 * 1024;

const CONTENT_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'",
  "worker-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

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

/** Serves the console on this machine. @param port 0: any that is free @throws Failure if it is in use */
export async function serve(console: Console, port: number) {
  const page = bundlePage();
  page.catch(() => {});
  // No request, with or without a session, may end the process.
  const listening = await listen(port, (request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  const opening = openingFile(console.terminal.cwd(), listening.port);
  const guard = createGuard(hostsOf(listening.port), (links) => {
    try {
      opening.write(links);
    } catch {
      // The tab that has just used the link is open anyway, and opens further ones.
    }
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
  }
  const close = () => {
    opening.remove();
    listening.close();
  };
  try {
    opening.write(guard.links());
  } catch (error) {
    close();
    throw error;
  }
  return { link: guard.links().link, file: opening.path, close };
}
