import { describe, expect, test } from 'vitest';
import type { CostLine } from '../../../cli/cost/costLine.ts';
import { estimateCost, type FixedCosts, logCostPerMillion, type Usage } from '../../../cli/cost/estimateCost.ts';
import { filesOf } from '../../../cli/cost/estimateLogCost.ts';
import prices from '../../../cli/cost/prices.json' with { type: 'json' };
import { storedBytes } from '../../../cli/cost/storedBytes.ts';
import { appendEntries, EMPTY_EDGE } from '../../../functions/c2sp/rightEdge.ts';
import { entriesOf } from '../../c2sp/trees.ts';
import { runCommand } from '../../setup/commandLine.ts';

const usage: Usage = { teams: 100, uploadsPerDay: 200, logBytes: 10 * 1024, months: 1 };
const nothing: FixedCosts = { keys: 0, alarmMetrics: 0, metrics: 0, dashboards: 0, firewalls: 0, firewallRules: 0 };
const total = (lines: CostLine[]) => lines.reduce((sum, { dollars }) => sum + dollars, 0);
const dollarsOf = (name: string, change: Partial<Usage> = {}, fixedCosts = nothing) =>
  estimateCost({ ...usage, ...change }, fixedCosts).find(({ of }) => of === name)?.dollars ?? Number.NaN;

test('usage costs grow with use, fixed costs do not', () => {
  const twice = { ...usage, teams: 200 };
  // The sequencer runs every minute, whether there are uploads or not.
  const used = (lines: CostLine[]) => total(lines.filter(({ of }) => !of.startsWith('log, ')));
  expect(used(estimateCost(twice, nothing))).toBeCloseTo(2 * used(estimateCost(usage, nothing)), 6);
  const fixedCosts = { keys: 1, alarmMetrics: 30, metrics: 20, dashboards: 1, firewalls: 0, firewallRules: 0 };
  const fixed = total(estimateCost(usage, fixedCosts)) - total(estimateCost(usage, nothing));
  expect(fixed).toBeCloseTo(1 + 30 * 0.1 + 20 * 0.3 + 3, 6);
});

test('a million requests cost the list price of the gateway and of read units', () => {
  const million = { teams: 1, uploadsPerDay: 1e6 / (365.25 / 12) };
  expect(dollarsOf('gateway', million)).toBeCloseTo(prices.gateway.millionRequests, 6);
  expect(dollarsOf('tables, reads', million)).toBeCloseTo(2 * prices.dynamodb.millionReadUnits, 6);
  const units = 2 + Math.ceil(storedBytes(usage.logBytes) / 1024) + 1;
  expect(dollarsOf('tables, writes', million)).toBeCloseTo(units * prices.dynamodb.millionWriteUnits, 6);
});

describe('the transparency log', () => {
  test('a million uploads cost a write unit of the index each; the head, signatures and runs do not grow with uploads', () => {
    const million = { teams: 1, uploadsPerDay: 1e6 / (365.25 / 12) };
    expect(dollarsOf('log, index', million)).toBeCloseTo(prices.dynamodb.millionWriteUnits, 6);
    for (const part of ['log, head', 'log, signatures']) expect(dollarsOf(part, million)).toBe(dollarsOf(part));
    expect(dollarsOf('log, signatures')).toBeCloseTo(0.6575, 3);
    expect(dollarsOf('log, sequencer', million) / dollarsOf('log, sequencer')).toBeLessThan(1.02);
  });

  test('few uploads make few batches', () => {
    const few = { teams: 1, uploadsPerDay: 10 };
    expect(dollarsOf('log, signatures', few)).toBeCloseTo(
      (304.375 * prices.kms.tenThousandAsymmetricRequests) / 1e4,
      6,
    );
    expect(dollarsOf('log, files written', few)).toBeLessThan(dollarsOf('log, files written') / 100);
  });

  test('its files are those that an append writes', () => {
    const before = appendEntries(EMPTY_EDGE, entriesOf(1000)).edge;
    const { files } = appendEntries(before, entriesOf(3000));
    // Staged entries and two checkpoints come with the tiles. A small tree has fewer levels than the estimate assumes.
    const written = files.length + 3;
    expect(filesOf(3000, 1)).toBeGreaterThanOrEqual(written);
    expect(filesOf(3000, 1)).toBeLessThan(written * 1.15);
  });

  test('the daily reconciliation reads all that is stored, so it costs more with every month', () => {
    const [first, twelfth] = [dollarsOf('log, reconciliation'), dollarsOf('log, reconciliation', { months: 12 })];
    expect(twelfth).toBeGreaterThan(6 * first);
    expect(dollarsOf('log, files stored', { months: 12 })).toBeCloseTo(12 * dollarsOf('log, files stored'), 6);
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

test('ailog ops cost prints a line for each service, and the total', async () => {
  const { exitCode, stdout } = await run('--teams', '20', '--uploads', '50', '-c', 'waf=false');
  expect(exitCode).toBe(0);
  const dollars = [...stdout.matchAll(/ (\d+\.\d\d)$/gm)].map(([, amount]) => Number(amount));
  expect(dollars.length).toBe(19);
  expect(dollars[0]).toBe(0);
  expect(dollars.slice(0, -1).reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(dollars.at(-1) as number, 0);
  expect(stdout).toContain('20 teams, 50 uploads a day each of 10 KB, month 1');
  expect(stdout).toContain(`List prices of ${prices.asOf}, us-east-1`);
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
  [['--uploads', '5', '--per-minute', '5'], "'--per-minute <n>' cannot be used with"],
  [['--users', '5'], "Unknown option '--users'"],
])('%j is rejected in a sentence', async (args, sentence) => {
  const { exitCode, stderr } = await run(...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('    at ');
});
