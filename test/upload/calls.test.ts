import { beforeEach, describe, expect, test } from 'vitest';
import { type Fixture, openFixture, type Team } from '../setup/fixture.ts';
import { inProcess, type Transport } from '../setup/transports.ts';
import { signedUpload, withHeader } from '../setup/upload.ts';

interface Call {
  readonly operation: string;
  readonly table: string;
  readonly consistent: boolean | undefined;
  readonly start: number;
  readonly end: number;
}

let fixture: Fixture;
let team: Team;
let transport: Transport;
let calls: Call[];
beforeEach(async () => {
  fixture = await openFixture({ uidQuota: 3, ipQuota: 5 });
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
          const { TableName, ConsistentRead } = args.input as { TableName?: string; ConsistentRead?: boolean };
          const operation = commandName.replace('Command', '');
          calls.push({ operation, table: tableOf(TableName), consistent: ConsistentRead, start, end: order });
        }
      },
    { step: 'initialize', name: 'listCalls' },
  );
});

/** Returns the calls as `operation table`, grouped by calls that ran at the same time. */
const roundTrips = () => {
  const groups: Call[][] = [];
  for (const call of [...calls].sort((a, b) => a.start - b.start)) {
    const last = groups.at(-1);
    if (last?.some(({ end }) => end > call.start)) last.push(call);
    else groups.push([call]);
  }
  return groups.map((group) => group.map(({ operation, table }) => `${operation} ${table}`).sort());
};

const reads = ['GetItem allowlist', 'GetItem apiKeys'];
const counters = ['UpdateItem weights', 'UpdateItem weights'];

describe('the calls of an upload', () => {
  test('with a known key take three round trips, with consistent reads', async () => {
    await transport.send(signedUpload(team));
    calls = [];
    await transport.send(signedUpload(team));
    expect(roundTrips()).toEqual([reads, counters, ['PutItem aiLogs']]);
    expect(calls.filter(({ operation }) => operation === 'GetItem').map(({ consistent }) => consistent)).toEqual([
      true,
      true,
    ]);
  });

  test('with a new key take one more round trip, because its owner must be read first', async () => {
    await transport.send(signedUpload(team));
    expect(roundTrips()).toEqual([reads, ['GetItem allowlist'], counters, ['PutItem aiLogs']]);
  });

  test('with an unknown key are the reads of a known one, and nothing else', async () => {
    await transport.send(withHeader(signedUpload(team), 'ACCESS-KEY', 'ailog_unknown'));
    expect(roundTrips()).toEqual([reads]);
  });

  test('with a wrong signature count and write nothing', async () => {
    await transport.send(withHeader(signedUpload(team), 'ACCESS-SIGN', 'wrong'));
    expect(calls.filter(({ operation }) => operation !== 'GetItem')).toEqual([]);
  });

  test('after a UID has exceeded its quota are the reads only, and cost its IP address no weight', async () => {
    for (let i = 0; i < 4; i += 1) await transport.send(signedUpload(team, { timestamp: () => Date.now() + i }));
    expect(await fixture.weightOf('ip#192.0.2.1')).toBe(4);
    calls = [];

    const { status, headers } = await transport.send(signedUpload(team));
    expect(status).toBe(429);
    expect(headers.ratelimit).toMatch(/^"uid";r=0;t=\d+$/);
    expect(roundTrips()).toEqual([reads]);
    expect(await fixture.weightOf('ip#192.0.2.1')).toBe(4);
  });
});
