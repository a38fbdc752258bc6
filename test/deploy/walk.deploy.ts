import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { jsonOf, signedUpload } from '../setup/upload.ts';
import type { Team } from '../setup/world.ts';
import { cdkFor, type Deployed } from './cdk.ts';
import { type Emulator, emulatorHome, startEmulator } from './emulator.ts';
import { peopleOf } from './people.ts';
import { send } from './send.ts';

const ministack = inject('ministack');
const home = await emulatorHome();
let emulator: Emulator;
let cdk: ReturnType<typeof cdkFor>;
let deployed: Deployed;
let people: ReturnType<typeof peopleOf>;
let team: Team;

beforeAll(async () => {
  if ('missing' in ministack) return;
  emulator = await startEmulator(home);
  cdk = cdkFor(emulator);
  await cdk.bootstrap();
  deployed = await cdk.deploy();
  people = peopleOf(emulator, deployed);
});
beforeEach(({ skip }) => {
  if ('missing' in ministack) skip(ministack.missing);
});
afterAll(async () => {
  await emulator?.stop();
  home.remove();
});

test('a team that is allowed and has a key uploads', async () => {
  await people.list('42', 'approved');
  team = await people.issueKey('42');

  const { status, json, headers } = await send(deployed.baseUrl, signedUpload(team));

  expect(json).toEqual({ code: '00000', msg: 'success', requestTime: expect.any(Number), data: 'upload success' });
  expect(status).toBe(200);
  expect(headers.get('AI-LOG-DIGEST')).toMatch(/^[0-9a-f]{64}$/);
});

test('bodies come through byte for byte: spaces, escapes, text beyond ASCII', async () => {
  const body =
    '{ "stage":"\\u6d4b", "model" : "m", "input":{"\\ud83d":1.50,"é":"均线"},"output":{},\n"explanation":"📉"}';
  const { json } = await send(deployed.baseUrl, signedUpload(team, { body }));
  expect(json.code).toBe('00000');
});

test('the identical request sent again gets the same answer and is stored once', async () => {
  const before = await people.exportLogs(team.uid);
  const upload = signedUpload(team);
  const answers = [await send(deployed.baseUrl, upload), await send(deployed.baseUrl, upload)];

  expect(answers.map(({ json }) => json.code)).toEqual(['00000', '00000']);
  expect(new Set(answers.map(({ headers }) => headers.get('AI-LOG-ID'))).size).toBe(1);
  expect(await people.exportLogs(team.uid)).toHaveLength(before.length + 1);
});

test.each([
  ['an unknown path', { path: '/capi/v2/order/orders' }, 404, '404'],
  ['the root', { path: '/' }, 404, '404'],
  ['PUT', { method: 'PUT' }, 405, '405'],
  ['GET', { method: 'GET', body: Buffer.alloc(0) }, 405, '405'],
])('%s is refused in the envelope, by the gateway itself', async (_, change, status, code) => {
  const answer = await send(deployed.baseUrl, { ...signedUpload(team), ...change });
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ code, msg: expect.any(String), requestTime: 0, data: null });
});

test('what was uploaded is exported and verified, digit for digit', async () => {
  const entries = await people.exportLogs(team.uid);

  expect(entries).toHaveLength(3);
  expect(entries.map((entry) => people.verify(entry, team))).toEqual([true, true, true]);
  expect(jsonOf(entries[0]?.orderId)).toBe('590480926522704171');
});

test('a changed setting deploys on top of the data, and holds: 429 over the new quota', async () => {
  const before = await people.exportLogs(team.uid);
  const changed = await cdk.deploy({ uidQuota: '2', windowSeconds: '3600' });

  expect(changed).toEqual(deployed);
  expect(await people.exportLogs(team.uid)).toEqual(before);
  // Two are let in, or four where a window ends in between.
  const codes: string[] = [];
  let last = await send(deployed.baseUrl, signedUpload(team));
  while (last.json.code === '00000' && codes.length < 5) {
    codes.push(last.json.code);
    last = await send(deployed.baseUrl, signedUpload(team));
  }
  expect([last.status, last.json.code, last.json.msg]).toEqual([
    429,
    '429',
    'Too many requests: UID weight 2/2 in 3600 s',
  ]);
  expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('a UID that is taken off the allowlist is refused on its next request, and its entries stay', async () => {
  const before = await people.exportLogs(team.uid);
  await people.list(team.uid, 'suspended');

  const { status, json } = await send(deployed.baseUrl, signedUpload(team));

  expect([status, json.code]).toEqual([403, '40022']);
  expect(await people.exportLogs(team.uid)).toEqual(before);
});

test('a dev stack is destroyed with its data', async () => {
  await cdk.destroy();
  const db = new DynamoDBClient(emulator.client);
  for (const TableName of Object.values(deployed.tables)) {
    await expect(db.send(new DescribeTableCommand({ TableName }))).rejects.toThrow(ResourceNotFoundException);
  }
});
