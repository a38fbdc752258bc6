import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { createEngineProxy } from '../../../../cli/local/engineProxy.ts';
import { createKeyFile } from '../../../../cli/local/localData.ts';
import { listen } from '../../../../cli/local/serve.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';
import { LOCAL_FOLDER, localIdentity, localPaths } from '../../../../cli/store/targets/data.ts';
import { startEngine } from '../../../../cli/store/targets/embeddedEngine.ts';
import { withTarget } from '../../../../cli/store/targets/target.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const clientOf = (endpoint: string) => new DynamoDBClient({ endpoint, ...localIdentity, maxAttempts: 1 });
const tablesOf = (endpoint: string) =>
  clientOf(endpoint)
    .send(new ListTablesCommand())
    .then(
      ({ TableNames }) => TableNames,
      () => undefined,
    );

test('an engine is shared by those who use its folder, ended by the last one, and keeps its data', async () => {
  const folder = temporaryFolder();
  const note = join(folder, 'engine.json');
  const users = () => JSON.parse(readFileSync(note, 'utf8')).users;
  const first = await startEngine(folder);
  expect(statSync(note).mode & 0o777).toBe(0o600);
  expect(new URL(first.endpoint).hostname).toMatch(process.platform === 'darwin' ? /^127/ : /^127\.(?!0\.0\.1)/);
  await clientOf(first.endpoint).send(
    new CreateTableCommand({
      TableName: 'Kept',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );

  // Whoever started it may end first.
  const joined = await startEngine(folder);
  expect(joined.endpoint).toBe(first.endpoint);
  await first.stop();
  expect(await tablesOf(first.endpoint)).toEqual(['Kept']);
  expect(users()).toEqual([process.pid]);

  // A process that was killed does not keep it.
  const killed = spawnSync(process.execPath, ['--version']).pid;
  writeFileSync(note, JSON.stringify({ ...JSON.parse(readFileSync(note, 'utf8')), users: [killed, process.pid] }));
  await joined.stop();
  expect(await tablesOf(first.endpoint)).toBeUndefined();
  expect(existsSync(note)).toBe(false);

  const second = await startEngine(folder);
  expect(await tablesOf(second.endpoint)).toEqual(['Kept']);
  await second.stop();
  expect(await tablesOf(second.endpoint)).toBeUndefined();
});

test('the engine of a command has ended when the command has', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, LOCAL_FOLDER));
  createKeyFile(join(cwd, localPaths.key));
  const terminal = createTerminal({ env: {}, stdout: {}, stderr: {}, cwd: () => cwd } as never);
  const note = join(cwd, LOCAL_FOLDER, 'engine.json');
  await withTarget(terminal, { local: true }, async () => expect(existsSync(note)).toBe(true));
  expect(existsSync(note)).toBe(false);
});

test('those who start at the same time get one engine', async () => {
  const folder = temporaryFolder();
  const engines = await Promise.all([startEngine(folder), startEngine(folder), startEngine(folder)]);
  expect(new Set(engines.map(({ endpoint }) => endpoint)).size).toBe(1);
  await Promise.all(engines.map(({ stop }) => stop()));
  expect(await tablesOf(engines[0].endpoint)).toBeUndefined();
});

test.each([
  '',
  '{"endpoint":"http://127',
  'null',
  '{"endpoint":"x","pid":1,"users":[]}',
  '{"endpoint":"http://127.0.0.1:1","pid":1}',
])('the damaged note %j is an error that names it', async (text) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'engine.json'), text);
  await expect(startEngine(folder)).rejects.toThrow(`${join(folder, 'engine.json')} is damaged.`);
  expect(readFileSync(join(folder, 'engine.json'), 'utf8')).toBe(text);
});

test('without its folder, an engine ends', async () => {
  const folder = temporaryFolder();
  const engine = await startEngine(folder);
  rmSync(folder, { recursive: true });
  await engine.stop();
  expect(await tablesOf(engine.endpoint)).toBeUndefined();
});

describe('the proxy in front of an engine', async () => {
  const openProxy = async () => {
    const engine = await startEngine();
    const proxy = createEngineProxy(engine.endpoint);
    const url = new URL(await listen(proxy, 0));
    return { engine, url, close: () => void proxy.close().closeAllConnections() };
  };
  const shared = await openProxy();
  const { url } = shared;
  afterAll(async () => {
    shared.close();
    await shared.engine.stop();
  });

  /** Lists the tables with further headers. */
  const list = (headers: Record<string, string> = {}, at = url) =>
    new Promise<{ status: number | undefined; headers: object; text: string }>((resolve, reject) => {
      const target = {
        'X-Amz-Date': '20251114T000000Z',
        'X-Amz-Target': 'DynamoDB_20120810.ListTables',
        'Content-Type': 'application/x-amz-json-1.0',
      };
      const credentials =
        'AWS4-HMAC-SHA256 Credential=local/20251114/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0';
      const call = request(at, { method: 'POST', headers: { Authorization: credentials, ...target, ...headers } });
      call.once('error', reject).once('response', async (response) => {
        const text = Buffer.concat(await Array.fromAsync(response)).toString();
        resolve({ status: response.statusCode, headers: response.headers, text });
      });
      call.end('{}');
    });

  test('passes on requests and answers, without the permission for web pages', async () => {
    const { status, headers, text } = await list();
    expect([status, JSON.parse(text)]).toEqual([200, { TableNames: [] }]);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await list({ Host: `localhost:${url.port}` })).status).toBe(200);
  });

  test.each([
    ['Origin', 'https://evil.example', 'it has the header origin, which browsers send'],
    ['Origin', 'null', 'it has the header origin, which browsers send'],
    ['Sec-Fetch-Site', 'cross-site', 'it has the header sec-fetch-site, which browsers send'],
    ['Host', 'evil.example', 'its Host is not 127.0.0.1:PORT or localhost:PORT'],
    ['Host', '127.0.0.1:1', 'its Host is not 127.0.0.1:PORT or localhost:PORT'],
  ])('rejects a request with %s: %s', async (name, value, reason) => {
    const { status, headers, text } = await list({ [name]: value });
    expect(status).toBe(403);
    expect(headers).toMatchObject({ 'content-type': 'application/x-amz-json-1.0' });
    expect(JSON.parse(text)).toEqual({
      __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException',
      message: `The local DynamoDB does not serve web pages, and this request may come from one: ${reason.replaceAll('PORT', url.port)}.`,
    });
  });

  test('ends the connection if the engine has ended', async () => {
    const { engine, url, close } = await openProxy();
    await engine.stop();
    await expect(list({}, url)).rejects.toThrow(/hang up|ECONNRESET/);
    close();
  });
});
