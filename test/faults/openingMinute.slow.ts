import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import type { Context } from 'aws-lambda';
import pLimit from 'p-limit';
import { describe, expect, test } from 'vitest';
import { localIdentity } from '../../cli/store/targets/data.ts';
import { entriesTable } from '../../functions/ailog/entries.ts';
import { arrivalSlot, SHARDS } from '../../functions/tlog/arrival.ts';
import { createHandler } from '../../functions/upload/handler.ts';
import { weightsTable } from '../../functions/weights/weights.ts';
import { warmThroughputOf } from '../../infra/storage/tables.ts';
import { logOf } from '../bench/handler.ts';
import { eventOf, signedUpload, type Team, world } from '../setup/world.ts';
import { type Kind, meterPartitions } from './partitions.ts';

/**
 * A hundredth of 500 teams. What all teams share has a hundredth of its limit; what one team has is as large as it is.
 */
const SCALE = 100;

/** The demand of the busiest minute: `peak` times `perMinute` uploads of each team, of `logKb`. */
type Demand = Readonly<Record<'teams' | 'perMinute' | 'peak' | 'teamsPerIp' | 'logKb', number>>;
const opening: Demand = { teams: 500 / SCALE, perMinute: 7, peak: 20, teamsPerIp: 1, logKb: 9 };
const PARTITION_WRITES = 1000;
const TABLE_WRITES = 40_000;
const shared = { partition: PARTITION_WRITES / SCALE, table: TABLE_WRITES / SCALE };

const fixture = await world({ windowSeconds: 10 });
const proxy = await fixture.faulty();
const client = new DynamoDBClient({
  endpoint: proxy.url,
  ...localIdentity,
  // As many attempts as the function makes, without the waits: the clock is simulated.
  retryStrategy: new ConfiguredRetryStrategy(3, () => 0),
});
const db = DynamoDBDocumentClient.from(client);

/** A simulated load: the demand, its duration in seconds, and the limits that the proxy and the function enforce. */
type Load = Readonly<{ demand: Demand; seconds: number; limits: Partial<Record<Kind, number>>; uidQuota?: number }>;

/**
 * Sends the uploads of a load to the handler, second by second of a simulated clock. Clients send the identical request
 * again after `Retry-After`, as docs/teams.md says.
 * @returns the teams, all answers, the number of seconds until the last upload was accepted, and the units of each
 * partition
 */
async function simulate({ demand, seconds, limits, uidQuota = 100_000 }: Load) {
  const teams = await Promise.all(Array.from({ length: demand.teams }, () => fixture.team()));
  // A minute that has not begun: the function has no window of it yet. Each simulation has its own.
  const start = Math.ceil(Date.now() / 60_000) * 60_000;
  let now = start;
  const second = () => Math.floor((now - start) / 1000);
  const meter = meterPartitions(limits, second);
  proxy.decide((_request, call) => meter.rule(call.toString()));
  const dependencies = fixture.dependencies({
    now: () => now,
    weights: weightsTable(db, fixture.names.weights),
    entries: entriesTable(db, fixture.names.aiLogs),
  });
  const handle = createHandler({ ...dependencies, config: { ...dependencies.config, uidQuota } });

  const body = logOf(demand.logKb * 1024);
  const perSecond = (demand.perMinute * demand.peak) / 60;
  const send = (team: Team, index: number, time: number) => {
    const upload = signedUpload(team, { body, timestamp: () => time });
    // Every address of its own is a network of the documentation range.
    return { due: time, event: () => eventOf(upload, `198.51.100.${Math.floor(index / demand.teamsPerIp)}`) };
  };
  let waiting = teams.flatMap((team, index) =>
    Array.from({ length: Math.round(perSecond * seconds) }, (_, i) =>
      send(team, index, start + Math.floor((i * 1000) / perSecond)),
    ),
  );
  const uploads = waiting.length;
  const answers: { status: number; retryAfter: number }[] = [];
  let last = 0;
  // The deadline of a request is in real time: on a busy machine, all requests of a second at once would miss it.
  const few = pLimit(3);
  for (; waiting.length > 0; now += 1000) {
    const due = waiting.filter((one) => one.due < now + 1000);
    waiting = waiting.filter((one) => one.due >= now + 1000);
    const again = await Promise.all(
      due.map(async ({ event }) => {
        const { statusCode: status, headers = {} } = await few(() => handle(event(), {} as Context));
        const retryAfter = Number(headers['Retry-After'] ?? 0);
        answers.push({ status, retryAfter });
        return status === 200 ? [] : [{ due: now + retryAfter * 1000, event }];
      }),
    );
    waiting.push(...again.flat());
    last = second() + 1;
    expect(last).toBeLessThan(30);
  }
  const stored = await Promise.all(teams.map(({ uid }) => fixture.entriesOf(uid)));
  return { uploads, stored, answers, last, unitsTaken: meter.unitsTaken };
}

/** Returns what a demand needs of each limit, as docs/evidence.md computes it: units a second, or uploads in 10 s. */
function needsOf({ teams, perMinute, peak, teamsPerIp, logKb }: Demand) {
  const ofTeam = (perMinute * peak) / 60;
  const entryUnits = Math.ceil(0.7 + 0.31 * logKb);
  return {
    table: (entryUnits + 2) * teams * ofTeam,
    entries: ofTeam * entryUnits,
    address: Math.min(teamsPerIp, teams) * ofTeam,
    arrival: (teams * ofTeam) / SHARDS,
    quota: 10 * ofTeam,
  };
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

test('below all limits, every upload is accepted at once, and each partition takes the units of the model', async () => {
  const seconds = 6;
  const limits = { entries: PARTITION_WRITES, arrival: shared.partition, table: shared.table };
  const { uploads, stored, answers, unitsTaken } = await simulate({ demand: opening, seconds, limits });
  expect(uploads).toBe(70);
  expect(answers).toEqual(Array.from({ length: uploads }, () => ({ status: 200, retryAfter: 0 })));
  expect(stored.map(({ length }) => length)).toEqual([14, 14, 14, 14, 14]);

  const needs = needsOf(opening);
  const perTeam = (units: number) => Array(opening.teams).fill(Math.round(units * seconds));
  expect(unitsTaken('entries')).toEqual(perTeam(needs.entries));
  // Each team has an address of its own.
  expect(unitsTaken('uid counter')).toEqual(unitsTaken('ip counter'));
  expect(unitsTaken('ip counter')).toEqual(perTeam(needs.address));
  expect(sum(unitsTaken('table'))).toBe(Math.round(needs.table * seconds));
  // Shards are random. More than six times the mean of 4.4 in one of them is all but impossible.
  const shards = unitsTaken('arrival');
  expect(sum(shards)).toBe(Math.round(needs.arrival * seconds * SHARDS));
  expect(shards.length).toBeGreaterThan(3);
  expect(Math.max(...shards)).toBeLessThan(6 * needs.arrival * seconds);
});

/** Returns the share of 500 minutes in which a partition of the index by arrival throttles a peak of one second. */
function throttledShare(uploads: number, partitions: number): number {
  const minutes = Array.from({ length: 500 }, (_, minute) => minute);
  const throttled = minutes.filter((minute) => {
    const { rule } = meterPartitions({ index: shared.partition }, () => 0, partitions);
    return Array.from({ length: uploads / SCALE }, (_, index) => {
      const slot = { S: arrivalSlot(minute * 60_000, index % SHARDS) };
      return rule(JSON.stringify({ Item: { uid: { S: `${index}` }, orderId: { N: '1' }, slot } }));
    }).some((fault) => fault !== undefined);
  });
  return throttled.length / minutes.length;
}

test('at 3500 uploads in a second, a new index by arrival throttles, and one that is warmed with its table does not', () => {
  const { warmThroughput = { writeUnitsPerSecond: 0 } } = warmThroughputOf('aiLogs', 3500);
  expect(throttledShare(3500, 4)).toBeGreaterThan(0.9);
  expect(throttledShare(3500, Math.ceil(warmThroughput.writeUnitsPerSecond / PARTITION_WRITES))).toBeLessThan(0.05);
});

const large: Demand = { ...opening, logKb: 110 };
/** All teams at one address. */
const together: Demand = { ...opening, teamsPerIp: opening.teams };
/** A team that uses a quota of 100 uploads in 10 s, with large logs. */
const eager: Demand = { ...large, teams: 1, perMinute: 600, peak: 1 };

describe.each<{
  of: string;
  load: Load;
  need: keyof ReturnType<typeof needsOf>;
  limit: number;
  above: number;
  span?: number;
}>([
  {
    of: 'the table',
    load: { demand: large, seconds: 3, limits: { table: shared.table } },
    need: 'table',
    limit: shared.table,
    above: 503,
  },
  {
    of: 'the partition of a UID',
    load: { demand: eager, seconds: 1, limits: { entries: 100 } },
    need: 'entries',
    limit: 100,
    above: 429,
  },
  {
    of: 'the counter of an IP address',
    load: { demand: together, seconds: 3, limits: { 'ip counter': shared.partition } },
    need: 'address',
    limit: shared.partition,
    above: 429,
  },
  {
    of: 'a partition of the index by arrival',
    load: { demand: { ...opening, peak: 40 }, seconds: 2, limits: { arrival: 1 } },
    need: 'arrival',
    limit: 1,
    above: 429,
  },
  {
    of: 'the quota of a UID',
    load: { demand: { ...opening, teams: 1 }, seconds: 10, limits: {}, uidQuota: 10 },
    need: 'quota',
    limit: 10,
    above: 429,
    span: 10,
  },
])('above the limit of $of', ({ load, need: needed, limit, above, span = 1 }) => {
  test('uploads get the status of docs/evidence.md, and each is stored exactly once', async () => {
    const need = needsOf(load.demand)[needed];
    expect(need).toBeGreaterThan(limit);
    const { uploads, stored, answers, last } = await simulate(load);
    const failed = answers.filter(({ status }) => status !== 200);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([above]));
    expect(failed.filter(({ retryAfter }) => !(retryAfter >= 1))).toEqual([]);
    expect(answers.length - failed.length).toBe(uploads);
    const ids = stored.flat().map(({ uid, entryId }) => `${uid} ${entryId}`);
    expect([ids.length, new Set(ids).size]).toEqual([uploads, uploads]);
    // What is too much for its time takes as much longer. `span` is the time of a limit in seconds.
    expect(Math.ceil(last / span) * span).toBeGreaterThanOrEqual(Math.ceil((load.seconds * need) / limit));
  });
});
