import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { openFunction } from '../../../cli/local/openFunction.ts';
import { overHttp, signedUpload, type Transport, temporaryFolder, world } from '../../setup/world.ts';

const fixture = await world();

describe('the function of the local server', () => {
  let transport: Transport;
  beforeAll(async () => {
    transport = await overHttp({ environment: fixture.environment });
  });

  test('answers uploads at the same time, and writes a log line for each', async () => {
    const teams = await Promise.all([1, 2, 3, 4].map(() => fixture.team()));
    const uploads = teams.flatMap((team) =>
      [1, 2, 3].map((age) => signedUpload(team, { timestamp: () => Date.now() - 1000 * age })),
    );
    const answers = await Promise.all(uploads.map(transport.send));
    expect(answers.map(({ status }) => status)).toEqual(uploads.map(() => 200));
    for (const { uid } of teams) expect(await fixture.entriesOf(uid)).toHaveLength(3);
    await expect.poll(() => transport.output().match(/"message":"accepted"/g)).toHaveLength(uploads.length);
    for (const { headers } of answers) expect(transport.output()).toContain(`"${headers['x-amzn-requestid']}"`);
    // Only the first request is a cold start.
    expect(transport.output().match(/"ColdStart":1/g)).toHaveLength(1);
  });
});

test('the first upload has a receipt, even if its key comes late', async () => {
  const proxy = await fixture.faulty();
  proxy.plan('hang');
  const transport = await overHttp(proxy);
  const { status, headers } = await transport.send(signedUpload(await fixture.team()));
  expect([status, headers['ai-log-receipt']]).toEqual([200, expect.any(String)]);
});

test('a function that fails to load says why, and nothing listens', async () => {
  await expect(overHttp({ environment: {} as never })).rejects.toThrow(/missing or wrong.*UID_QUOTA/s);
});

test('idle waits for the request in flight', async () => {
  const bundle = join(temporaryFolder(), 'bundle.mjs');
  writeFileSync(
    bundle,
    "export const handler = () => new Promise((resolve) => setTimeout(() => resolve({ statusCode: 200, body: '' }), 100));",
  );
  const { invoke, idle } = await openFunction(bundle);
  let answered = false;
  const answer = invoke({} as never).then(() => {
    answered = true;
  });
  await setImmediate();
  await idle();
  expect(answered).toBe(true);
  await answer;
});
