import { describe, expect, test } from 'vitest';
import type { CostLine } from '../../../../cli/store/cost/costLine.ts';
import { assumptions, estimateCost, logCostPerMillion, type Usage } from '../../../../cli/store/cost/estimateCost.ts';
import { filesOf, assumptions as logAssumptions } from '../../../../cli/store/cost/estimateLogCost.ts';
import { countFixedCosts, type FixedCosts } from '../../../../cli/store/cost/fixedCosts.ts';
import prices from '../../../../cli/store/cost/prices.json' with { type: 'json' };
import { storedBytes } from '../../../../cli/store/cost/storedBytes.ts';
import { appendEntries, EMPTY_EDGE } from '../../../../functions/c2sp/rightEdge.ts';
import { arrivalsOf } from '../../../../functions/sequencer/arrivals.ts';
import { accessLog } from '../../../../infra/api/api.ts';
import { entriesOf } from '../../../c2sp/trees.ts';
import { withIntercept } from '../../../sequencer/intercept.ts';
import { openLogFixture } from '../../../sequencer/logFixture.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { openFixture } from '../../../setup/fixture.ts';
import { inProcess } from '../../../setup/transports.ts';
import { signedUpload } from '../../../setup/upload.ts';
import { recordWritten, withLog } from '../../../setup/written.ts';

const usage: Usage = { teams: 100, uploadsPerDay: 200, logBytes: 10 * 1024, months: 1 };
const nothing: FixedCosts = {
  keys: 0,
  rotatingKeys: 0,
  alarmMetrics: 0,
  idleMetrics: 0,
  uploadMetrics: 0,
  dashboards: 0,
  firewalls: 0,
  firewallRules: 0,
  indexers: 0,
  distributions: 0,
};
const total = (lines: CostLine[]) => lines.reduce((sum, { dollars }) => sum + dollars, 0);
/** Returns true if a measured value differs from the assumed one by at most a tenth. */
const within = (measured: number, assumed: number) => Math.abs(measured / assumed - 1) <= 0.1;
const dollarsOf = (name: string, change: Partial<Usage> = {}, fixedCosts = nothing) =>
  estimateCost({ ...usage, ...change }, fixedCosts).find(({ of }) => of === name)?.dollars ?? Number.NaN;

/** The parts of a deployment in production. A test below reads them from its template. */
const prod: FixedCosts = {
  keys: 3,
  rotatingKeys: 2,
  alarmMetrics: 58,
  idleMetrics: 7,
  uploadMetrics: 20,
  dashboards: 1,
  firewalls: 1,
  firewallRules: 2,
  indexers: 0,
  distributions: 1,
};

/**
 * The lines of a month, from list prices and not from the code: per upload, a log of 10 KB of 3.8 KB once stored, 4
 * units of its entry, 3 of counters and index by order, 1 of the index by arrival, 30 ms, 1.4 KB of log lines, 1.2 KB
 * of response.
 * @param n uploads in the month, at least one a minute or none
 */
function recompute(n: number, teams: number): Record<string, number> {
  const GB = 1024 ** 3;
  const minutes = (365.25 / 12) * 24 * 60;
  const batches = Math.min(n, minutes);
  const files = 5 * batches + n / 128 + Math.min(batches, n / 256) + (6 * minutes) / 60;
  const traced = Math.min(n, 60 * minutes + Math.max(0, n - 60 * minutes) / 20) + minutes;
  const logged = (n * 1400 + minutes * 800) / GB;
  /** Read units of the entries of some minutes in the index, at a half for 4 KB. */
  const shown = (count: number) => (((count * n) / minutes) * 300) / 4096 / 2;
  return {
    firewall: 5 + 2 + (n * 0.6) / 1e6,
    gateway: (n * 3.5) / 1e6,
    transfer: ((n * 1200) / GB) * 0.09,
    function: (n * 0.2) / 1e6 + n * 0.03 * 1 * 0.0000133334,
    'tables, writes': (n * 7 * 0.625) / 1e6,
    'tables, reads': (n * 2 * 0.125) / 1e6,
    'tables, stored and recoverable': ((n * (storedBytes(10 * 1024) + 100)) / GB) * (0.25 + 0.2),
    // uid 7, id 53 and order 28 bytes, then uid, id, slot 22 and arrival 45 bytes; DynamoDB adds 100 to each item.
    'indexes, stored': ((n * (7 + 53 + 28 + 100 + 7 + 53 + 22 + 45 + 100)) / GB) * 0.25,
    keys: 3 + (n / 50 / 1e4) * 0.03,
    'key rotation': 0,
    'log, index': (n * 0.625) / 1e6,
    'log, sequencer':
      minutes * (0.5 * 0.0000133334 + 0.2 / 1e6 + (6 * 0.4) / 1e6) +
      (minutes * (104 / 2 + 4 + shown(11)) * 0.125) / 1e6,
    'log, head': (minutes * 12 * 0.625) / 1e6,
    'log, files written': (files * 5) / 1e6,
    'log, signatures': (batches * 15) / 1e6,
    'log, late entries':
      ((minutes / 60) * (240 + shown(60)) * 0.125) / 1e6 +
      ((2 * minutes + ((16 * minutes + (80 * minutes) / 60) * n) / minutes / 256) * 0.4) / 1e6,
    'log, files stored': ((n * 98 + batches * 14_000) / GB) * 0.023,
    // Each team reads six files every ten minutes, of 7 KB.
    'public log, readers': teams * (minutes / 10) * 6 * (0.01 / 1e4 + 0.0004 / 1e3 + (7000 / GB) * 0.085),
    'log lines': logged * 0.5 + logged * 0.2 * 0.03,
    metrics: (n > 0 ? 27 : 7) * 0.3,
    'alarms and dashboard': 58 * 0.1 + 3,
    traces: (traced * 5) / 1e6,
  };
}

test.each<[string, Partial<Usage>, least: number, most: number]>([
  ['prod without uploads', { uploadsPerDay: 0 }, 26, 37],
  ['100 teams with 200 uploads a day', {}, 43, 49],
  ['500 teams with 7 uploads a minute', { teams: 500, uploadsPerDay: 7 * 1440 }, 2020, 2110],
])('%s: every line is what the list prices give, and so is the total', (_, change, least, most) => {
  const month = { ...usage, ...change };
  const lines = estimateCost(month, prod);
  const expected = recompute((month.teams * month.uploadsPerDay * 365.25) / 12, month.teams);
  expect(lines.map(({ of }) => of)).toEqual(Object.keys(expected));
  for (const { of, dollars } of lines)
    expect({ of, dollars }).toEqual({ of, dollars: expect.closeTo(expected[of] as number, 3) });
  expect(total(lines)).toBeGreaterThan(least);
  expect(total(lines)).toBeLessThan(most);
});

test('the fixed costs are those of the template of prod', () => {
  expect(countFixedCosts({ stage: 'prod' })).toEqual(prod);
});

test('a public log adds what its readers ask for, and a private one does not', () => {
  const off = countFixedCosts({ stage: 'prod', tlogPublic: false });
  expect(off).toEqual({ ...prod, distributions: 0 });
  const lines = estimateCost({ ...usage, teams: 500 }, prod);
  const added = lines.filter(({ of }) => of === 'public log, readers');
  expect(added).toHaveLength(1);
  expect(estimateCost({ ...usage, teams: 500 }, off)).toEqual(lines.filter((line) => line !== added[0]));
});

test('analytics adds its metrics, alarms and lines, from list prices', () => {
  const on = countFixedCosts({ stage: 'prod', analytics: true });
  expect(on).toEqual({ ...prod, indexers: 1, idleMetrics: 9, alarmMetrics: prod.alarmMetrics + 4 });
  const uploads = 500 * 1440 * (365.25 / 12);
  const lines = estimateCost({ ...usage, teams: 500, uploadsPerDay: 1440 }, on);
  const added = lines.filter(({ of }) => of.startsWith('analytics, '));
  // Four streams with a batch a minute each, which is 0.2 s of 2.94 GB; two files of each; 1.5 ms and 223 bytes a row.
  const batches = (4 * (365.25 / 12) * 86_400) / 60;
  expect(added.map(({ of, dollars }) => [of, dollars])).toEqual([
    [
      'analytics, indexer',
      expect.closeTo(batches * 0.2e-6 + (batches * 0.2 + uploads * 0.0015) * 2.94 * 0.0000133334, 3),
    ],
    ['analytics, files written', expect.closeTo(2 * batches * (0.005 + 0.0004) * 1e-3, 3)],
    ['analytics, files stored', expect.closeTo(((uploads * 223) / 1024 ** 3) * 0.023, 3)],
  ]);
  expect(total(added) / (uploads / 1e6)).toBeLessThan(0.25);
});

test('KMS charges a dollar for each of the first two rotations of a key', () => {
  const rotations = [1, 12, 13, 24, 25, 37, 60].map((months) => dollarsOf('key rotation', { months }, prod));
  expect(rotations).toEqual([0, 0, 2, 2, 4, 4, 4]);
});

test('every price has its unit', () => {
  const { asOf: _, region, currency, sources, ...services } = prices;
  const all = Object.values(services).flatMap((service) => Object.values<Record<string, unknown>>(service));
  expect(all).toHaveLength(26);
  for (const price of all) {
    expect(price).toEqual({
      dollars: expect.any(Number),
      per: expect.any(Number),
      unit: expect.stringMatching(/^[a-zA-Z]/),
    });
    expect([1, 1000, 10_000, 1_000_000]).toContain(price.per);
  }
  expect([region, currency, sources.length]).toEqual(['us-east-1', 'USD', 10]);
});

describe('what an upload leaves behind', () => {
  const recorded = recordWritten();

  test('its log lines and its response have the assumed sizes', async () => {
    const fixture = await openFixture();
    const team = await fixture.team();
    const dependencies = withLog(fixture.dependencies());
    const serviceName = 'AiLogUpload-prod';
    const { send } = inProcess({ ...dependencies, config: { ...dependencies.config, serviceName } });
    await send(signedUpload(team));
    recorded.clear();
    const { headers, text } = await send(signedUpload(team));
    const gatewayHeaders =
      'HTTP/1.1 200 OK Date: Fri, 14 Nov 2025 09:31:07 GMT Content-Length: 84 Connection: keep-alive x-amz-apigw-id: 0123456789abcde= ' +
      'x-amzn-RequestId: 12345678-1234-1234-1234-123456789012 X-Amzn-Trace-Id: Root=1-12345678-123456789012345678901234;Parent=1234567890123456;Sampled=0;Lineage=1:12345678:0';
    const response = Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
    expect(within(response + gatewayHeaders.length + text.length, assumptions.responseBytes)).toBe(true);

    const gatewayLine = JSON.stringify({
      ...accessLog,
      requestId: '12345678-1234-1234-1234-123456789012',
      extendedRequestId: '0123456789abcde=',
      traceId: '1-12345678-123456789012345678901234',
      requestTime: '1763112667123',
      ip: '203.0.113.255',
      method: 'POST',
      path: '/prod/capi/v2/order/uploadAiLog',
      protocol: 'HTTP/1.1',
      status: '200',
      responseType: '-',
      responseLength: '84',
      responseLatency: '31',
      integrationStatus: '200',
      integrationLatency: '28',
    });
    // CloudWatch adds 26 bytes to each line.
    const logged = recorded.text().length + '12345678-1234-1234-1234-123456789012'.length + gatewayLine.length + 2 * 26;
    expect(within(logged, assumptions.loggedBytes)).toBe(true);
  });
});

test('usage costs grow with use, fixed costs do not', () => {
  const twice = { ...usage, teams: 200 };
  // The sequencer runs every minute, whether there are uploads or not.
  const used = (lines: CostLine[]) =>
    total(lines.filter(({ of }) => !of.startsWith('log, ') && of !== 'log lines' && of !== 'traces'));
  expect(used(estimateCost(twice, nothing))).toBeCloseTo(2 * used(estimateCost(usage, nothing)), 6);
});

describe('the transparency log', () => {
  test('a million uploads cost a write unit of the index each; the head, signatures and runs do not grow with uploads', () => {
    const million = { teams: 1, uploadsPerDay: 1e6 / (365.25 / 12) };
    expect(dollarsOf('log, index', million)).toBeCloseTo(prices.dynamodb.writes.dollars, 6);
    for (const part of ['log, head', 'log, signatures']) expect(dollarsOf(part, million)).toBe(dollarsOf(part));
    expect(dollarsOf('log, signatures')).toBeCloseTo(0.6575, 3);
    expect(dollarsOf('log, sequencer', million) / dollarsOf('log, sequencer')).toBeLessThan(1.05);
  });

  test('few uploads make few batches', () => {
    const few = { teams: 1, uploadsPerDay: 10 };
    expect(dollarsOf('log, signatures', few)).toBeCloseTo((304.375 * prices.kms.asymmetricRequests.dollars) / 1e4, 6);
    expect(dollarsOf('log, files written', few)).toBeLessThan(dollarsOf('log, files written') / 30);
  });

  test('its files are those that an append writes', () => {
    const before = appendEntries(EMPTY_EDGE, entriesOf(1000)).edge;
    const { files } = appendEntries(before, entriesOf(3000));
    // Staged entries and two checkpoints come with the tiles. A small tree has fewer levels than the estimate assumes.
    const written = files.length + 3;
    expect(within(written, filesOf(3000, 1))).toBe(true);
  });

  test('nothing but its stored files costs more with every month', () => {
    const lines = (months: number) =>
      estimateCost({ ...usage, months }, nothing).filter(({ of }) => of.startsWith('log, '));
    const [first, twelfth] = [lines(1), lines(12)];
    const grown = twelfth.filter(({ dollars }, at) => dollars !== first[at]?.dollars).map(({ of }) => of);
    expect(grown).toEqual(['log, files stored']);
    expect(dollarsOf('log, files stored', { months: 12 })).toBeCloseTo(12 * dollarsOf('log, files stored'), 6);
  });

  test.each([
    ['100 teams with 200 uploads a day', { teams: 100, uploadsPerDay: 200 }, 6],
    ['500 teams with 7 uploads a minute', { teams: 500, uploadsPerDay: 7 * 1440 }, 1.5],
  ])('%s: a million uploads stay below their limit', (_name, change, dollars) => {
    const month = { ...usage, ...change };
    expect(logCostPerMillion(month, estimateCost(month, nothing))).toBeLessThanOrEqual(dollars);
  });

  test('a run makes the calls that are assumed', async () => {
    const fixture = await openFixture();
    const log = await openLogFixture(fixture);
    const perMinute = 14;
    const calls = new Map<string, number>();
    const count = (call: string) => void calls.set(call, (calls.get(call) ?? 0) + 1);
    const options = withIntercept(
      { ...log.options, arrivals: arrivalsOf(fixture.db, fixture.names.aiLogs) },
      (call, phase) => {
        if (phase === 'before') count(call);
      },
    );
    const runs = 20;
    for (let run = -20; run < runs; run += 1) {
      await log.upload(perMinute, { receivedAt: log.clock.now() });
      log.clock.advance(60_000);
      if (run === 0) {
        calls.clear();
        fixture.db.middlewareStack.add(
          (next, { commandName }) =>
            (args) => {
              count(`db.${commandName}`);
              return next(args);
            },
          { step: 'initialize' },
        );
      }
      await log.run(run < 0 ? {} : options);
    }
    const each = (...names: string[]) => names.reduce((sum, name) => sum + (calls.get(name) ?? 0), 0) / runs;
    expect(each('db.QueryCommand')).toBe(logAssumptions.queriesPerRun);
    expect(each('heads.claim', 'signer.sign')).toBe(2);
    // Hints are counted apart: they are written every ten minutes.
    const written = each('storage.create', 'storage.replace') - 1 / 10;
    expect(within(written, logAssumptions.filesPerBatch + perMinute / 128)).toBe(true);
    const compared = (logAssumptions.minutesCompared * perMinute) / 256 + 2;
    expect(each('storage.get')).toBeLessThanOrEqual(logAssumptions.getsPerRun + compared);
    const marks = 432 * (Buffer.byteLength('cursorsize') + 9 + 6 + 3);
    expect(Math.ceil((marks + 1000) / 1024)).toBeLessThanOrEqual(logAssumptions.headWriteUnits + 1);
  });

  test('the cost for a million uploads is that of its lines', () => {
    const million: Usage = { ...usage, teams: 1, uploadsPerDay: 1e6 / (365.25 / 12) };
    const lines = estimateCost(million, nothing);
    expect(logCostPerMillion(million, lines)).toBeCloseTo(total(lines.filter(({ of }) => of.startsWith('log, '))), 6);
    expect(logCostPerMillion({ ...million, uploadsPerDay: million.uploadsPerDay / 10 }, lines)).toBeGreaterThan(10);
  });
});

test('a longer log costs more to write, a longer time costs more storage', () => {
  expect(dollarsOf('tables, writes', { logBytes: 100 * 1024 })).toBeGreaterThan(dollarsOf('tables, writes'));
  const kept = dollarsOf('tables, stored and recoverable');
  expect(dollarsOf('tables, stored and recoverable', { months: 12 })).toBeCloseTo(12 * kept, 6);
  expect(dollarsOf('gateway', { months: 12 })).toBe(dollarsOf('gateway'));
});

test.each([1, 4, 10, 50])('a log of %d KB is stored compressed, with the same size each time', (kilobytes) => {
  const bytes = storedBytes(kilobytes * 1024);
  expect(bytes).toBe(storedBytes(kilobytes * 1024));
  expect(bytes).toBeGreaterThan(600);
  expect(bytes).toBeLessThan(700 + kilobytes * 1024 * 0.6);
});

test('the price list has its date and its region', () => {
  expect(prices.asOf).toMatch(/^\d{4}-\d{2}$/);
  expect(prices.region).toBe('us-east-1');
});

const run = (...args: string[]) => runCommand(['ops', 'cost', ...args]);

test('the settings that the peak needs are whole in 80 columns', async () => {
  const args = ['ops', 'cost', '--teams', '500', '--per-minute', '7', '--peak', '20', '--log-kb', '10'];
  const { stdout } = await runCommand(args, { types: [], columns: 80 });
  expect(stdout).toMatch(/ accountConcurrency=2500$/m);
  expect(stdout).toMatch(/ warmThroughput=940$/m);
});

test('ailog ops cost prints a line for each service, and the total', async () => {
  const { exitCode, stdout } = await run('--teams', '20', '--uploads', '50', '-c', 'waf=false');
  expect(exitCode).toBe(0);
  const dollars = [...stdout.matchAll(/ (\d+\.\d\d)$/gm)].map(([, amount]) => Number(amount));
  expect(dollars.length).toBe(23);
  expect(dollars[0]).toBe(0);
  expect(dollars.slice(0, -1).reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(dollars.at(-1) as number, 0);
  expect(stdout).toContain('20 teams, 50 uploads a day each of 10 KB, month 1');
  expect(stdout).toMatch(/^total +20 teams, 50 uploads a day of 10 KB +\d+\.\d\d$/m);
  expect(stdout).toContain(`List prices of ${prices.asOf}, us-east-1`);
});

test('ailog ops cost without options says what it assumes beside the total', async () => {
  expect((await run()).stdout).toMatch(/^total +100 teams, 200 uploads a day of 10 KB +\d+\.\d\d$/m);
});

test('--json prints the use, the lines and the total', async () => {
  const { stdout } = await run('--json', '--months', '12', '-c', 'waf=false', '-c', 'stage=dev');
  const { lines, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({
    ...usage,
    months: 12,
    region: 'us-east-1',
    pricesOf: prices.asOf,
    total: total(lines),
    logPerMillion: expect.any(Number),
  });
  expect(lines[0]).toEqual({ of: 'firewall', amount: '0 with 0 rules', dollars: 0 });
});

test('--per-minute and --peak add the limits of the busiest minute', async () => {
  const args = ['--teams', '20', '--per-minute', '0.5', '--peak', '60', '--teams-per-ip', '30', '-c', 'waf=false'];
  const { stdout } = await run(...args);
  expect(stdout).toContain('20 teams, 0.5 uploads a minute each of 10 KB');
  expect(stdout).toContain('The busiest minute: 10 uploads per second, 0.5 of one team');
  // Thirty teams to an address, but there are only twenty.
  expect(stdout).toMatch(/^quota: one IP address, uploads per window +100 +1,000 +10 % +429$/m);
  expect(stdout).not.toContain('firewall:');
  expect(stdout).toMatch(/^gateway: the account, requests\/s +10 +10,000 /m);
  const small = await run(...args, '--region', 'eu-south-1');
  expect(small.stdout).toMatch(/^gateway: the account, requests\/s +10 +2,500 /m);
  const { capacity, uploadsPerDay } = JSON.parse((await run('--json', ...args)).stdout);
  expect([uploadsPerDay, capacity.uploadsPerSecond]).toEqual([720, 10]);
  expect(capacity.lines).toContainEqual({
    limitOf: 'gateway: the stage, requests/s',
    need: 10,
    limit: 2500,
    share: 0.004,
    above: 429,
  });
});

test.each([
  [['--teams', '0'], "Option '--teams <n>' argument '0' is invalid. It must be a number above 0, at most 1000000000."],
  [
    ['--teams', 'many'],
    "Option '--teams <n>' argument 'many' is invalid. It must be a number above 0, at most 1000000000.",
  ],
  [['--teams', '1000000001'], "argument '1000000001' is invalid. It must be a number above 0, at most 1000000000."],
  [['-c', 'stage'], 'A setting is NAME=VALUE, such as waf=false.'],
  [['-c', 'stage=X'], 'Setting stage is "X": it must be'],
  [['--peak', '0.5'], "Option '--peak <n>' argument '0.5' is invalid. It must be at least 1."],
  [['--teams-per-ip', '5'], '--teams-per-ip belongs to --peak N.'],
  [['--region', 'eu-south-1'], '--region belongs to --peak N.'],
  [['--region', 'Milan', '--peak', '2'], 'It must be the name of a region, such as eu-south-1.'],
  [['--uploads', '5', '--per-minute', '5'], "'--per-minute <n>' cannot be used with"],
  [['--users', '5'], "Unknown option '--users'"],
])('%j is rejected in a sentence', async (args, sentence) => {
  const { exitCode, stderr } = await run(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('    at ');
});
