import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, expect, test, vi } from 'vitest';
import type { Invoked } from '../../../cli/local/openFunction.ts';
import { createLocalServer, describeAnswer, listen } from '../../../cli/local/serve.ts';
import { aiLog, jsonOf, sendTo, signedUpload, temporaryFolder, withHeader, world } from '../../setup/world.ts';

const fixture = await world();
for (const [name, value] of Object.entries(fixture.environment)) vi.stubEnv(name, value);
const answered: Invoked[] = [];
const local = await createLocalServer(temporaryFolder(), { onAnswer: (one) => answered.push(one) });
const url = new URL(await listen(local.server, 0));
const transport = { send: sendTo(url) };
afterAll(async () => {
  vi.unstubAllEnvs();
  local.server.close().closeAllConnections();
  await local.idle();
});

const rejected = (code: string, msg: string) => ({ code, msg, requestTime: expect.any(Number), data: null });

test.each([
  '/',
  '//capi/v3/order/uploadAiLog',
  '/capi//v2/order/uploadAiLog',
  '/capi/v2/order/uploadAiLog//',
  '/capi/v2/order/uploadAiLogs',
  '/prod/capi/v2/order/uploadAiLog',
  '/capi/v3/order/uploadAiLog',
  '/capi/v2/order/%75ploadAiLog',
  '/%22,%22code%22:%2200000',
  '/","code":"00000',
  '/$context.requestTimeEpoch',
])('unknown path %s → 404 with both paths', async (path) => {
  const { status, json } = await transport.send({ ...signedUpload(await fixture.team()), path });
  expect(status).toBe(404);
  expect(json).toEqual(
    rejected(
      '404',
      `Unknown path ${path}: use POST /capi/v2/order/uploadAiLog after the base URL that the organisers gave you`,
    ),
  );
});

test.each([
  ['/', '//'],
  ['/', '///'],
  [/$/, '/'],
  [/^/, 'http://127.0.0.1'],
  [/^/, 'HTTPS://api.example.com:443/'],
])('a path with %s as %s is the path, and the plain one is signed', async (part, as) => {
  const upload = signedUpload(await fixture.team());
  const { status, json } = await transport.send({ ...upload, path: upload.path.replace(part, as) });
  expect({ status, code: json.code }).toEqual({ status: 200, code: '00000' });
});

test.each(['http://127.0.0.1', 'http://127.0.0.1/x', 'ftp://127.0.0.1/capi/v2/order/uploadAiLog'])(
  'the absolute target %s is no upload',
  async (path) => {
    expect((await transport.send({ ...signedUpload(await fixture.team()), path })).status).toBe(404);
  },
);

test('a caller that ends its side after its request gets its answer', async () => {
  const team = await fixture.team();
  const socket = connect({ port: Number(url.port), host: url.hostname, allowHalfOpen: true });
  socket.end(rawUpload(signedUpload(team)));
  const text = Buffer.concat(await Array.fromAsync(socket)).toString();
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"code":"00000"/s);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
});

test.each([
  ['chunked', '200'],
  ['Chunked', '200'],
  ['gzip, chunked', '400'],
  ['chunked, chunked', '400'],
])('Transfer-Encoding: %s → %s', async (coding, status) => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const [head = ''] = rawUpload(upload)
    .toString()
    .split(/Content-Length/);
  const body = Buffer.concat([Buffer.from(`${upload.body.length.toString(16)}\r\n`), upload.body]);
  const request = [Buffer.from(`${head}Connection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n`), body];
  const text = await sendRaw(Buffer.concat([...request, Buffer.from('\r\n0\r\n\r\n')]));
  expect(statusesIn(text)).toEqual([status]);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(status === '200' ? 1 : 0);
});

test('every answer has the id of its request', async () => {
  const ids = new Set<string>();
  for (const path of ['/x', '/capi/v2/order/uploadAiLog', '/capi/v2/order/uploadAiLog']) {
    const { headers } = await transport.send({ ...signedUpload(await fixture.team()), path });
    ids.add(String(headers['x-amzn-requestid']));
  }
  ids.add(/^x-amzn-RequestId: (.*)\r$/m.exec(await sendRaw('AILOG / 1.0\r\n\r\n'))?.[1] ?? '');
  expect([...ids]).toEqual(Array(4).fill(expect.stringMatching(/^[\da-f-]{36}$/)));
});

test.each([
  ...['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method) => [method, undefined] as const),
  ...['application/json', 'text/html', '*/*'].map((accept) => ['PUT', accept] as const),
])('method %s with Accept: %s → 405 with Allow: POST', async (method, accept) => {
  const upload = signedUpload(await fixture.team());
  const asking = accept === undefined ? upload : withHeader(upload, 'Accept', accept);
  const { status, json, headers } = await transport.send({ ...asking, method });
  expect([status, headers.allow, json]).toEqual([405, 'POST', rejected('405', 'Method not allowed, use POST')]);
});

test('a body beyond the quota of the gateway → 413, headers beyond it → 400', async () => {
  const upload = signedUpload(await fixture.team());
  const large = await transport.send({ ...upload, body: Buffer.alloc(10 * 1024 * 1024 + 1, 0x20) });
  expect(large.status).toBe(413);
  expect(large.json).toMatchObject({ code: '413', data: null });
  const wordy = await transport.send(withHeader(upload, 'X-Long', 'x'.repeat(11_000)));
  expect(wordy.status).toBe(400);
  expect(wordy.json).toMatchObject({ data: null });
});

test('data that is not HTTP gets an envelope, and the next request is served', async () => {
  const text = await sendRaw('AILOG / 1.0\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ data: null, code: expect.any(String) });

  expect((await transport.send(signedUpload(await fixture.team()))).status).toBe(200);
});

/** Returns everything that comes back until a connection ends. */
async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

/** Opens a connection on which errors say nothing. */
const open = () => connect(Number(url.port), url.hostname).on('error', () => {});

/** Sends bytes as they are. @returns what comes back */
function sendRaw(bytes: string | Buffer): Promise<string> {
  const socket = open();
  socket.write(bytes);
  return textOf(socket);
}

/** Returns an upload as the bytes of a request. */
function rawUpload({ path, headers, body }: ReturnType<typeof signedUpload>, host = [`Host: ${url.host}`]): Buffer {
  const lines = [
    `POST ${path} HTTP/1.1`,
    ...host,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.from(body).length}`,
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

const statusesIn = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);

test.each(['garbage', '\0', 'GET / HTTP/9.9\r\n\r\n', 'POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n'])(
  'bytes after a valid request, %j, do not change its answer',
  async (stray) => {
    const team = await fixture.team();
    const text = await sendRaw(Buffer.concat([rawUpload(signedUpload(team)), Buffer.from(stray)]));
    expect(statusesIn(text)).toEqual(['200']);
    expect(text).toContain('"code":"00000"');
    expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
  },
);

test('bytes after two valid requests change neither answer', async () => {
  const team = await fixture.team();
  const uploads = ['1', '2'].map((stage) =>
    rawUpload(signedUpload(team, { body: JSON.stringify({ ...aiLog, stage, orderId: 1 }) })),
  );
  const text = await sendRaw(Buffer.concat([...uploads, Buffer.from('garbage')]));
  expect(statusesIn(text)).toEqual(['200', '200']);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(2);
});

test('a body that is not chunked as it says is rejected, and nothing is stored', async () => {
  const team = await fixture.team();
  const request = rawUpload(signedUpload(team)).toString('latin1');
  const text = await sendRaw(
    Buffer.from(request.replace(/Content-Length: \d+\r\n\r\n/, 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'), 'latin1'),
  );
  expect(statusesIn(text)).toEqual(['400']);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(0);
});

test.each([
  ['no Host', []],
  ['two Host headers', ['Host: a', 'Host: b']],
  ['two equal Host headers', ['Host: a', 'Host: a']],
])('%s → 400 with the envelope, and nothing is stored', async (_name, host) => {
  const team = await fixture.team();
  const text = await sendRaw(
    rawUpload({ ...signedUpload(team), headers: [...signedUpload(team).headers, ['Connection', 'close']] }, host),
  );
  expect(statusesIn(text)).toEqual(['400']);
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ data: null, code: expect.any(String) });
  expect(await fixture.entriesOf(team.uid)).toHaveLength(0);
});

test('HTTP/1.0 without Host is served', async () => {
  const { path, ...upload } = signedUpload(await fixture.team());
  const request = rawUpload({ ...upload, path }, [])
    .toString('latin1')
    .replace('HTTP/1.1', 'HTTP/1.0');
  expect(statusesIn(await sendRaw(Buffer.from(request, 'latin1')))).toEqual(['200']);
});

test('CONNECT → 405 with the envelope', async () => {
  const text = await sendRaw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
  expect(text).toMatch(/^HTTP\/1\.1 405 .*\r\nAllow: POST\r\n/s);
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toEqual(rejected('405', 'Method not allowed, use POST'));
});

test.each([
  ['drips', 1000, 10],
  ['is announced with 2 GB', 2 ** 31, undefined],
])('a body that %s ends after the time-out', async (_name, length, everyMs) => {
  const { requestTimeout, headersTimeout } = local.server;
  expect(requestTimeout).toBe(29_000);
  // Node takes the shorter of the two for the headers.
  Object.assign(local.server, { requestTimeout: 200, headersTimeout: 200 });
  const socket = open();
  const dripping = everyMs && setInterval(() => socket.write(' '), everyMs);
  try {
    socket.write(`POST /capi/v2/order/uploadAiLog HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: ${length}\r\n\r\n{`);
    const text = await textOf(socket);
    expect(text).toMatch(/^HTTP\/1\.1 503 .*\r\nRetry-After: 1\r\n/s);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ data: null });
  } finally {
    clearInterval(dripping);
    Object.assign(local.server, { requestTimeout, headersTimeout });
  }
});

test('a caller that disconnects in the middle of its body does not affect others', async () => {
  const socket = open();
  const head = `POST /capi/v2/order/uploadAiLog HTTP/1.1\r\nHost: ${url.hostname}\r\nContent-Length: 500\r\n\r\n`;
  await new Promise((resolve) => socket.write(`${head}{"stage"`, resolve));
  socket.destroy();

  expect((await transport.send(signedUpload(await fixture.team()))).status).toBe(200);
});

test('each answer is described by time, UID, status, code and message', async () => {
  const team = await fixture.team();
  answered.length = 0;
  await transport.send(signedUpload(team));
  await transport.send({ ...signedUpload(team), path: '/x' });
  await transport.send(signedUpload(team, { body: jsonOf({ ...aiLog, orderId: '' }) }));
  await expect.poll(() => answered).toHaveLength(3);
  expect(answered.map((one) => describeAnswer(one, 1_763_103_201_300))).toEqual([
    `2025-11-14T06:53:21Z  ${team.uid}  200  00000  success`,
    expect.stringMatching(/^2025-11-14T06:53:21Z {2}- {2}404 {2}404 {2}Unknown path \/x:/),
    `2025-11-14T06:53:21Z  ${team.uid}  200  00000  success, but orderId is empty: the log names no order`,
  ]);
  const result = { statusCode: 400, body: '{"code":"1","msg":"a\\n\\u009b"}' };
  expect(describeAnswer({ uid: undefined, result }, 0)).toBe('1970-01-01T00:00:00Z  -  400  1  a\\n\\u009b');
});

test('the gateway passes on a query, and the entry has the address of the caller', async () => {
  const team = await fixture.team();
  expect((await transport.send({ ...signedUpload(team), query: 'a=1&b=2' })).json.code).toBe('40017');
  expect((await transport.send(signedUpload(team))).status).toBe(200);
  expect(await fixture.entriesOf(team.uid)).toMatchObject([{ sourceIp: '127.0.0.1' }]);
});

test('an answer has only the headers of the contract and of HTTP itself', async () => {
  const { headers } = await transport.send(
    signedUpload(await fixture.team(), { body: JSON.stringify({ ...aiLog, orderId: 1 }) }),
  );
  expect(Object.keys(headers).sort()).toEqual([
    'ai-log-digest',
    'ai-log-id',
    'ai-log-receipt',
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
    'ratelimit',
    'ratelimit-policy',
    'x-amzn-requestid',
  ]);
});
