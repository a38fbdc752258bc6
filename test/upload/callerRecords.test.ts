import { beforeEach, describe, expect, test } from 'vitest';
import { callerRecordsReader } from '../../functions/upload/callerRecords.ts';
import { clientAt, inProcess, noDeadline, signedUpload, type Team, world } from '../setup/world.ts';

/** The inputs of the calls to DynamoDB. */
let calls: object[];
let team: Team;
const fixture = await world();
const proxy = await fixture.faulty();
const db = clientAt(proxy.url, { maxAttempts: 1 });
db.middlewareStack.add(
  (next) => (args) => {
    calls.push(args.input);
    return next(args);
  },
  { step: 'initialize', name: 'listCalls' },
);
const read = callerRecordsReader(db, fixture.names);
beforeEach(async () => {
  team = await fixture.team();
  calls = [];
});

const readTeam = (signal = noDeadline()) => read(team.accessKey, team.uid, signal);
const both = () => ({ apiKey: { accessKey: team.accessKey, uid: team.uid }, allowlistEntry: { uid: team.uid } });

test('reads only the key if its owner is not known', async () => {
  const { apiKey } = both();
  const unowned = await read(team.accessKey, undefined, noDeadline());
  expect(unowned).toMatchObject({ apiKey, allowlistEntry: undefined });
  expect(calls).toMatchObject([{ TableName: fixture.names.apiKeys, ConsistentRead: true }]);
});

test('returns undefined for an item that does not exist', async () => {
  expect(await read('ailog_unknown', team.uid, noDeadline())).toMatchObject({
    apiKey: undefined,
    allowlistEntry: { uid: team.uid, status: 'approved' },
  });
  expect(await read(team.accessKey, '0', noDeadline())).toMatchObject({
    apiKey: both().apiKey,
    allowlistEntry: undefined,
  });
  expect(calls).toHaveLength(2);
});

test('reads nothing for an access key that is longer than DynamoDB accepts', async () => {
  // Two bytes for each letter.
  const longest = 'é'.repeat(1024);
  await fixture.apiKeys.put({ ...(await readTeam()).apiKey, accessKey: longest } as never);
  calls = [];
  const readKey = (name: string) => read(name, team.uid, noDeadline());
  expect(await readKey(longest)).toMatchObject({ apiKey: { accessKey: longest }, allowlistEntry: { uid: team.uid } });
  expect(await readKey(`${longest}k`)).toEqual({ apiKey: undefined, allowlistEntry: undefined });
  expect(calls).toHaveLength(1);
});

describe.each([
  ['without the key', 'get key', () => team.accessKey, () => ['apiKeys', { accessKey: team.accessKey }]],
  ['without the allowlist entry', 'get allowlist entry', () => team.uid, () => ['allowlist', { uid: team.uid }]],
] as const)('a read that is answered %s', (fault, call, subject, item) => {
  beforeEach(() => {
    proxy.fail('read records', team.accessKey, () => fault);
  });

  test('is completed by a second read, strongly consistent', async () => {
    expect(await readTeam()).toMatchObject(both());
    const [table, Key] = item();
    expect(calls.slice(1)).toEqual([{ TableName: fixture.names[table as 'apiKeys'], Key, ConsistentRead: true }]);
  });

  test('gives the caller a 503 if the second read fails, and accepts the identical request later', async () => {
    const { send } = inProcess(fixture.dependencies({ readCallerRecords: read }));
    // The function knows the owner of the key then.
    expect(await send(signedUpload(team, { timestamp: () => Date.now() - 1 }))).toMatchObject({ status: 200 });
    proxy.fail(call, subject(), () => 'throttled');
    const upload = signedUpload(team);
    expect(await send(upload)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    proxy.heal(call, subject());
    expect(await send(upload)).toMatchObject({ status: 200 });
  });

  test('ends at the deadline of the request', async () => {
    const deadline = new AbortController();
    proxy.fail(call, subject(), () => {
      deadline.abort();
      return 'no response';
    });
    await expect(readTeam(deadline.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
