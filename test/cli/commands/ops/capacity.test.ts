import { describe, expect, test } from 'vitest';
import { type Capacity, type Demand, estimateCapacity, limitsIn } from '../../../../cli/store/cost/capacity.ts';
import gatewayQuotas from '../../../../cli/store/cost/gatewayQuotas.json' with { type: 'json' };
import { readSettings } from '../../../../infra/readSettings.ts';

const demand: Demand = { teams: 500, perMinute: 7, peak: 20, teamsPerIp: 1, logBytes: 10 * 1024 };
const prod = { stage: 'prod' };
const estimate = (change: Partial<Demand> = {}, context: Record<string, string> = {}) =>
  estimateCapacity({ ...demand, ...change }, readSettings({ ...prod, ...context }));
const lineOf = ({ lines }: Capacity, start: string) => {
  const found = lines.filter(({ limitOf }) => limitOf.startsWith(start));
  expect(found).toHaveLength(1);
  return found[0] as Capacity['lines'][number];
};
const toDo = ({ lines }: Capacity) => lines.flatMap(({ limitOf, action }) => (action ? [[limitOf, action]] : []));

test('500 teams, 7 uploads a minute, 20 times as many at the start: 1167 per second, all of them cold at first', () => {
  const capacity = estimate();
  expect(capacity.uploadsPerSecond).toBeCloseTo((500 * 7 * 20) / 60, 9);
  expect(capacity).toMatchObject({ coldStarts: 1167, executionsCold: 1202, executionsWarm: 35 });
  expect(lineOf(capacity, 'function: executions, all cold')).toMatchObject({ limit: 1000, above: 503 });
  // Fewer teams at the same moment start as many environments.
  expect(estimate({ teams: 5, peak: 2000 }).coldStarts).toBe(1167);
});

test('a partition takes the units of its key only: those of a team, an address, an eighth of a minute', () => {
  const capacity = estimate({ teamsPerIp: 10 });
  const shares = (start: string) => lineOf(capacity, `partition: ${start}`).need;
  expect(shares('entries of one UID, units')).toBeCloseTo((140 / 60) * capacity.entryUnits, 9);
  expect(shares('counter of one UID')).toBeCloseTo(140 / 60, 9);
  expect(shares('counter of one IP address')).toBeCloseTo(1400 / 60, 9);
  expect(shares('index by order')).toBeCloseTo(140 / 60, 9);
  expect(shares('index by arrival, one')).toBeCloseTo(70_000 / 60 / 8, 9);
});

test('limits follow the settings', () => {
  const limit = (start: string, context: Record<string, string>) => lineOf(estimate({}, context), start).limit;
  expect(limit('function: executions, warm', { accountConcurrency: '5000' })).toBe(5000);
  expect(limit('function: executions, warm', { reservedConcurrency: '899' })).toBe(899);
  expect(limit('function: requests/s', { accountConcurrency: '10' })).toBe(100);
  expect(limit('new table AiLogs', {})).toBe(4000);
  expect(limit('new table AiLogs', { warmThroughput: '2000' })).toBe(10_000);
  expect(limit('new table Weights', { warmThroughput: '2400' })).toBe(4800);
  expect(limit('gateway: the stage', { apiRateLimit: '9000' })).toBe(9000);
  expect(limit('quota: one UID', { uidQuota: '70' })).toBe(70);
  expect(limit('quota: one IP', { ipQuota: '80' })).toBe(80);
  expect(estimate({}, { waf: 'false' }).lines).toHaveLength(estimate().lines.length - 1);
});

test('only a need above half of its limit has something to do', () => {
  for (const { share, action, limitOf } of estimate({ logBytes: 100 * 1024 }).lines) {
    expect([limitOf, action !== undefined]).toEqual([limitOf, share > (limitOf.startsWith('new table') ? 1 : 0.5)]);
  }
  expect(toDo(estimate({ teams: 10 }))).toEqual([]);
});

describe.each([10, 100])('logs of %d KB', (kilobytes) => {
  test('the settings that it suggests hold together, and then it suggests none', () => {
    const logBytes = kilobytes * 1024;
    const before = estimate({ logBytes });
    const suggested = toDo(before).flatMap(([, action = '']) =>
      [...action.matchAll(/(\w+)=(\d+)/g)].map(([, name = '', value = '']) => [name, value]),
    );
    expect(suggested.length).toBeGreaterThan(1);
    const after = estimate({ logBytes }, Object.fromEntries(suggested));
    const quotas = toDo(after).filter(([limitOf = '']) => !limitOf.startsWith('AiLogs and its indexes'));
    expect(quotas.map(([limitOf]) => limitOf)).toEqual([
      'function: started at once',
      'partition: index by arrival, 6 shards together, units/s',
    ]);
  });
});

test('thirteen regions take a quarter at the gateway, and their bursts cannot be raised', () => {
  const linesIn = (region: string, context = {}) =>
    estimateCapacity(demand, readSettings({ ...prod, ...context }), limitsIn(region))
      .lines.filter(({ limitOf }) => /the account|burst/.test(limitOf))
      .map(({ limit, action }) => [limit, action]);
  expect(linesIn('us-east-1')).toEqual([
    [10_000, undefined],
    [5000, undefined],
  ]);
  expect(linesIn('eu-south-1')).toEqual([
    [2500, undefined],
    [1250, 'cannot be raised: spread the uploads, or choose a region with larger bursts'],
  ]);
  expect(linesIn('us-east-1', { apiBurstLimit: '2000' })).toEqual([
    [10_000, undefined],
    [2000, 'apiBurstLimit=2400'],
  ]);
  const { small, smallRegions } = gatewayQuotas;
  expect(new Set(smallRegions.map((region) => limitsIn(region).gatewayRequests))).toEqual(new Set([small.perSecond]));
  expect(new Set(smallRegions).size).toBe(13);
});

test('a need that no setting can meet is not answered with a setting', () => {
  const { action } = lineOf(estimate({ teams: 5000, logBytes: 100 * 1024 }), 'new table AiLogs');
  expect(action).not.toContain('=');
});

test('far above every limit, each line says what to do', () => {
  const capacity = estimate({ teams: 5000, perMinute: 60, peak: 60, teamsPerIp: 50 });
  const resend = 'nothing: clients send again, and DynamoDB splits the partition';
  const tooMany = 'more than warmThroughput can be: spread the uploads, or send smaller logs';
  expect(toDo(capacity)).toEqual([
    ['firewall: one IP address, requests/min', 'ipQuota=60000'],
    ['gateway: the stage, requests/s', 'apiRateLimit=600000'],
    ['gateway: the account, requests/s', 'request the quota "Throttle rate": 600000'],
    ['gateway: one burst, requests', 'cannot be raised: spread the uploads, or choose a region with larger bursts'],
    ['function: executions, all cold', 'request the quota L-B99A9384: 620000, then accountConcurrency=620000'],
    ['function: executions, warm', 'request the quota L-B99A9384: 18000'],
    ['function: started at once', 'cannot be raised: let teams upload in the minute before'],
    ['function: requests/s', 'request the quota L-B99A9384: 60000'],
    ['KMS: decryptions/s, all cold', 'request the quota "Cryptographic operations (symmetric)"'],
    ['new table ApiKeys: read units/s', tooMany],
    ['new table Weights: write units/s', tooMany],
    ['new table AiLogs: write units/s', tooMany],
    ['AiLogs and its indexes: write units/s', 'request the quota "Table-level write throughput limit": 3600000'],
    ['partition: counter of one IP address, units/s', 'ask teams for addresses of their own'],
    ['partition: index by arrival, one of 8 shards, units/s', 'more shards: SHARDS in functions/tlog/arrival.ts'],
    ['partition: index by arrival, 6 shards together, units/s', resend],
    ['quota: one UID, uploads per window', 'uidQuota=1200'],
    ['quota: one IP address, uploads per window', 'ipQuota=60000'],
  ]);
  const { lines: _, ...load } = capacity;
  expect(load).toEqual({
    uploadsPerSecond: 300_000,
    uploadsPerSecondOfTeam: 60,
    executionsCold: 309_000,
    executionsWarm: 9000,
    coldStarts: 300_000,
    entryUnits: 4,
    unitsPerUpload: 8,
  });
  const ofOneTeam = toDo(estimate({ perMinute: 6000, peak: 20, logBytes: 100 * 1024 }, { reservedConcurrency: '50' }));
  expect(ofOneTeam.filter(([limitOf = '']) => /of one UID|one order|all cold/.test(limitOf))).toEqual([
    ['function: executions, all cold', expect.stringMatching(/, then reservedConcurrency=\d+$/)],
    ['KMS: decryptions/s, all cold', 'request the quota "Cryptographic operations (symmetric)"'],
    ['partition: entries of one UID, units/s', 'smaller logs, or fewer in a second'],
    ['partition: entries of one UID, its whole quota, units/s', expect.stringMatching(/^uidQuota=\d+$/)],
    ['partition: counter of one UID, units/s', 'a smaller uidQuota'],
    ['partition: index by order, one order, units/s', 'a smaller uidQuota'],
  ]);
});
