import { DescribeTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { aiLog, jsonOf, logText, signedUpload } from '../setup/upload.ts';
import { useDeployment } from './deployment.ts';
import { send } from './send.ts';

const stack = await useDeployment();
/** A legal body that changes if it is parsed and serialised again. */
let strange: string;

test('a team on the allowlist uploads with its key', async () => {
  const { code, stdout } = await stack.ailog.upload(stack.team, jsonOf(aiLog));

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
  const { json } = await send(stack.deployed.baseUrl, signedUpload(stack.team, { body: strange }));
  expect(json.code).toBe('00000');
});

test('the identical request gets the same response and is stored once', async () => {
  const before = await stack.ailog.exportLogs(stack.team.uid);
  const upload = signedUpload(stack.team);
  const answers = [await send(stack.deployed.baseUrl, upload), await send(stack.deployed.baseUrl, upload)];

  expect(answers.map(({ json }) => json.code)).toEqual(['00000', '00000']);
  expect(new Set(answers.map(({ headers }) => headers.get('AI-LOG-ID'))).size).toBe(1);
  expect(await stack.ailog.exportLogs(stack.team.uid)).toHaveLength(before.length + 1);
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
  const answer = await send(stack.deployed.baseUrl, { ...signedUpload(stack.team), ...change });
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ code, msg: expect.any(String), requestTime: 0, data: null });
});

test('uploads are exported and verified, digit for digit', async () => {
  const entries = await stack.ailog.exportLogs(stack.team.uid);
  const verdicts = await stack.ailog.verifyLogs(stack.team.uid);

  expect(entries).toHaveLength(3);
  expect(JSON.parse(entries[0] as string).body).toBe(jsonOf(aiLog));
  expect(JSON.parse(entries[1] as string).body).toBe(strange);
  expect(verdicts.map(({ ok, checks }) => [ok, checks.signature])).toEqual(Array(3).fill([true, 'ok']));
});

test('a changed quota deploys without loss of data, and uploads over it get a 429', async () => {
  const before = await stack.ailog.exportLogs(stack.team.uid);
  const changed = await stack.cdk.deploy({ uidQuota: '2', windowSeconds: '20' });

  expect(changed).toEqual(stack.deployed);
  expect(await stack.ailog.exportLogs(stack.team.uid)).toEqual(before);
  // Two uploads are accepted, four if a window ends in between, or none if the uploads above are in the same window.
  const codes: string[] = [];
  let last = await send(stack.deployed.baseUrl, signedUpload(stack.team));
  while (last.json.code === '00000' && codes.length < 5) {
    codes.push(last.json.code);
    last = await send(stack.deployed.baseUrl, signedUpload(stack.team));
  }
  expect([last.status, last.json.code, last.json.msg]).toEqual([
    429,
    '429',
    expect.stringMatching(/^Too many requests: UID weight \d\/2 in 20 s, retry in \d+ s$/),
  ]);
  expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0);
});

test('a UID that is removed from the allowlist is rejected from its next request, and its entries stay', async () => {
  const before = await stack.ailog.exportLogs(stack.team.uid);
  await stack.ailog.remove(stack.team.uid);

  const { status, json } = await send(stack.deployed.baseUrl, signedUpload(stack.team));

  expect([status, json.code]).toEqual([403, '40022']);
  expect(await stack.ailog.exportLogs(stack.team.uid)).toEqual(before);
});

test('a dev stack is destroyed with its data', async () => {
  await stack.cdk.destroy();
  for (const TableName of Object.values(stack.deployed.tables)) {
    await expect(stack.dynamodb.send(new DescribeTableCommand({ TableName }))).rejects.toThrow(
      ResourceNotFoundException,
    );
  }
});
