import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGuard } from '../../../cli/console/server/guard.ts';
import { openingFile } from '../../../cli/console/server/openPage.ts';
import { hostsOf } from '../../../cli/console/server/origin.ts';
import { reads } from '../../../cli/console/server/routes.ts';
import { numberIn } from '../../../cli/console/server/state.ts';
import { execute, localWorld, MAIN, says, start, startServer, temporaryFolder } from '../../setup/world.ts';
import { ask, openConsole } from './openConsole.ts';

const local = await localWorld();
await local.uploadAt(await local.team(), Date.now(), { model: 'GPT-5' });
const running = await openConsole(local.folder);
const own = await running.headers();
const { origin, port } = running;

const PAGES = ['/', '/team', '/page.js', '/page.css'];
const PATHS = Object.keys(reads).map((name) => `/api/${name}`);
const tokenOf = (link: string) => link.split('#token=')[1] as string;
const exchange = (at: string, token: string, path = '/api/enter', method = 'POST') =>
  ask(at, path, { 'x-ailog-token': token }, { method });

describe('a request without the session', () => {
  test.each([...PATHS, '/api/enter', '/nothing.js', '//x/api/status', '/api/status/../board'])(
    'gets nothing of %s',
    async (path) => {
      const answer = await ask(origin, path);
      expect([answer.status, answer.text]).toEqual([401, 'This tab is not open: it has no session.']);
    },
  );

  test('gets the page, which has no secret', async () => {
    for (const path of PAGES) {
      const { status, text, headers } = await ask(origin, path);
      expect([path, status, headers['set-cookie']]).toEqual([path, 200, undefined]);
      for (const secret of [own['x-ailog-session'], tokenOf(running.link)]) expect(text).not.toContain(secret);
    }
  });

  test('gets a page that names the digests of its script and style', async () => {
    const { text } = await ask(origin, '/');
    for (const path of ['/page.js', '/page.css']) {
      const digest = createHash('sha256')
        .update((await ask(origin, path)).text)
        .digest('base64');
      expect(text).toContain(`"${path}" integrity="sha256-${digest}"`);
    }
  });

  test.each([
    ['another token', () => 'A'.repeat(32)],
    ['no token', () => ''],
    ['the used one', () => tokenOf(running.link)],
    ['the used one with a byte more', () => `${tokenOf(running.link)}x`],
  ])('and with %s gets none', async (_name, token) => {
    expect((await exchange(origin, token())).status).toBe(401);
  });

  test('and with a session that is nearly right gets nothing', async () => {
    const right = own['x-ailog-session'];
    const nearly = [`${right}x`, right.slice(0, -1), `é${right.slice(1)}`, `${right}, ${right}`, 'undefined', ''];
    for (const wrong of nearly)
      expect((await ask(origin, '/api/status', { 'x-ailog-session': wrong })).status).toBe(401);
    expect((await ask(origin, '/api/status', { cookie: `x-ailog-session=${right}` })).status).toBe(401);
  });
});

test('the link has 192 random bits in its fragment, and works once; the file that opens the page always does', async () => {
  const { link, origin: at, file, end } = await openConsole(local.folder);
  const inFile = () =>
    /^<!doctype html><meta http-equiv="refresh" content="0; url=(.*)">\n$/.exec(readFileSync(file, 'utf8'))?.[1];
  try {
    expect(link).toMatch(/^http:\/\/[0-9a-f]{32}\.localhost:\d+\/#token=[\w-]{32}$/);
    expect([inFile(), statSync(file).mode & 0o777]).toEqual([link, 0o600]);
    expect([tokenOf(link)]).not.toContain(tokenOf(running.link));
    expect(new URL(at).hostname).not.toBe(new URL(origin).hostname);
    for (const [path, method] of [
      ['/api/enter', 'GET'],
      ['/api/enter/', 'POST'],
      ['/', 'POST'],
    ])
      expect((await exchange(at, tokenOf(link), path, method)).status).toBe(401);
    const entered = await exchange(at, tokenOf(link));
    expect([entered.status, entered.text, entered.headers['set-cookie']]).toEqual([
      200,
      expect.stringMatching(/^[\w-]{32}$/),
      undefined,
    ]);
    const session = { 'x-ailog-session': entered.text };
    expect([
      (await ask(at, '/api/status', session)).status,
      (await ask(origin, '/api/status', session)).status,
    ]).toEqual([200, 401]);
    expect((await exchange(at, tokenOf(link))).status).toBe(401);
    const next = inFile() as string;
    expect(next).not.toBe(link);
    // Nobody is kept out where the file cannot be written again, such as on a full disk.
    rmSync(file);
    mkdirSync(file);
    expect(await exchange(at, tokenOf(next))).toMatchObject({ status: 200, text: entered.text });
    rmdirSync(file);
  } finally {
    await end();
  }
  expect(existsSync(file)).toBe(false);
});

// Only root can act as another user.
test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'another user of the machine gets nothing, with any address and any port, and sees no link',
  async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const seen = join(folder, 'arguments');
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\necho "$@" > ${seen}.part && mv ${seen}.part ${seen}\n`, {
      mode: 0o755,
    });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, DYNAMODB_ENDPOINT: local.endpoint };
    const console = start([process.execPath, MAIN, 'console', '--local', '--no-sync'], { cwd: local.folder, env });
    try {
      await expect.poll(() => existsSync(seen) && console.output().includes('open /')).toBe(true);
      const said = console.output();
      const [link = '', host = '', at = ''] = /http:\/\/(\w+\.localhost:(\d+))\/#token=[\w-]+/.exec(said) ?? [];
      const file = readFileSync(seen, 'utf8').trim();
      expect(basename(file)).toMatch(new RegExp(`^ailog-console-${at}-${console.pid}-[0-9a-f]{8}\\.html$`));
      const stranger = `
        const { connect } = require('node:net');
        const { readFileSync, readdirSync } = require('node:fs');
        const lines = [];
        const attempt = (step) => { try { return step(); } catch ({ code }) { return code; } };
        lines.push('file ' + attempt(() => readFileSync(${JSON.stringify(file)}, 'utf8')));
        const processes = readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
        const told = processes.map((id) => attempt(() => readFileSync('/proc/' + id + '/cmdline', 'utf8')));
        lines.push('arguments ' + told.some((text) => text.includes('#' + 'token')));
        const ask = (localAddress, localPort, path, extra = '') => new Promise((resolve) => {
          let text = '';
          const socket = connect({ host: '127.0.0.1', port: ${at}, localAddress, localPort });
          socket.setEncoding('latin1').on('data', (part) => { text += part; }).on('error', ({ code }) => { text = code; });
          socket.on('close', () => resolve(text.split('\\r\\n')[0]));
          socket.end('POST ' + path + ' HTTP/1.1\\r\\nhost: ${host}\\r\\ncontent-type: application/json\\r\\n' + extra + 'connection: close\\r\\n\\r\\n');
        });
        (async () => {
          for (const address of ['127.0.0.1', '127.0.0.3'])
            for (const from of [undefined, address === '127.0.0.3' ? ${at} : undefined])
              for (const path of ['/api/enter', '/api/addVerdict'])
                lines.push(await ask(address, from, path, 'x-ailog-token: guess\\r\\n'));
          console.log(lines.join('\\n'));
        })();`;
      const asNobody = { uid: 65_534, cwd: '/', env: {} };
      const { stdout } = await execute([process.execPath, '-e', stranger], asNobody);
      expect(stdout.trim().split('\n')).toEqual([
        'file EACCES',
        'arguments false',
        ...Array(8).fill('HTTP/1.1 401 Unauthorized'),
      ]);
      // What strangers try does not keep the reviewer out.
      expect((await exchange(`http://${host}`, tokenOf(link))).status).toBe(200);
    } finally {
      console.kill('SIGINT');
      await console.ended;
    }
  },
);

describe('a request with the session', () => {
  const get = (headers: Readonly<Record<string, string>>, path = '/api/status') =>
    ask(origin, path, { ...own, ...headers });

  // biome-ignore format: one case a line
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['nothing else', {}, 200],
    ['the host of another name, as after DNS rebinding', { host: 'evil.example' }, 421],
    ['the name localhost', { host: 'localhost:PORT' }, 421],
    ['the host without a port', { host: 'NAME' }, 421],
    ['another port', { host: 'NAME:1' }, 421],
    ['the address', { host: '127.0.0.1:PORT' }, process.platform === 'darwin' ? 200 : 421],
    ['another name of this machine', { host: 'x.localhost:PORT' }, 421],
    ['its own origin', { origin: 'http://NAME:PORT' }, 200],
    ['the origin of its address', { origin: 'http://127.0.0.1:PORT' }, 403],
    ['a foreign origin', { origin: 'https://evil.example' }, 403],
    ['the origin of another local server', { origin: 'http://127.0.0.1:1' }, 403],
    ['the origin null', { origin: 'null' }, 403],
    ['a navigation by the user', { 'sec-fetch-site': 'none' }, 200],
    ['a navigation from elsewhere', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
    ['its own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a service worker', { 'service-worker': 'script', 'sec-fetch-site': 'same-origin' }, 403],
    ['a worker', { 'sec-fetch-dest': 'worker', 'sec-fetch-site': 'same-origin' }, 403],
  ])('and %s', async (_name, headers, status) => {
    const { hostname } = new URL(origin);
    const own = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('PORT', String(port)).replace('NAME', hostname),
    ]);
    expect((await get(Object.fromEntries(own))).status).toBe(status);
  });

  test('is led to the page, not to its parts, from elsewhere', async () => {
    const from = (mode: string, path: string) =>
      ask(origin, path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode });
    expect((await from('navigate', '/team?uid=1')).status).toBe(200);
    for (const path of PAGES) expect((await from('no-cors', path)).status).toBe(403);
  });

  test('gets no CORS header, and nothing that a cache keeps', async () => {
    for (const path of [...PAGES, ...PATHS]) {
      const { headers } = await get({ origin }, path);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; worker-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
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
    ...['/api/nothing', '/api/constructor', '/api/__proto__', '/../package.json', '/favicon.ico', '/api/status/x'],
  ])('finds no %s', async (path) => {
    const { status, text } = await get({}, path);
    expect([status, JSON.parse(text).message]).toEqual([404, 'There is no such page.']);
  });
});

describe('a change', () => {
  const OWN = { 'content-type': 'application/json' };
  const post = (headers: Readonly<Record<string, string>>, path = '/api/removeOrders', method = 'POST') =>
    ask(origin, path, { ...own, ...headers }, { method, body: '{}' });

  // biome-ignore format: one case a line
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ['with JSON', OWN, 200],
    ['of a form', { 'content-type': 'text/plain' }, 415],
    ['without a type', {}, 415],
    ['of another site', { ...OWN, 'sec-fetch-site': 'cross-site' }, 403],
    ['of a foreign origin', { ...OWN, origin: 'https://evil.example' }, 403],
    ['without the session', { ...OWN, 'x-ailog-session': '' }, 401],
  ])('%s', async (_name, headers, status) => {
    expect((await post(headers)).status).toBe(status);
  });

  test('is never made by GET, nor by another method', async () => {
    expect((await ask(origin, '/api/removeOrders', own)).status).toBe(404);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD']) {
      expect((await post(OWN, '/api/removeOrders', method)).status).toBe(405);
    }
  });

  test('that is not JSON is refused with a reason', async () => {
    const { status, text } = await ask(origin, '/api/removeOrders', { ...own, ...OWN }, { method: 'POST', body: '{' });
    expect([status, JSON.parse(text).message]).toEqual([400, 'The request is not JSON.']);
  });
});

test('the opening file of a console that was killed goes with the next start, and no other file', async () => {
  const folder = temporaryFolder();
  const dead = start([process.execPath, '-e', '']);
  await dead.ended;
  const nameOf = (pid: number | undefined, end = '12345678.html') => `ailog-console-1-${pid}-${end}`;
  const others = [nameOf(process.pid), nameOf(dead.pid, '1234567.html'), nameOf(dead.pid, '12345678.htm')];
  for (const name of [nameOf(dead.pid), nameOf(dead.pid, `12345679.html.${'0'.repeat(16)}`), ...others])
    writeFileSync(join(folder, name), '');
  const kept = [...others, nameOf(dead.pid, 'aaaaaaaa.html'), nameOf(dead.pid, 'bbbbbbbb.html')];
  symlinkSync(join(folder, others[0] as string), join(folder, kept[3] as string));
  mkdirSync(join(folder, kept[4] as string));
  if (process.geteuid?.() === 0) {
    kept.push(nameOf(dead.pid, 'cccccccc.html'));
    writeFileSync(join(folder, kept[5] as string), '');
    chownSync(join(folder, kept[5] as string), 65_534, 65_534);
  }
  openingFile(folder, 1);
  expect(readdirSync(folder)).toEqual(kept.toSorted());

  const killed = start([process.execPath, MAIN, 'console', '--local', '--no-sync', '--no-open'], {
    cwd: local.folder,
    env: { ...process.env, DYNAMODB_ENDPOINT: local.endpoint },
  });
  const files = () => readdirSync(local.folder).filter((name) => name.startsWith('ailog-console-'));
  await expect.poll(files).toHaveLength(2);
  killed.kill('SIGKILL');
  await killed.ended;
  expect(files()).not.toHaveLength(1);
  const next = await openConsole(local.folder, ['--no-sync']);
  expect(files().toSorted()).toEqual([basename(running.file), basename(next.file)].toSorted());
  await next.end();
});

test('a browser of Apple is led to an address that it finds, past its cache, and only on macOS', () => {
  const { host, appleHost } = hostsOf(8000, 'darwin');
  expect([appleHost, hostsOf(8000, 'linux').appleHost, hostsOf(8000, 'win32').appleHost]).toEqual([
    '127.0.0.1:8000',
    undefined,
    undefined,
  ]);
  const guard = createGuard({ host, appleHost }, () => {});
  const { link, appleLink } = guard.links();
  expect(appleLink).toBe(`http://127.0.0.1:8000/?${host.split('.')[0]}#token=${tokenOf(link)}`);
  const opening = openingFile(temporaryFolder(), 8000);
  opening.write({ link, appleLink });
  // What cannot be removed is somebody else's.
  const taken = openingFile(temporaryFolder(), 8000);
  mkdirSync(taken.path);
  expect(() => taken.write({ link })).toThrow(`${taken.path} is a folder`);
  expect(readdirSync(taken.path)).toEqual([]);
  const written = readFileSync(opening.path, 'utf8');
  const [, script = ''] = /^<!doctype html><script>(.*)<\/script>\n$/.exec(written) ?? [];
  const leads = (vendor: string) => {
    let to = '';
    new Function('navigator', 'location', script)({ vendor }, { replace: (where: string) => (to = where) });
    return to;
  };
  expect(['Apple Computer, Inc.', 'Google Inc.', ''].map(leads)).toEqual([appleLink, link, link]);
});

describe('the server', () => {
  test('listens on the loopback address only', async () => {
    const others = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.filter(({ internal, family }) => !internal && family === 'IPv4'),
    );
    for (const { address } of others) {
      await expect(fetch(`http://${address}:${port}/`)).rejects.toThrow('fetch failed');
    }
  });

  // Browsers take a name under .localhost for both addresses, so another user must have neither.
  test.each(['127.0.0.1', '::1'])('says that a port is in use at %s', async (address) => {
    const taken = String((await startServer(() => {}, 0, address)).port);
    const said = await local.ailog(['console', '--no-open', '--port', taken]);
    expect(said).toEqual(says(2, `The port ${taken} is in use.\nGive another --port, or none.\n`));
  });

  test('ends with Ctrl-C, and leaves no file behind', async () => {
    const other = await openConsole(local.folder);
    expect((await other.get('board')).status).toBe(200);
    const temporary = join(local.folder, '.local/rows/temporary', String(process.pid));
    const before = readdirSync(temporary).length;
    expect(await other.end()).toBe(130);
    expect(readdirSync(temporary).length).toBe(before - 1);
    await expect(ask(other.origin, '/')).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(temporary)).toBe(true);
  });
});

test('a number in an address may be each bound, and none beyond', () => {
  const read = (text: string) => numberIn(new URLSearchParams({ n: text }), 'n', 5, [1, 60]);
  expect([read('1'), read('60'), numberIn(new URLSearchParams(), 'n', 5, [1, 60])]).toEqual([1, 60, 5]);
  for (const wrong of ['0', '61', '1.5', 'x'])
    expect(() => read(wrong)).toThrow('The address has a wrong n: it is a whole number from 1 to 60.');
});
