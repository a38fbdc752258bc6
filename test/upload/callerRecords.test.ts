import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callerRecordsReader } from '../../functions/upload/callerRecords.ts';
import { LEFT_OUT, openFaultProxy } from '../faults/faultProxy.ts';
import { clientAt, type Fixture, openFixture, type Team } from '../setup/fixture.ts';
import { inProcess } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

let fixture: Fixture;
let proxy: Awaited<ReturnType<typeof openFaultProxy>>;
let read: ReturnType<typeof callerRecordsReader>;
let team: Team;
beforeAll(async () => {
  fixture = await openFixture();
  proxy = await openFaultProxy(fixture.environment.AWS_ENDPOINT_URL_DYNAMODB);
  read = callerRecordsReader(clientAt(proxy.endpoint), fixture.names);
});
afterAll(() => proxy.close());
beforeEach(async () => {
  team = await fixture.team();
});

const readTeam = (signal = AbortSignal.timeout(60_000)) => read(team.accessKey, team.uid, signal);
const both = () => ({ apiKey: { accessKey: team.accessKey, uid: team.uid }, allowlistEntry: { uid: team.uid } });

/** Makes DynamoDB leave out one of the two items in the first calls. @returns the number of calls so far */
function leaveOut(fault: keyof typeof LEFT_OUT, calls: number): () => number {
  let made = 0;
  const plan = () => {
    made += 1;
    return made <= calls ? fault : undefined;
  };
  // A call that repeats only the read of the allowlist entry is recognized by its UID.
  for (const subject of [team.accessKey, team.uid]) proxy.fail('read records', subject, plan);
  return () => made;
}

test('returns the key and the allowlist entry', async () => {
  expect(await readTeam()).toMatchObject(both());
});

test('returns undefined for an item that does not exist', async () => {
  expect(await read('ailog_unknown', team.uid, AbortSignal.timeout(60_000))).toMatchObject({
    apiKey: undefined,
    allowlistEntry: { uid: team.uid, status: 'approved' },
  });
  expect(await read(team.accessKey, '0', AbortSignal.timeout(60_000))).toMatchObject({
    apiKey: both().apiKey,
    allowlistEntry: undefined,
  });
});

test('reads no key with a name that is longer than DynamoDB accepts', async () => {
  const longest = 'k'.repeat(2048);
  await fixture.apiKeys.put({ ...(await readTeam()).apiKey, accessKey: longest } as never);
  const names = [longest, `${longest}k`];
  const found = await Promise.all(names.map((name) => read(name, team.uid, AbortSignal.timeout(60_000))));
  expect(found).toMatchObject([
    { apiKey: { accessKey: longest }, allowlistEntry: { uid: team.uid } },
    { apiKey: undefined, allowlistEntry: { uid: team.uid } },
  ]);
});

describe.each(Object.keys(LEFT_OUT) as (keyof typeof LEFT_OUT)[])('an answer %s', (fault) => {
  test.each([1, 2])('%d times is no missing item: it is read again', async (times) => {
    const made = leaveOut(fault, times);
    expect(await readTeam()).toMatchObject(both());
    expect(made()).toBe(times + 1);
  });

  test('every time is an error of throttling, after three calls', async () => {
    const made = leaveOut(fault, 100);
    await expect(readTeam()).rejects.toMatchObject({
      name: 'ProvisionedThroughputExceededException',
      message: `DynamoDB could not read from ${fault === 'without the key' ? fixture.names.apiKeys : fixture.names.allowlist} in 3 calls`,
    });
    expect(made()).toBe(3);
  });

  test('every time gives the caller a 503, and the identical request is accepted later', async () => {
    const { send } = inProcess(fixture.dependencies({ readCallerRecords: read }));
    // The function knows the owner of the key then.
    expect(await send(signedUpload(team, { timestamp: () => Date.now() - 1 }))).toMatchObject({ status: 200 });
    leaveOut(fault, 3);
    const upload = signedUpload(team);
    expect(await send(upload)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(await send(upload)).toMatchObject({ status: 200 });
  });

  test('is not read again after the deadline of the request', async () => {
    const made = leaveOut(fault, 100);
    const deadline = new AbortController();
    const reading = readTeam(deadline.signal);
    while (made() === 0) await new Promise(setImmediate);
    deadline.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(made()).toBeLessThan(3);
  });
});
