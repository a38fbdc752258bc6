import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../../setup/fixture.ts';
import { overHttp, type Transport } from '../../setup/transports.ts';
import { aiLog, signedUpload, withHeader } from '../../setup/upload.ts';

let fixture: Fixture;
let transport: Transport;
beforeAll(async () => {
  fixture = await openFixture();
  transport = await overHttp(fixture);
});
afterAll(() => transport.close());

const rejected = (code: string, msg: string) => ({ code, msg, requestTime: expect.any(Number), data: null });

test.each([
  '/',
  '//capi/v2/order/uploadAiLog',
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
      `Unknown path ${path}: use POST /capi/v2/order/uploadAiLog, after a base URL that does not end in a slash`,
    ),
  );
});

test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('method %s → 405 with Allow: POST', async (method) => {
  const { status, json, headers } = await transport.send({ ...signedUpload(await fixture.team()), method });
  expect(status).toBe(405);
  expect(headers.allow).toBe('POST');
  expect(json).toEqual(rejected('405', 'Method not allowed, use POST'));
});

test.each(['application/json', 'text/html', '*/*'])('another method with Accept: %s → 405 as well', async (accept) => {
  const upload = signedUpload(await fixture.team());
  const { status, json } = await transport.send({
    ...upload,
    method: 'PUT',
    headers: [...upload.headers, ['Accept', accept]],
  });
  expect(status).toBe(405);
  expect(json).toEqual(rejected('405', 'Method not allowed, use POST'));
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
  const { hostname, port } = new URL(/listening on (\S+)/i.exec(transport.output())?.[1] ?? '');
  const socket = connect(Number(port), hostname);
  socket.end('AILOG / 1.0\r\n\r\n');
  const text = Buffer.concat(await Array.fromAsync(socket)).toString();
  expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ data: null, code: expect.any(String) });

  expect((await transport.send(signedUpload(await fixture.team()))).status).toBe(200);
});

test('a caller that disconnects in the middle of its body does not affect others', async () => {
  const { hostname, port } = new URL(/listening on (\S+)/i.exec(transport.output())?.[1] ?? '');
  const socket = connect(Number(port), hostname);
  socket.write(`POST /capi/v2/order/uploadAiLog HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 500\r\n\r\n{"stage"`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();

  expect((await transport.send(signedUpload(await fixture.team()))).status).toBe(200);
  expect(transport.output()).not.toContain('Error');
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
  ]);
});
