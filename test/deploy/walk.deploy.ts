import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Team } from '../setup/fixture.ts';
import { aiLog, jsonOf, logText, signedUpload } from '../setup/upload.ts';
import { ailogOf } from './ailog.ts';
import { cdkFor, type Deployed } from './cdk.ts';
import { type Emulator, emulatorHome, startEmulator } from './emulator.ts';
import { send } from './send.ts';

const ministack = inject('ministack');
const home = await emulatorHome();
let emulator: Emulator;
let cdk: ReturnType<typeof cdkFor>;
let deployed: Deployed;
let ailog: ReturnType<typeof ailogOf>;
let team: Team;
/** A legal body that changes if it is parsed and serialised again. */
let strange: string;

beforeAll(async () => {
  if ('missing' in ministack) return;
  emulator = await startEmulator(home);
  cdk = cdkFor(emulator);
  await cdk.bootstrap();
  deployed = await cdk.deploy();
  ailog = ailogOf(emulator, deployed);
});
beforeEach(({ skip }) => {
  if ('missing' in ministack) skip(ministack.missing);
});
afterAll(async () => {
  await emulator?.stop();
  home.remove();
});

test('a team on the allowlist uploads with its key', async () => {
  await ailog.allow('42');
  team = await ailog.issueKey('42');

  const { code, stdout } = await ailog.upload(team, jsonOf(aiLog));

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    entryId: expect.any(String),
    bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('bodies arrive byte for byte: spaces, escapes, non-ASCII text', async () => {
  strange = logText(
    { explanation: '📉' },
    { stage: ' "\\u6d4b"', input: '{"\\ud83d":1.50,"é":"均线"}', output: '{}\n' },
  );
  const { json } = await send(deployed.baseUrl, signedUpload(team, { body: strange }));
  expect(json.code).toBe('00000');
});

test('the identical request gets the same response and is stored once', async () => {
  const before = await ailog.exportLogs(team.uid);
  const upload = signedUpload(team);
  const answers = [await send(deployed.baseUrl, upload), await send(deployed.baseUrl, upload)];

  expect(answers.map(({ json }) => json.code)).toEqual(['00000', '00000']);
  expect(new Set(answers.map(({ headers }) => headers.get('AI-LOG-ID'))).size).toBe(1);
  expect(await ailog.exportLogs(team.uid)).toHaveLength(before.length + 1);
});

/** The headers of a request without a signature. */
const accept = (types: string): [string, string][] => [
  ['Content-Type', 'application/json'],
  ['Accept', types],
];

test.each([
  ['an unknown path', { path: '/capi/v2/order/orders' }, 404, '404'],
  ['the root', { path: '/' }, 404, '404'],
  ['PUT', { method: 'PUT' }, 405, '405'],
  ['GET', { method: 'GET', body: Buffer.alloc(0) }, 405, '405'],
  ['PUT with an Accept header', { method: 'PUT', headers: accept('application/json') }, 405, '405'],
  ['PUT that accepts anything', { method: 'PUT', headers: accept('*/*') }, 405, '405'],
])('the gateway rejects %s in the envelope', async (_, change, status, code) => {
  const answer = await send(deployed.baseUrl, { ...signedUpload(team), ...change });
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ code, msg: expect.any(String), requestTime: 0, data: null });
});

test('uploads are exported and verified, digit for digit', async () => {
  const entries = await ailog.exportLogs(team.uid);
  const verdicts = await ailog.verifyLogs(team.uid);

  expect(entries).toHaveLength(3);
  expect(JSON.parse(entries[0] as string).body).toBe(jsonOf(aiLog));
  expect(JSON.parse(entries[1] as string).body).toBe(strange);
  expect(verdicts.map(({ ok, checks }) => [ok, checks.signature])).toEqual(Array(3).fill([true, 'ok']));
});

test('a changed quota deploys without loss of data, and uploads over it get a 429', async () => {
  const before = await ailog.exportLogs(team.uid);
  const changed = await cdk.deploy({ uidQuota: '2', windowSeconds: '20' });

  expect(changed).toEqual(deployed);
  expect(await ailog.exportLogs(team.uid)).toEqual(before);
  // Two uploads are accepted, four if a window ends in between, or none if the uploads above are in the same window.
  const codes: string[] = [];
  let last = await send(deployed.baseUrl, signedUpload(team));
  while (last.json.code === '00000' && codes.length < 5) {
    codes.push(last.json.code);
    last = await send(deployed.baseUrl, signedUpload(team));
  }
  expect([last.status, last.json.code, last.json.msg]).toEqual([
    429,
    '429',
    expect.stringMatching(/^Too many requests: UID weight \d\/2 in 20 s, retry in \d+ s$/),
  ]);
  expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('a UID that is removed from the allowlist is rejected from its next request, and its entries stay', async () => {
  const before = await ailog.exportLogs(team.uid);
  await ailog.remove(team.uid);

  const { status, json } = await send(deployed.baseUrl, signedUpload(team));

  expect([status, json.code]).toEqual([403, '40022']);
  expect(await ailog.exportLogs(team.uid)).toEqual(before);
});

test('a dev stack is destroyed with its data', async () => {
  await cdk.destroy();
  const db = new DynamoDBClient(emulator.client);
  for (const TableName of Object.values(deployed.tables)) {
    await expect(db.send(new DescribeTableCommand({ TableName }))).rejects.toThrow(ResourceNotFoundException);
  }
});
