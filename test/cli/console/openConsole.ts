import { readdirSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Page } from 'playwright-core';
import { program } from '../../../cli/main.ts';
import { runProgram } from '../../../cli/shell/terminal/program.ts';
import { closedAtEnd } from '../../setup/closing.ts';
import { programEnvironment } from '../../setup/execute.ts';

/** An answer over HTTP. */
export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends one raw request to a console. The headers are those given, and a right Host unless one is given. */
export const ask = (
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', body }: { method?: string; body?: string } = {},
) =>
  new Promise<Got>((resolve, reject) => {
    const { host, port } = new URL(origin);
    const given = { host, ...headers };
    const sent = request({ host: '127.0.0.1', port, path, method, headers: given, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: String(Buffer.concat(chunks)) }),
      );
    });
    sent.on('error', reject).end(body);
  });

/** Starts `ailog console` in this process, in a folder with local data. */
export async function openConsole(cwd: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const stopping = new AbortController();
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const said: string[] = [];
  stderr.on('data', (chunk) => said.push(String(chunk)));
  const ended = runProgram(program, ['console', '--no-open', '--json', ...args], {
    // Its syncs are processes.
    env: { ...programEnvironment(), ...env },
    stdin: stdin as never,
    stdout: stdout as never,
    stderr: stderr as never,
    cwd: () => cwd,
    signal: stopping.signal,
  });
  const printed = await Promise.race([
    new Promise<string>((resolve) => stdout.once('data', (chunk) => resolve(String(chunk)))),
    ended.then((exitCode) => {
      throw new Error(`The console ended with ${exitCode}: ${said.join('')}`);
    }),
  ]);
  const link: string = JSON.parse(printed).url;
  const { origin, port: digits } = new URL(link);
  const port = Number(digits);
  let session: Promise<string> | undefined;
  /** Enters with the link. @returns the secret of the session */
  const enter = (): Promise<string> => {
    const [, token = ''] = link.split('#token=');
    session ??= ask(origin, '/api/enter', { 'x-ailog-token': token }, { method: 'POST' }).then(({ text }) => text);
    return session;
  };
  const headers = async () => ({ 'x-ailog-session': await enter() });
  const end = (): Promise<number> => {
    stopping.abort();
    return ended;
  };
  closedAtEnd(end);
  return {
    link,
    origin,
    port,
    /** The file that opens the page. */
    file: join(cwd, readdirSync(cwd).find((name) => name.startsWith(`ailog-console-${port}-`)) ?? ''),
    enter,
    headers,
    /** Reads a route. @returns its status and its answer */
    async get(route: string, params: Readonly<Record<string, string>> = {}) {
      const path = `/api/${route}?${new URLSearchParams(params)}`;
      const { status, text } = await ask(origin, path, await headers());
      return { status, answer: JSON.parse(text) };
    },
    /** Makes a change. @returns its status and its answer */
    async post(route: string, body: unknown) {
      const given = { method: 'POST', body: JSON.stringify(body) };
      const own = { ...(await headers()), 'content-type': 'application/json' };
      const { status, text } = await ask(origin, `/api/${route}`, own, given);
      return { status, answer: JSON.parse(text) };
    },
    /** Ends the console as Ctrl-C does. @returns the exit code */
    end,
  };
}

export const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Holds back the requests of a page for a URL. @returns a function that lets them go on */
export async function hold(page: Page, url: string | RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}

/** Names the buttons, chips and tags of a page that are less than 3 px from another one. A drawer covers others. */
export const touching = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const all = [...document.querySelectorAll('.chip, .tag, .button, .top a, .top button, .bar button, form button')]
      .filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()]);
    return all.flatMap(([one, a], place) => all.slice(place + 1).flatMap(([other, b]) =>
      !one.contains(other) && one.closest('aside') === other.closest('aside') && a.left < b.right + 3 && b.left < a.right + 3 && a.top < b.bottom + 3 && b.top < a.bottom + 3
        ? one.innerText + ' | ' + other.innerText : []));
  })()`);

export type RunningConsole = Awaited<ReturnType<typeof openConsole>>;
