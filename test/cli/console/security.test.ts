import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isOfStranger } from '../../../cli/console/server/guard.ts';
import { reads } from '../../../cli/console/server/routes.ts';
import { type LocalData, openLocalData } from '../../setup/commandLine.ts';
import { uploadAt } from '../commands/logs/entries.ts';
import { ask, openConsole, type RunningConsole } from './openConsole.ts';

let local: LocalData;
let running: RunningConsole;
let cookie: string;
let port: number;
beforeAll(async () => {
  local = await openLocalData();
  const team = await local.fixture.team();
  await uploadAt(local.fixture, team, Date.now(), { model: 'GPT-5' });
  running = await openConsole(local.folder);
  cookie = await running.enter();
  port = running.port;
});
afterAll(async () => {
  await running.end();
  await local.engine.stop();
});

const PATHS = ['/', '/page.js', '/team', ...Object.keys(reads).map((name) => `/api/${name}`)];

describe('a request without the session', () => {
  test.each(PATHS)('gets nothing of %s', async (path) => {
    const answer = await ask(port, path);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
    expect(answer.text).toMatch(/^Open the link that ailog console printed\./);
  });

  test.each([
    ['another token', '/?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    ['no token', '/?token='],
    ['the used one', ''],
  ])('and with %s gets none', async (_name, path) => {
    const used = running.link.slice(running.link.indexOf('/?'));
    const answer = await ask(port, path || used);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
  });

  test('and with the cookie of another console gets nothing', async () => {
    const value = cookie.split('=')[1];
    for (const wrong of [`ailog-console-1=${value}`, `${cookie}x`, cookie.slice(0, -1), `ailog-console-${port}=`]) {
      expect((await ask(port, '/api/status', { cookie: wrong })).status).toBe(401);
    }
  });
});

test.each([
  [
    'a cookie of the right length with a byte that is not ASCII',
    '/',
    { cookie: `ailog-console-PORT=é${'x'.repeat(31)}` },
  ],
  ['an address that is no URL', '//', {}],
  ['the same with a session', '//', { cookie: 'SESSION' }],
])('%s does not end the console', async (_name, path, given: Record<string, string>) => {
  const filled = Object.entries(given).map(([name, value]) => [
    name,
    value.replace('PORT', String(port)).replace('SESSION', cookie),
  ]);
  expect((await ask(port, path, Object.fromEntries(filled))).status).toBeGreaterThanOrEqual(400);
  expect((await ask(port, '/api/status', { cookie })).status).toBe(200);
});

test('the link has 192 random bits, works once, and leads to a URL without them', async () => {
  const other = await openConsole(local.folder);
  try {
    const path = other.link.slice(other.link.indexOf('/?'));
    expect(other.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/);
    expect(other.link.split('=')[1]).not.toBe(running.link.split('=')[1]);
    const entered = await ask(other.port, path);
    expect([entered.status, entered.headers.location, entered.text]).toEqual([303, '/', '']);
    expect(entered.headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^ailog-console-${other.port}=[\\w-]{32}; Path=/; HttpOnly; SameSite=Strict$`)),
    ]);
    expect((await ask(other.port, path)).status).toBe(401);
    expect((await ask(other.port, `${path}&next=https://example.com`)).status).toBe(401);
    // Both are open in one browser, which sends both cookies to both.
    const both = `${cookie}; ${entered.headers['set-cookie']?.join().split(';')[0]}`;
    expect((await ask(other.port, '/api/status', { cookie: both })).status).toBe(200);
    expect((await ask(port, '/api/status', { cookie: both })).status).toBe(200);
  } finally {
    await other.end();
  }
});

/** Asks as another user for a path, in a process of its own. @returns the status and the answer */
const askAsNobody = async (other: number, path: string) => {
  const program = `const answer = await fetch('http://127.0.0.1:${other}${path}', { redirect: 'manual' });
    console.log(answer.status, await answer.text());`;
  const child = spawn(process.execPath, ['-e', program], { uid: 65_534, cwd: '/', env: {} });
  return (await Array.fromAsync(child.stdout.setEncoding('utf8'))).join('');
};

// Only root can act as another user.
test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'the link works for no other user of the machine, and still works for its own',
  async () => {
    const other = await openConsole(local.folder);
    const path = other.link.slice(other.link.indexOf('/?'));
    try {
      expect(await askAsNobody(other.port, path)).toBe('403 This console belongs to another user of this machine.\n');
      expect((await ask(other.port, path)).status).toBe(303);
    } finally {
      await other.end();
    }
  },
);

test.runIf(process.platform === 'linux')('the kernel says whose connection it is', async () => {
  const server = createServer((request, response) => void response.end(String(isOfStranger(request.socket))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: open } = server.address() as AddressInfo;
  expect((await ask(open, '/')).text).toBe('false');
  vi.spyOn(process, 'getuid').mockReturnValue(12_345);
  expect((await ask(open, '/')).text).toBe(String(userInfo().uid !== 0));
  vi.restoreAllMocks();
  server.close();
});

describe('a request with the session', () => {
  const get = (headers: Readonly<Record<string, string>>, path = '/api/status') =>
    ask(port, path, { cookie, ...headers });

  // biome-ignore format: one case a line
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['nothing else', {}, 200],
    ['the host of another name, as after DNS rebinding', { host: 'evil.example' }, 421],
    ['the name localhost', { host: 'localhost:PORT' }, 421],
    ['the host without a port', { host: '127.0.0.1' }, 421],
    ['another port', { host: '127.0.0.1:1' }, 421],
    ['its own origin', { origin: 'http://127.0.0.1:PORT' }, 200],
    ['a foreign origin', { origin: 'https://evil.example' }, 403],
    ['the origin of another local server', { origin: 'http://127.0.0.1:1' }, 403],
    ['the origin null', { origin: 'null' }, 403],
    ['a navigation by the user', { 'sec-fetch-site': 'none' }, 200],
    ['its own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('and %s', async (_name, headers, status) => {
    const own = Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]);
    expect((await get(Object.fromEntries(own))).status).toBe(status);
  });

  test('gets no CORS header, and nothing that a cache keeps', async () => {
    for (const path of PATHS) {
      const { headers } = await get({ origin: `http://127.0.0.1:${port}` }, path);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
        ),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });

  test('is not redirected anywhere', async () => {
    for (const path of [
      '/?next=//evil.example',
      '/?token=x&next=https://evil.example',
      '//evil.example/',
      '/api/status?url=//evil.example',
    ]) {
      const { status, headers } = await get({}, path);
      expect([status >= 300 && status < 400, headers.location]).toEqual([false, undefined]);
    }
  });

  test.each([
    ['/api/nothing'],
    ['/api/constructor'],
    ['/api/__proto__'],
    ['/../package.json'],
    ['/favicon.ico'],
    ['/api/status/x'],
  ])('finds no %s', async (path) => {
    const { status, text } = await get({}, path);
    expect([status, JSON.parse(text).message]).toEqual([404, 'There is no such page.']);
  });
});

describe('a change', () => {
  const OWN = { 'content-type': 'application/json', 'x-ailog-console': '1' };
  const post = (headers: Readonly<Record<string, string>>, path = '/api/removeOrders', method = 'POST') =>
    ask(port, path, { cookie, ...headers }, { method, body: '{}' });

  // biome-ignore format: one case a line
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['with the header and JSON', OWN, 200],
    ['without the header', { 'content-type': 'application/json' }, 403],
    ['of a form', { 'content-type': 'text/plain', 'x-ailog-console': '1' }, 415],
    ['without a type', { 'x-ailog-console': '1' }, 415],
    ['of another site', { ...OWN, 'sec-fetch-site': 'cross-site' }, 403],
    ['of a foreign origin', { ...OWN, origin: 'https://evil.example' }, 403],
    ['without the session', { ...OWN, cookie: '' }, 401],
  ])('%s', async (_name, headers, status) => {
    expect((await post(headers)).status).toBe(status);
  });

  test('is never made by GET, nor by another method', async () => {
    expect((await ask(port, '/api/removeOrders', { cookie })).status).toBe(404);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
      expect((await post(OWN, '/api/removeOrders', method)).status).toBe(405);
    }
  });

  test('that is not JSON is refused with a reason', async () => {
    const { status, text } = await ask(port, '/api/removeOrders', { cookie, ...OWN }, { method: 'POST', body: '{' });
    expect([status, JSON.parse(text).message]).toEqual([400, 'The request is not JSON.']);
  });
});

describe('the server', () => {
  test('listens on the loopback address only', async () => {
    const others = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.filter(({ internal, family }) => !internal && family === 'IPv4'),
    );
    for (const { address } of others) {
      await expect(fetch(`http://${address}:${port}/`)).rejects.toThrow('fetch failed');
    }
    await expect(fetch(`http://[::1]:${port}/`)).rejects.toThrow('fetch failed');
  });

  test('says that a port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const taken = String((other.address() as AddressInfo).port);
    const said = await local.ailog(['console', '--no-open', '--port', taken]);
    expect(said).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `The port ${taken} is in use.\nGive another --port, or none.\n`,
    });
    other.close();
  });

  test('ends with Ctrl-C, and leaves no file behind', async () => {
    const other = await openConsole(local.folder);
    const session = await other.enter();
    expect((await ask(other.port, '/api/board', { cookie: session })).status).toBe(200);
    const temporary = join(local.folder, '.local/rows/temporary', String(process.pid));
    const before = readdirSync(temporary).length;
    expect(await other.end()).toBe(130);
    expect(readdirSync(temporary).length).toBe(before - 1);
    await expect(ask(other.port, '/')).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(temporary)).toBe(true);
  });
});
