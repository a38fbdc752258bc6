import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  inProcess,
  NOW,
  signedUpload,
  type Tables,
  type Team,
  type Transport,
  withHeader,
  world,
} from '../setup/world.ts';

interface Call {
  readonly operation: string;
  /** Several tables with commas between. */
  readonly tables: string;
  readonly consistent: boolean;
  readonly start: number;
  readonly end: number;
}

let fixture: Tables;
let team: Team;
let transport: Transport;
let calls: Call[];
beforeEach(async () => {
  fixture = await world({ uidQuota: 3, ipQuota: 5 });
  team = await fixture.team();
  transport = inProcess(fixture.dependencies());
  calls = [];
  const tableOf = (name: unknown) =>
    Object.entries(fixture.names).find(([, physical]) => physical === name)?.[0] ?? '?';
  let order = 0;
  fixture.db.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        order += 1;
        const start = order;
        try {
          return await next(args);
        } finally {
          order += 1;
          const { TableName = '', RequestItems, ...rest } = args.input as { TableName?: string; RequestItems?: object };
          const reads: [string, { ConsistentRead?: boolean }][] = Object.entries(RequestItems ?? { [TableName]: rest });
          calls.push({
            operation: commandName.replace('Command', ''),
            tables: reads
              .map(([name]) => tableOf(name))
              .sort()
              .join(', '),
            consistent: reads.every(([, { ConsistentRead }]) => ConsistentRead),
            start,
            end: order,
          });
        }
      },
    { step: 'initialize', name: 'listCalls' },
  );
});

/** Returns the calls as `operation tables`, grouped by calls that ran at the same time. */
const roundTrips = () => {
  const groups: Call[][] = [];
  for (const call of [...calls].sort((a, b) => a.start - b.start)) {
    const last = groups.at(-1);
    if (last?.some(({ end }) => end > call.start)) last.push(call);
    else groups.push([call]);
  }
  return groups.map((group) => group.map(({ operation, tables }) => `${operation} ${tables}`).sort());
};

const reads = ['BatchGetItem allowlist, apiKeys'];
/** While the function does not know the owner of a key. */
const readKey = ['GetItem apiKeys'];
/** The first upload of a function also reads the receipt key. The deployed function reads it while it starts. */
const firstPut = ['GetItem receiptKeys', 'PutItem aiLogs'];
const counters = ['UpdateItem weights', 'UpdateItem weights'];

describe('the calls of an upload', () => {
  test('with a known key take three round trips, with consistent reads', async () => {
    await transport.send(signedUpload(team));
    calls = [];
    await transport.send(signedUpload(team));
    expect(roundTrips()).toEqual([reads, counters, ['PutItem aiLogs']]);
    expect(calls[0]).toMatchObject({ operation: 'BatchGetItem', consistent: true });
  });

  test('with a new key take one more round trip, because its owner must be read first', async () => {
    await transport.send(signedUpload(team));
    expect(roundTrips()).toEqual([readKey, ['GetItem allowlist'], counters, firstPut]);
    expect(calls.slice(0, 2)).toMatchObject([{ consistent: true }, { consistent: true }]);
  });

  test('with an unknown key are the read of the key, and nothing else', async () => {
    await transport.send(withHeader(signedUpload(team), 'ACCESS-KEY', 'ailog_unknown'));
    expect(roundTrips()).toEqual([readKey]);
  });

  test('with an unknown key are none for a second after its last read, then the read again', async () => {
    let time = NOW;
    transport = inProcess(fixture.dependencies({ now: () => time }));
    const send = async (accessKey: string) => {
      calls = [];
      const upload = withHeader(signedUpload(team, { timestamp: () => time }), 'ACCESS-KEY', accessKey);
      return [(await transport.send(upload)).json.code, calls.length];
    };
    expect(await send('ailog_unknown')).toEqual(['40006', 1]);
    expect(await send('ailog_unknown')).toEqual(['40006', 0]);
    expect(await send('ailog_other')).toEqual(['40006', 1]);
    time += 999;
    expect(await send('ailog_unknown')).toEqual(['40006', 0]);
    time += 1;
    expect(await send('ailog_unknown')).toEqual(['40006', 1]);
    // A clock that was set back must not prolong the second.
    time -= 1;
    expect(await send('ailog_unknown')).toEqual(['40006', 1]);
  });

  test('with a key issued after it was unknown are accepted a second later', async () => {
    let time = NOW;
    transport = inProcess(fixture.dependencies({ now: () => time }));
    const key = await fixture.apiKeys.get(team.accessKey);
    const upload = () => signedUpload(team, { timestamp: () => time });
    await fixture.db.send(new DeleteCommand({ TableName: fixture.names.apiKeys, Key: { accessKey: team.accessKey } }));
    expect((await transport.send(upload())).json.code).toBe('40006');
    await fixture.db.send(new PutCommand({ TableName: fixture.names.apiKeys, Item: key }));
    expect((await transport.send(upload())).json.code).toBe('40006');
    time += 1000;
    expect((await transport.send(upload())).json.code).toBe('00000');
  });

  test('of an identical request that the function has stored are the reads and the counter of its IP address', async () => {
    const upload = signedUpload(team);
    await transport.send(upload);
    calls = [];
    const { headers } = await transport.send(upload);
    expect(roundTrips()).toEqual([reads, ['UpdateItem weights']]);
    expect(headers.ratelimit).toMatch(/^"ip";r=3;t=\d+$/);
    expect(await fixture.weightOf(`uid#${team.uid}`)).toBe(1);
    expect(await fixture.weightOf('ip#192.0.2.1')).toBe(2);
  });

  test('with a wrong signature are reads only', async () => {
    await transport.send(withHeader(signedUpload(team), 'ACCESS-SIGN', 'wrong'));
    expect(roundTrips()).toEqual([readKey, ['GetItem allowlist']]);
  });

  test('after a UID has exceeded its quota are the reads only, and cost its IP address no weight', async () => {
    transport = inProcess(fixture.dependencies({ now: () => NOW }));
    const send = (i: number) => transport.send(signedUpload(team, { timestamp: () => NOW + i }));
    for (let i = 0; i < 4; i += 1) await send(i);
    expect(await fixture.weightOf('ip#192.0.2.1')).toBe(4);
    calls = [];

    const { status, headers } = await send(4);
    expect(status).toBe(429);
    expect(headers.ratelimit).toMatch(/^"uid";r=0;t=\d+$/);
    expect(roundTrips()).toEqual([reads]);
    expect(await fixture.weightOf('ip#192.0.2.1')).toBe(4);
  });
});
