import { mkdirSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { serveTlog } from '../../../cli/local/serveTlog.ts';
import { startServer, temporaryFolder } from '../../setup/world.ts';

const outside = temporaryFolder();
const folder = join(outside, 'tlog');
const PUBLIC = [
  ['checkpoint', 'text/plain; charset=utf-8', 'no-cache'],
  ['checkpoints/0000000003', 'text/plain; charset=utf-8', 'public, max-age=31536000, immutable'],
  ['receipt-keys/1', 'text/plain; charset=utf-8', 'public, max-age=31536000, immutable'],
  ['commits/0000000003', 'application/json', 'public, max-age=31536000, immutable'],
  ['tile/0/x001/234.p/5', 'application/octet-stream', 'public, max-age=31536000, immutable'],
  ['tile/entries/000', 'application/octet-stream', 'public, max-age=31536000, immutable'],
] as const;
const SECRET = ['staging/0', '.unfinished/1', 'other', 'tile.bak'];

const { port } = await startServer((request, response) => serveTlog(folder, request, response));
beforeAll(async () => {
  for (const path of [...PUBLIC.map(([one]) => one), ...SECRET, '../credentials.key']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `content of ${path}`);
  }
});

/** Sends a path as it is: `fetch` would resolve its dots. */
const get = (path: string, method = 'GET') =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const call = request({ port, method, path: `/tlog/${path}` }, async (response) => {
      const text = Buffer.concat(await Array.fromAsync(response)).toString();
      resolve({ status: response.statusCode, headers: response.headers, text });
    });
    call.once('error', reject).end();
  });

describe('the local transparency log over HTTP', () => {
  test.each(PUBLIC)('%s is served with the headers that it has in a deployment', async (path, type, cache) => {
    const { status, headers, text } = await get(path);
    expect({ status, text }).toEqual({ status: 200, text: `content of ${path}` });
    expect(headers).toMatchObject({
      'content-type': type,
      'cache-control': cache,
      'access-control-allow-origin': '*',
      'last-modified': expect.stringMatching(/ GMT$/),
    });
  });

  test('a query changes nothing, and HEAD has no body', async () => {
    expect((await get('checkpoint?now')).text).toBe('content of checkpoint');
    const { status, headers, text } = await get('checkpoint', 'HEAD');
    expect([status, headers['content-length'], text]).toEqual([200, '21', '']);
  });

  test.each([
    ...SECRET,
    '',
    'checkpoints',
    'checkpoints/4',
    'checkpoints/',
    'tile/../staging/0',
    'tile/../../credentials.key',
    '../credentials.key',
    '..%2fcredentials.key',
    '%2e%2e/credentials.key',
    'tile/%2e%2e/%2e%2e/credentials.key',
    'tile//../../credentials.key',
    'tile\\..\\..\\credentials.key',
    'checkpoint/../../credentials.key',
    'checkpoint%00',
    'CHECKPOINT',
  ])('%s is not served', async (path) => {
    const { status, text } = await get(path);
    expect({ status, text }).toEqual({ status: 404, text: 'The transparency log has no such file.\n' });
  });

  test.each(['PUT', 'POST', 'DELETE', 'OPTIONS'])('%s is refused', async (method) => {
    const { status, headers } = await get('checkpoint', method);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});
