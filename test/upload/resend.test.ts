import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../setup/fixture.ts';
import { type Answer, inProcess, overHttp, type Transport } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

let fixture: Fixture;
let http: Transport;
beforeAll(async () => {
  fixture = await openFixture();
  http = await overHttp(fixture);
});
afterAll(() => http.close());

/**
 * Returns the part of a response that a resend must not change: all but the server's clock and the remaining weight.
 */
const stablePart = ({ status, headers, json }: Answer) => ({
  status,
  id: headers['ai-log-id'],
  digest: headers['ai-log-digest'],
  ...json,
  requestTime: undefined,
});

test('stores a request once that is sent ten times in sequence, with equal responses', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const answers: Answer[] = [];
  for (let i = 0; i < 10; i += 1) answers.push(await http.send(upload));

  expect(answers[0]).toMatchObject({ status: 200, json: { code: '00000' } });
  expect(new Set(answers.map((answer) => JSON.stringify(stablePart(answer)))).size).toBe(1);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
});

test('stores a request once that is sent ten times in parallel to two functions, with equal responses', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const other = inProcess(fixture.dependencies());
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? http : other).send(upload)));

  expect(answers[0]).toMatchObject({ status: 200, json: { code: '00000' } });
  expect(new Set(answers.map((answer) => JSON.stringify(stablePart(answer)))).size).toBe(1);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
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
