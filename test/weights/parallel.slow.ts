import { expect, test } from 'vitest';
import { type Answer, overHttp, type Team, type Transport, world } from '../setup/world.ts';
import { burst } from './burst.ts';

const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;

const transports: Transport[] = [];
const fixture = await world({ uidQuota: 100 });
const proxy = await fixture.faulty();
transports.push(await overHttp(proxy), await overHttp(proxy));

/**
 * Returns how many times the SDK sent a write to the counter of a team again, because it did not get the answer in
 * time. The table counts both, so each can cost the team an upload.
 */
const repeatedCounts = ({ uid }: Team) =>
  proxy
    .seen()
    .filter(({ headers }) => /\.UpdateItem$/.test(String(headers['x-amz-target'])))
    .filter(({ headers }) => !String(headers['amz-sdk-request']).startsWith('attempt=1'))
    .filter(({ body }) => Buffer.from(body, 'hex').includes(`uid#${uid}#`)).length;

test.each([
  ['one process', 1],
  ['two processes', 2],
])(
  '300 parallel uploads with a quota of 100 through %s store exactly 100, and fewer only if a counter did not answer',
  async (_name, processes) => {
    const team = await fixture.team();
    proxy.plan();
    const answers = await burst(transports.slice(0, processes), team, 300);

    // A busy machine delays answers beyond the timeouts. Weight that was consumed then is not given back.
    const [accepted, failed] = [count(answers, 200), count(answers, 503)];
    const lost = repeatedCounts(team) + failed;
    const stored = (await fixture.entriesOf(team.uid)).length;
    expect(accepted + count(answers, 429) + failed).toBe(300);
    expect(stored).toBeLessThanOrEqual(100);
    expect(stored).toBeGreaterThanOrEqual(100 - lost);
    expect(stored).toBeGreaterThanOrEqual(accepted);
    expect(accepted).toBeGreaterThanOrEqual(stored - failed);
    expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(100);
  },
);

test('a counter whose answer is lost counts twice, and the upload is stored once', async () => {
  const team = await fixture.team();
  // The counters of the UID and of the IP address.
  proxy.planWrites('lose the answer', 'lose the answer');
  const [answer] = await burst(transports.slice(0, 1), team, 1);
  expect(answer?.status).toBe(200);
  expect(repeatedCounts(team)).toBe(1);
  expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(2);
  expect(await fixture.entriesOf(team.uid)).toHaveLength(1);
});
