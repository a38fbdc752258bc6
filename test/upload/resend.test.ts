import { expect, test } from 'vitest';
import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import {
  type Answer,
  aiLog,
  inProcess,
  jsonOf,
  overHttp,
  signedUpload,
  type Team,
  type Upload,
  world,
} from '../setup/world.ts';

const fixture = await world();
const http = await overHttp(fixture);

/**
 * Returns the part of a response that a resend must not change: all but the server's clock and the remaining weight.
 */
const stablePart = ({ status, headers, json }: Answer) => ({
  status,
  id: headers['ai-log-id'],
  digest: headers['ai-log-digest'],
  receipt: headers['ai-log-receipt'],
  warning: headers['ai-log-warning'],
  ...json,
  requestTime: undefined,
});

/** Expects the same success and the same receipt in every response, and one stored entry. */
async function expectStoredOnce(answers: readonly Answer[], { uid }: Team): Promise<void> {
  expect(answers[0]).toMatchObject({
    status: 200,
    json: { code: '00000' },
    headers: { 'ai-log-receipt': expect.any(String) },
  });
  expect(new Set(answers.map((answer) => JSON.stringify(stablePart(answer)))).size).toBe(1);
  expect(await fixture.entriesOf(uid)).toHaveLength(1);
}

test('stores a request once that is sent ten times in sequence, with equal responses', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const answers: Answer[] = [];
  for (let i = 0; i < 10; i += 1) answers.push(await http.send(upload));

  await expectStoredOnce(answers, team);
});

test('the identical request gets the identical warning, from every function', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team, { body: jsonOf({ ...aiLog, orderId: '' }) });
  const answers = [await http.send(upload), await http.send(upload)];
  answers.push(await inProcess(fixture.dependencies()).send(upload));
  await expectStoredOnce(answers, team);
  expect(answers[0]?.headers['ai-log-warning']).toBe('orderId is empty: the log names no order');
});

test('a replayed request costs its UID one weight at each function that receives it, and nothing more', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const functions = [
    inProcess(fixture.dependencies(), '198.51.100.1'),
    inProcess(fixture.dependencies(), '198.51.100.1'),
  ];
  for (let i = 0; i < 20; i += 1) {
    expect((await functions[i % 2]?.send(upload))?.status).toBe(200);
  }
  expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(2);
  expect(await fixture.weightOf('ip#198.51.100.1')).toBe(20);
});

test('a stored request gets its response again after its UID has used up its quota', async () => {
  const small = await world({ uidQuota: 2 });
  const team = await small.team();
  const transport = inProcess(small.dependencies());
  const uploads = [0, 1, 2].map((i) => signedUpload(team, { timestamp: () => Date.now() + i }));
  const answers: Answer[] = [];
  for (const upload of uploads) answers.push(await transport.send(upload));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);

  expect(stablePart(await transport.send(uploads[0] as Upload))).toEqual(stablePart(answers[0] as Answer));
  expect((await transport.send(uploads[2] as Upload)).status).toBe(429);
});

test('a stored request is checked again: a revoked key and a removed team are rejected', async () => {
  const transport = inProcess(fixture.dependencies());
  for (const [code, revoke] of [
    [
      '40006',
      async (team: Team) => {
        const key = await fixture.apiKeys.get(team.accessKey);
        await fixture.apiKeys.put({ ...(key as ApiKey), status: 'revoked' });
      },
    ],
    ['40022', (team: Team) => fixture.allowlist.put({ uid: team.uid, status: 'suspended' })],
  ] as const) {
    const team = await fixture.team();
    const upload = signedUpload(team);
    expect((await transport.send(upload)).status).toBe(200);
    await revoke(team);
    expect((await transport.send(upload)).json.code).toBe(code);
  }
});

test('stores a request once that is sent ten times in parallel to two functions, with equal responses', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const other = inProcess(fixture.dependencies());
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? http : other).send(upload)));

  await expectStoredOnce(answers, team);
});

test('stores the same log again if it is signed again or with another key', async () => {
  const team = await fixture.team();
  const second = await fixture.issue(team.uid);
  const at = Date.now();
  for (const [who, timestamp] of [
    [team, at],
    [team, at + 1],
    [second, at],
  ] as const) {
    const { status } = await http.send(signedUpload(who, { timestamp: () => timestamp }));
    expect(status).toBe(200);
  }
  expect(await fixture.entriesOf(team.uid)).toHaveLength(3);
});
