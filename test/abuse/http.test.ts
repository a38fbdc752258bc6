import { once } from 'node:events';
import { connect } from 'node:net';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import { aiLog, headerOf, overHttp, runs, signedUpload, withHeader, world } from '../setup/world.ts';
import { anyBody, anyText } from './hostile.ts';

/** Simultaneous connections. */
const BATCH = 10;
const options = runs(60, 3000);

const fixture = await world();
const transport = await overHttp(fixture);
const team = await fixture.team();
const { port, hostname } = new URL(transport.url);
const address = { port: Number(port), host: hostname };

/**
 * Sends bytes over a new connection.
 * @returns everything received until the connection ended, or undefined if it was reset
 */
async function exchange(bytes: Buffer, cut: boolean): Promise<string | undefined> {
  const socket = connect({ ...address, allowHalfOpen: true });
  socket.setTimeout(20_000, () =>
    socket.destroy(new Error(`The response does not end, request: ${bytes.toString('latin1')}`)),
  );
  await once(socket, 'connect');
  if (cut) {
    socket.write(bytes, () => socket.resetAndDestroy());
    await once(socket, 'close');
    return undefined;
  }
  socket.end(bytes);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of socket) chunks.push(chunk);
  } catch (error) {
    // The server stopped reading and closed the connection. Its response may be lost with the connection.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return undefined;
  }
  return Buffer.concat(chunks).toString('latin1');
}

/** The usual value, or another one in one of eight cases. */
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const method = fc.oneof(
  { weight: 2, arbitrary: fc.constant('POST') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('GET', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'post', 'PRI', '', 'A B', 'CONNECT'),
  },
);
const target = fc.oneof(
  { weight: 6, arbitrary: fc.constant(UPLOAD_PATH) },
  {
    weight: 2,
    // biome-ignore format: several a line
    arbitrary: fc.constantFrom(
      '/', '*', '', '//', `/${UPLOAD_PATH}`, `/prod${UPLOAD_PATH}`, `${UPLOAD_PATH}/`, `${UPLOAD_PATH};x=1`,
      `${UPLOAD_PATH}#x`, `${UPLOAD_PATH}?__proto__=1&%=%zz`, `http://example.com${UPLOAD_PATH}`,
      '/capi/v2/order/..%2forder/uploadAiLog', '/capi%2fv2%2forder%2fuploadAiLog', '/capi/v2/./order/uploadAiLog',
      '/capi/v2/order/%75ploadAiLog', '/CAPI/V2/ORDER/UPLOADAILOG', '\\capi\\v2\\order\\uploadAiLog',
      `/${'x'.repeat(9000)}`, `/${'x'.repeat(20_000)}`, `${UPLOAD_PATH}?${'&'.repeat(5000)}`, '/\u00ff',
    ),
  },
  { weight: 1, arbitrary: fc.webPath() },
);
// biome-ignore format: several a line
const line = fc.oneof(
  fc.constantFrom(
    'ACCESS-KEY: a', 'ACCESS-KEY: b\r\nACCESS-KEY: c', 'access-key:', ': x', 'X', 'X Y: z', ' folded',
    'X: a\r\n\tfolded', 'X: \u0000', 'X: \r', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked',
    'Content-Length: 5', 'Content-Length: -1', 'Content-Length: 99999999999999999999', 'Expect: 100-continue',
    'Expect: wonders', 'Upgrade: websocket\r\nConnection: Upgrade', 'Content-Type: application/json',
    'Content-Encoding: gzip', 'locale: en-US', 'X-Forwarded-For: 127.0.0.1', 'X-Amzn-Trace-Id: Root=1',
    `Cookie: ${'x'.repeat(9000)}`, '__proto__: x', 'Host: a\r\nHost: b',
  ),
  fc.tuple(anyText, anyText).map(([name, value]) => `${name}: ${value}`),
);

/** An HTTP request or something similar, complete or cut off. */
const request = fc.record({
  head: fc
    .record({
      method,
      target,
      version: mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP', ''),
      lines: fc.array(line, { maxLength: 2 }),
    })
    .map(({ method, target, version, lines }) => [
      `${method} ${target} ${version}`,
      'Host: x',
      'Connection: close',
      ...lines,
    ]),
  body: anyBody,
  framed: mostly(true, false),
  end: mostly('\r\n', '\n'),
  keep: mostly(1, 0.9, 0.5),
  cut: mostly(false, true),
});

/** Reads what the service has stored. */
async function readStored() {
  const { aiLogs, weights } = fixture.names;
  const scan = (TableName: string) => fixture.db.send(new ScanCommand({ TableName, ConsistentRead: true }));
  return Promise.all([aiLogs, weights].map(async (name) => (await scan(name)).Items));
}

test('every response to arbitrary bytes uses the envelope, and no request is stored', async () => {
  const before = await readStored();
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: BATCH, size: 'max' }), async (all) => {
      const answers = await Promise.all(
        all.map(({ head, body, framed, end, keep, cut }) => {
          const lines = framed ? [...head, `Content-Length: ${body.length}`] : head;
          const bytes = Buffer.concat([Buffer.from(lines.join(end) + end + end, 'latin1'), body]);
          return exchange(bytes.subarray(0, Math.ceil(bytes.length * keep)), cut);
        }),
      );
      for (const [i, answer] of answers.entries()) {
        const { head: [asked = ''] = [], keep = 1 } = all[i] ?? {};
        // The server closes the connection on CONNECT, and it need not respond to a request that was cut off.
        if (answer === undefined || (answer === '' && (asked.startsWith('CONNECT') || keep < 1))) continue;
        // There are several responses if the remaining bytes look like further requests. Check the first one.
        const [first = '', status = ''] = /^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
        expect(first, answer).not.toBe('');
        expect(Number(status), answer).toBeGreaterThanOrEqual(400);
        expect(Number(status), answer).toBeLessThan(500);
        const [head = '', text = ''] = answer
          .slice(answer.indexOf(first) + (first.startsWith('HTTP/1.1 100') ? 25 : 0))
          .split('\r\n\r\n');
        const length = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1]);
        const json = JSON.parse(Buffer.from(text, 'latin1').subarray(0, length).toString());
        expect(Object.keys(json)).toEqual(['code', 'msg', 'requestTime', 'data']);
        expect(head).not.toMatch(/^(set-cookie|server|x-powered-by|location|access-control)/im);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    }),
    options,
  );
  expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(['400', '401', '404', '405']));
  console.log(`Seed ${options.seed}: ${JSON.stringify(Object.fromEntries(seen))}`);

  expect(await readStored()).toEqual(before);
  expect((await transport.send(signedUpload(team))).status).toBe(200);
}, 1_800_000);

test('the log contains one line per request and no secret', async () => {
  const upload = signedUpload(team, { timestamp: () => Date.now() + 1 });
  const signature = headerOf(upload, 'ACCESS-SIGN') as string;
  await fc.assert(
    fc.asyncProperty(anyBody, anyText, async (body, text) => {
      const signed = signedUpload(team, { body });
      await transport.send(signed);
      // Other tests cover header values that HTTP does not allow.
      const value = text.replace(/[^\x20-\x7e]/g, '').trim() || 'x';
      for (const [name] of upload.headers) await transport.send(withHeader(signed, name, value));
    }),
    runs(10, 500),
  );
  await transport.send(upload);
  const output = transport.output();
  for (const line of output.trim().split('\n')) expect(line).toMatch(/^(\{.*\}|Listening on .*)$/);
  for (const secret of [team.secret, team.passphrase, signature, aiLog.stage, aiLog.explanation, aiLog.input.prompt]) {
    expect(output).not.toContain(secret);
  }
}, 1_800_000);
