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

/** What a resend must not change: all but the server's clock and what is left of the quota. */
const lasting = ({ status, headers, json }: Answer) => ({
  status,
  id: headers['ai-log-id'],
  digest: headers['ai-log-digest'],
  ...json,
  requestTime: undefined,
});

test('the identical request ten times, one after the other: one entry, ten equal answers', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const answers: Answer[] = [];
  for (let i = 0; i < 10; i += 1) answers.push(await http.send(upload));

  expect(answers[0]).toMatchObject({ status: 200, json: { code: '00000' } });
  expect(new Set(answers.map((answer) => JSON.stringify(lasting(answer)))).size).toBe(1);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
});

test('the identical request ten times at once, through two functions: one entry, ten equal answers', async () => {
  const team = await fixture.team();
  const upload = signedUpload(team);
  const other = inProcess(fixture.dependencies());
  const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? http : other).send(upload)));

  expect(answers[0]).toMatchObject({ status: 200, json: { code: '00000' } });
  expect(new Set(answers.map((answer) => JSON.stringify(lasting(answer)))).size).toBe(1);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
});

test('the same log signed anew is another entry, and so is the same request of another key', async () => {
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
