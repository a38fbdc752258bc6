import { expect, test } from 'vitest';
import { composeEntry, itemBytes } from '../../../../functions/ailog/entry.ts';
import { arrivalKeys } from '../../../../functions/tlog/arrival.ts';
import { logOf } from '../../../bench/handler.ts';
import { runCommand } from '../../../setup/commandLine.ts';

type Line = Record<'need' | 'limit' | 'share' | 'above', number> & { limitOf: string; action?: string };
type Capacity = Record<'uploadsPerSecond' | 'coldStarts' | 'unitsPerUpload', number> & {
  lines: Line[];
  problems: string[];
};

const run = (...args: string[]) => runCommand(['ops', 'capacity', ...args]);

/** 500 teams that upload seven logs a minute, and twenty times as many in the opening minute. */
const demand = { teams: 500, 'per-minute': 7, peak: 20 };

/** Runs the command with changes of its options, and with settings. */
async function estimate(change: Record<string, number | string> = {}, settings: Record<string, string> = {}) {
  const options = Object.entries({ ...demand, ...change }).map(([name, value]) => [`--${name}`, String(value)]);
  const context = Object.entries(settings).map(([name, value]) => ['-c', `${name}=${value}`]);
  const { stdout, stderr } = await run('--json', ...options.flat(), ...context.flat());
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Capacity;
}
const lineOf = ({ lines }: Capacity, start: string) => {
  const found = lines.filter(({ limitOf }) => limitOf.startsWith(start));
  expect(found).toHaveLength(1);
  return found[0] as Line;
};
const toDo = ({ lines }: Capacity) => lines.flatMap(({ limitOf, action }) => (action ? [[limitOf, action]] : []));

test('the busiest minute has 1167 uploads per second, all of them cold at first', async () => {
  const capacity = await estimate();
  expect(capacity.uploadsPerSecond).toBeCloseTo((500 * 7 * 20) / 60, 9);
  expect(capacity).toMatchObject({ coldStarts: 1167, unitsPerUpload: 8 });
  expect(lineOf(capacity, 'function: executions')).toMatchObject({ need: 1167, limit: 1000, above: 503 });
  // Fewer teams at the same moment start as many environments.
  expect((await estimate({ teams: 5, peak: 2000 })).coldStarts).toBe(1167);
});

test.each([1.5, 10, 100])('the entry of a log of %d KB takes the write units that are assumed', async (logKb) => {
  const rawBody = Buffer.from(logOf(logKb * 1024));
  const entry = composeEntry(JSON.parse(rawBody.toString()), {
    uid: '1001',
    accessKey: `ailog_${'0'.repeat(32)}`,
    timestamp: '1763103201300',
    signature: 'A'.repeat(44),
    receivedAt: 1_763_103_201_300,
    locale: 'en-US',
    sourceIp: '203.0.113.255',
    rawBody,
  });
  // In addition, an upload takes two counters and a row in each of two indexes.
  const units = Math.ceil(itemBytes({ ...entry, ...arrivalKeys(entry) }) / 1024);
  expect((await estimate({ 'log-kb': logKb })).unitsPerUpload).toBe(units + 4);
});

test('a partition takes the units of its key only: those of a team, an address, an eighth of a minute', async () => {
  const capacity = await estimate({ 'teams-per-ip': 10 });
  const needOf = (start: string) => lineOf(capacity, `partition: ${start}`).need;
  expect(needOf('entries of one UID, units')).toBeCloseTo((140 / 60) * 4, 9);
  expect(needOf('counter of one IP address')).toBeCloseTo(1400 / 60, 9);
  expect(needOf('index by arrival, one')).toBeCloseTo(70_000 / 60 / 8, 9);
  // Thirty teams to an address, but there are only twenty.
  const together = await estimate({ teams: 20, 'teams-per-ip': 30 });
  expect(lineOf(together, 'quota: one IP').need).toBeCloseTo((20 * 1400) / 60, 9);
});

test.each<[start: string, settings: Record<string, string>, limit: number]>([
  ['function: executions', { accountConcurrency: '5000' }, 5000],
  ['function: executions', { reservedConcurrency: '899' }, 899],
  ['new table AiLogs', {}, 4000],
  ['new table AiLogs', { warmThroughput: '2000' }, 10_000],
  ['new table Weights', { warmThroughput: '2400' }, 4800],
  ['gateway: the stage', { apiRateLimit: '9000' }, 9000],
  ['quota: one UID', { uidQuota: '70' }, 70],
  ['quota: one IP', { ipQuota: '80' }, 80],
])('the limit of %s follows the settings %j', async (start, settings, limit) => {
  expect(lineOf(await estimate({}, settings), start).limit).toBe(limit);
});

test('a stage without a firewall has no line of it', async () => {
  expect((await estimate({}, { waf: 'false' })).lines).toHaveLength((await estimate()).lines.length - 1);
});

test('only a need above half of its limit has something to do', async () => {
  for (const { share, action, limitOf } of (await estimate({ 'log-kb': 100 })).lines) {
    expect([limitOf, action !== undefined]).toEqual([limitOf, share > (limitOf.startsWith('new table') ? 1 : 0.5)]);
  }
  expect(toDo(await estimate({ teams: 10 }))).toEqual([]);
});

test.each([{ 'log-kb': 10 }, { 'log-kb': 100 }, { peak: 60 }])(
  '%j: the settings that it suggests hold together, then it suggests none',
  async (change) => {
    const suggested = toDo(await estimate(change)).flatMap(([, action = '']) =>
      [...action.matchAll(/(\w+)=(\d+)/g)].map(([, name = '', value = '']) => [name, value]),
    );
    expect(suggested.length).toBeGreaterThan(1);
    const after = toDo(await estimate(change, Object.fromEntries(suggested))).map(([limitOf]) => limitOf);
    // AWS must raise the others, or cannot.
    const quotas = /^(AiLogs and its|gateway: one burst|KMS)/;
    expect(after.filter((limitOf = '') => !quotas.test(limitOf))).toEqual(['function: started at once']);
  },
);

test('uploads that come in one second count once in a minute and in a window', async () => {
  const demand = { 'per-minute': 1, peak: 7, 'teams-per-ip': 50 };
  const options = Object.entries({ teams: 500, ...demand }).map(([name, value]) => [`--${name}`, String(value)]);
  const capacity: Capacity = JSON.parse((await run('--json', '--in-one-second', ...options.flat())).stdout);
  const needs = ['gateway: the stage', 'firewall', 'quota: one UID', 'quota: one IP', 'partition: counter'];
  expect(needs.map((start) => lineOf(capacity, start).need)).toEqual([3500, 350, 7, 350, 350]);
  expect(lineOf(await estimate(demand), 'firewall').need).toBe(350);
});

test('a quota that a team fills is not suggested: nobody would go in circles', async () => {
  const change = { teams: 2000, 'per-minute': 10, 'log-kb': 300 };
  const wholeQuota = lineOf(await estimate(change, { uidQuota: '67' }), 'partition: entries of one UID, its whole');
  expect(wholeQuota.action).toBe('smaller logs, or fewer in a second');
});

test('of settings that it suggests and that need others, it says which', async () => {
  const together = { 'per-minute': 1, peak: 420, 'teams-per-ip': 50 };
  const { problems } = await estimate(together);
  expect(problems).toEqual(['Setting ipQuota is "7000": it must be an integer from 1 to 5000.']);
  const { stdout } = await run('--teams', '500', '--per-minute', '1', '--peak', '420', '--teams-per-ip', '50');
  expect(stdout).toContain('\nThese settings do not go together:\nSetting ipQuota is "7000":');
});

test('some regions take a quarter at the gateway, and their bursts cannot be raised', async () => {
  const linesIn = async (region: string, settings = {}) =>
    (await estimate({ region }, settings)).lines
      .filter(({ limitOf }) => /the account|burst/.test(limitOf))
      .map(({ limit, action }) => [limit, action]);
  const usual = [10_000, undefined];
  const cannot = 'cannot be raised: spread the uploads, or choose a region with larger bursts';
  expect(await linesIn('us-east-1')).toEqual([usual, [5000, undefined]]);
  expect(await linesIn('eu-south-1')).toEqual([
    [2500, undefined],
    [1250, cannot],
  ]);
});

test('far above every limit, each line says what to do', async () => {
  const tooMany = 'more than warmThroughput can be: spread the uploads, or send smaller logs';
  expect(toDo(await estimate({ teams: 5000, 'per-minute': 60, peak: 60, 'teams-per-ip': 50 }))).toEqual([
    ['firewall: one IP address, requests/min', 'ipQuota=60000'],
    ['gateway: the stage, requests/s', 'apiRateLimit=600000'],
    ['gateway: the account, requests/s', 'request the quota "Throttle rate": 600000'],
    ['gateway: one burst, requests', 'cannot be raised: spread the uploads, or choose a region with larger bursts'],
    ['function: executions, all cold', 'request the quota L-B99A9384: 600000, then accountConcurrency=600000'],
    ['function: started at once', 'cannot be raised: let teams upload in the minute before'],
    ['KMS: decryptions/s, all cold', 'request the quota "Cryptographic operations (symmetric)"'],
    ['new table Weights: write units/s', tooMany],
    ['new table AiLogs: write units/s', tooMany],
    ['AiLogs and its indexes: write units/s', 'request the quota "Table-level write throughput limit": 3600000'],
    ['partition: counter of one IP address, units/s', 'ask teams for addresses of their own'],
    ['partition: index by arrival, one of 8 shards, units/s', 'more SHARDS in functions/tlog/arrival.ts'],
    ['quota: one UID, uploads per window', 'uidQuota=1200'],
    ['quota: one IP address, uploads per window', 'ipQuota=60000'],
  ]);
  const large = { 'per-minute': 6000, 'log-kb': 100 };
  const ofOneTeam = toDo(await estimate(large, { reservedConcurrency: '50' }));
  expect(ofOneTeam.filter(([limitOf = '']) => /entries of one UID|all cold/.test(limitOf))).toEqual([
    ['function: executions, all cold', expect.stringMatching(/=2000000, and leave reservedConcurrency unset$/)],
    ['KMS: decryptions/s, all cold', 'request the quota "Cryptographic operations (symmetric)"'],
    ['partition: entries of one UID, units/s', 'smaller logs, or fewer in a second'],
    ['partition: entries of one UID, its whole quota, units/s', 'smaller logs, or fewer in a second'],
  ]);
});

test('the table has a line for each limit, and the load', async () => {
  const { stdout } = await run('--teams', '20', '--per-minute', '0.5', '--peak', '60', '-c', 'waf=false');
  expect(stdout).toContain('The busiest minute: 10 uploads per second, 8 write units each.');
  expect(stdout).toMatch(/^gateway: the stage, requests\/s +10 +2,500 +0.4 % +429$/m);
});

test('the settings that it suggests are whole in 80 columns', async () => {
  const args = ['ops', 'capacity', '--teams', '500', '--per-minute', '7', '--peak', '20'];
  const { stdout } = await runCommand(args, { types: [], columns: 80 });
  expect(stdout).toMatch(/ accountConcurrency=2400$/m);
  expect(stdout).toMatch(/ warmThroughput=940$/m);
});

test.each([
  [['--teams', '0'], 'It must be a whole number of at least 1.'],
  [['--log-kb', '1025'], 'It must be a number above 0, at most 1024.'],
  [['--per-minute', 'many'], 'It must be a number above 0, at most 1000000000.'],
  [['--peak', '0.5'], 'It must be a whole number of at least 1.'],
  [['--region', 'Milan'], 'It must be the name of a region, such as eu-south-1.'],
  [['-c', 'stage'], 'A setting is NAME=VALUE, such as waf=false.'],
  [['-c', 'stage=X', '-c', 'waf=no'], '\nSetting waf is "no": it must be true or false.\n'],
])('%j is rejected in a sentence', async (args, sentence) => {
  const { exitCode, stderr } = await run('--teams', '500', '--per-minute', '7', '--peak', '20', ...args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(sentence);
});
