import { zstdCompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { type Reason, reasons } from '../../../../cli/review/figures/reasons.ts';
import type { Copied } from '../../../../cli/review/figures/teamParagraph.ts';
import { HOUR_MS, localWorld, MINUTE_MS, says, type Team } from '../../../setup/world.ts';

const T0 = Date.parse('2025-11-14T23:00:00Z');
const BIG = 590480926522704171n;

const local = await localWorld();
const alpha = await local.team();
const beta = await local.team();
const idle = await local.team({ status: 'suspended' });
await local.ailog(['allowlist', 'add', alpha.uid, '--team', '=Alpha']);
// Teams that were removed. The one that has orders is reported.
for (const uid of ['404', '777', '1001234567']) await local.allowlist.put({ uid, team: 'Gone', status: 'removed' });
const first = { orderId: BIG, stage: 'Decision', model: 'GPT-5', input: { id: 1 }, output: { r: 1 } };
// biome-ignore format: one entry a line
for (const [minutes, change] of [
  [0, {}],                                        // complete
  [1, {}],                                        // the same body
  [2, { explanation: 'in other words' }],         // the same input and output
  [90, { orderId: 0, input: { id: 2 } }],          // no order, and a day later
  [91, { model: 'Claude', input: { id: 3 } }],     // no version
  [92, { output: {}, stage: 'Review' }],          // empty output
] as const) {
  await local.uploadAt(alpha, T0 + minutes * MINUTE_MS, { ...first, ...change });
}
await local.uploadAt(beta, T0 + 65_000, { ...first, orderId: BIG + 2n });
const orders = local.file(
  'orders.csv',
  `Order ID;UID;Symbol;Create Time
${BIG};${alpha.uid};BTCUSDT;2025-11-14 22:59:30
${BIG + 1n};${alpha.uid};BTCUSDT;1763166720000
${BIG + 2n};${alpha.uid};"BTC;USDT";2025-11-14T23:00:00Z
${BIG + 2n};${alpha.uid};"BTC;USDT";2025-11-14T23:00:00Z
7;404;ETHUSDT;2025-11-14T23:00:00+00:00
`,
);

await local.ailog(['data', 'sync']);

const report = (...args: string[]) => local.ailog(['report', '--no-sync', ...args]);
const described = async (...args: string[]) => JSON.parse((await report('--json', ...args)).stdout);
const csvRows = async (...args: string[]): Promise<Record<string, string>[]> =>
  parse((await report('--csv', ...args)).stdout, { columns: true });
const cells = (table: string) =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
const teamOf = <One extends { uid: string }>(teams: readonly One[], uid: string) =>
  teams.find((team) => team.uid === uid) as One;

const explanations = (...names: Reason[]) =>
  `What else can explain them:\n${names.map((name) => `  ${name}: ${reasons[name].innocent}\n`).join('')}`;

const rulesWith = (time: string) =>
  `Rules that the organisers announced (--rules): none. Others, which make questions only: log-for-each-order, log-within ${time}, child-gap 10m, different-logs, complete-logs.\n`;

describe('ailog report', () => {
  test('counts the uploads of a team', async () => {
    const { stdout, stderr } = await report('--json', '--uid', alpha.uid);
    expect(stderr).toBe('');
    const { period, teams, contestedOrders } = JSON.parse(stdout);
    expect(period).toEqual({ from: '2025-11-14T23:00:00.000Z', until: '2025-11-15T00:32:00.001Z' });
    expect(contestedOrders).toEqual([]);
    const silence = { from: expect.any(String), until: expect.any(String), orders: 0 };
    const none = [
      ...['factOrders', 'templates', 'copies', 'copiesBack', 'sameTime', 'follows', 'shared', 'hiddenCharacters'],
      ...['cutTexts', 'foreignOrders', 'saysNothing', 'contestedOrders'],
    ];
    expect(teams).toEqual([
      {
        ...Object.fromEntries(none.map((name) => [name, 0])),
        ...{ uid: alpha.uid, team: '=Alpha', status: 'approved', lookAt: ['repeats'], facts: [], entries: 6 },
        ...{ first: '2025-11-14T23:00:00.000Z', last: '2025-11-15T00:32:00.000Z', tlog: null, verdicts: null },
        ...{ perDay: { '2025-11-14': 3, '2025-11-15': 3 }, models: { 'GPT-5': 5, Claude: 1 } },
        ...{ stages: { Decision: 5, Review: 1 }, withOrder: 5, withOrderPercent: 83.3, namedOrders: 1 },
        ...{ complete: 3, missing: { modelVersion: 1, data: 1, order: 1, versionOrData: 2 }, shortTexts: 6 },
        silences: [88, 1, 1, 1, 1, 0].map((minutes) => ({ ...silence, seconds: minutes * 60 })),
        ...{ ownRepeats: 4, copiesOf: null, followsOf: null },
      },
    ]);
  });

  test('gives the delay of each order, its nearest logs, and other teams that name it', async () => {
    const { teams, contestedOrders } = await described('--orders', orders);
    const ofAlpha = teamOf(teams, alpha.uid) as never as Record<string, unknown>;
    expect(teamOf(teams, '404')).toMatchObject({
      ...{ status: 'removed', entries: 0, lookAt: ['no entries'], facts: ['no entries'] },
      ...{ factOrders: 1, ordersWithoutLog: 1 },
    });
    expect(ofAlpha).toMatchObject({
      ...{ orders: 3, ordersWithLog: 1, coveragePercent: 33.3, ordersOnlyNear: 2, ordersWithoutLog: 0 },
      ...{ ordersOnlyOthers: 1, late: 0, early: 0, medianDelaySeconds: 30, p95DelaySeconds: 30 },
      lookAt: ['few named', 'repeats'],
    });
    const log = (signed: string) => ({ entryId: expect.any(String), signed });
    const none = {
      ...{ trade: null, logSays: null, timing: 'not named', delaySeconds: null },
      ...{ log: null, logBefore: null, logAfter: null },
    };
    const order = { uid: alpha.uid, symbol: 'BTCUSDT', side: null, size: null, price: null, parentOrder: null };
    expect(ofAlpha.orderList).toEqual([
      {
        ...{ ...order, ...none, orderId: String(BIG), placed: '2025-11-14T22:59:30.000Z', namedByOthers: [] },
        ...{ timing: 'in time', trade: 'same', delaySeconds: 30, log: log('2025-11-14T23:00:00.000Z') },
      },
      {
        ...{ ...order, ...none, orderId: String(BIG + 2n), placed: '2025-11-14T23:00:00.000Z', symbol: 'BTC;USDT' },
        ...{ logAfter: log('2025-11-14T23:00:00.000Z'), namedByOthers: [beta.uid] },
      },
      {
        ...{ ...order, ...none, orderId: String(BIG + 1n), placed: '2025-11-15T00:32:00.000Z', namedByOthers: [] },
        ...{ logBefore: log('2025-11-15T00:31:00.000Z'), logAfter: log('2025-11-15T00:32:00.000Z') },
      },
    ]);
    expect(contestedOrders).toEqual([
      {
        orderId: String(BIG + 2n),
        placedBy: alpha.uid,
        claims: [
          { uid: beta.uid, logs: 1, firstEntryId: expect.any(String), firstReceived: '2025-11-14T23:01:05.000Z' },
        ],
      },
    ]);
  });

  test('prints the reasons first, teams with facts on top, then those with questions, and no list of orders', async () => {
    const { stdout, stderr } = await report('--orders', orders, '--within', '20s');
    // In 80 columns, with a UID of four digits.
    expect(Math.max(...stdout.split('\n').map((line) => line.length)) - alpha.uid.length).toBeLessThanOrEqual(76);
    expect(cells(stdout)).toEqual([
      ['uid', 'team', 'look at', 'entries', 'orders', 'covered', 'silence'],
      ['404', 'Gone', 'no entries', '0', '1', '0 %', '1 d 1 h'],
      [beta.uid, "others' orders", '1', '0', '–', '–'],
      [alpha.uid, '=Alpha', 'late?, few named?,', '6', '3', '33.3 %', '30 s'],
      ['repeats?'],
    ]);
    expect(stderr).toBe(`Read 4 orders from ${orders}: UID from UID, order id from Order ID, time from Create Time.
Times without a time zone were read as UTC, assumed. --time-zone changes that.
Merged lines that repeat another line exactly: 1.
Orders: 4, with an AI log: 1, covered: 25 %.
Orders beside what their logs say: 1 of 1 compared, 0 of another trade.
Orders named by several teams: 1.
Logs that are too short to be compared with those of other teams: 7.
${explanations('no entries', 'late', 'few named', 'repeats', "others' orders")}Teams without orders and logs, which are not shown: 1.
Teams to look at: 3 of 4. --uid shows the orders and details of a team, --wide all figures.
Period, the days of the orders: 2025-11-14T00:00:00Z to 2025-11-16T00:00:00Z.
${rulesWith('20s')}`);
  });

  test('--wide prints all figures, and --uid the orders to look at', async () => {
    const { stdout } = await report('--wide', '--orders', orders, '--within', '20s', '--uid', alpha.uid);
    const [teams = '', ...details] = stdout.split('\n\n');
    expect(cells(teams).map((line) => line.join(' | '))).toEqual([
      "uid | look at | verdicts | team | status | entries | orders | covered | child orders | no log near | median | p95 | late | early | silence | repeats | templates | copies | others' orders | complete",
      `${alpha.uid} | late?, few named?, repeats? | – | =Alpha | approved | 6 | 3 | 33.3 % | 0 | 0 | 30 s | 30 s | 1 | 0 | 30 s | 4 | 0 | 0 | 0 | 3`,
    ]);
    const [toLookAt = '', contested = '', said] = details.slice(-3);
    expect(cells(toLookAt).map((line) => line.slice(0, 6))).toEqual([
      ['uid', 'order', 'placed', 'timing', 'delay', 'named by others'],
      [alpha.uid, String(BIG), '2025-11-14T22:59:30Z', 'late', '30 s', '–'],
      [alpha.uid, String(BIG + 2n), '2025-11-14T23:00:00Z', 'not named', '–', beta.uid],
      [alpha.uid, String(BIG + 1n), '2025-11-15T00:32:00Z', 'not named', '–', '–'],
    ]);
    expect(cells(contested)).toEqual([
      ['order named by several teams', 'placed by', 'named by'],
      [String(BIG + 2n), alpha.uid, expect.stringContaining(`${beta.uid} (`)],
    ]);
    expect(said).toBe(
      `From 2025-11-14T00:00:00Z until 2025-11-16T00:00:00Z, team ${alpha.uid} (=Alpha) uploaded 6 AI logs and placed 3 orders. AI logs name 1 of the orders (33.3 % of those that need one); 0 follow an order that is named; 2 have a log near them that does not name them; 0 have none. Questions, which figures alone do not answer: late, few named, repeats.\n`,
    );
  });

  test('--uid says whom the team copies, and what it is told, with the rule that was announced', async () => {
    const rules = local.file('rules.json', '{"log-within": "20s"}');
    const { stdout } = await report('--orders', orders, '--rules', rules, '--uid', beta.uid, '--uid', alpha.uid);
    const { teams } = await described('--orders', orders, '--rules', rules, '--uid', beta.uid, '--uid', alpha.uid);
    const [copy] = (teamOf(teams, beta.uid) as never as { copied: Copied[] }).copied;
    expect(copy).toMatchObject({ uid: beta.uid, of: alpha.uid, logs: 1 });
    expect(stdout).toContain(`${beta.uid}  ${alpha.uid}`);
    expect(stdout).toContain(
      'Fact: late (more than 5 % of the logged orders are late), against the announced rule log-within (20s): The log of an order comes within this time.',
    );
    expect(stdout).toContain(
      `The team repeats 1 log of team ${alpha.uid} that the service had received before: the first is ${copy?.first}, after ${copy?.original}.`,
    );
  });

  test('groups child orders, says how many, and takes another gap', async () => {
    const lines = [BIG, ...[1n, 2n, 3n].map((n) => BIG + 100n + n)].map(
      (id, n) => `${alpha.uid},${id},${new Date(T0 + n * 5 * MINUTE_MS).toISOString()},BTC,buy\n`,
    );
    const sliced = local.file('sliced.csv', `uid,orderId,time,symbol,side\n${lines.join('')}`);
    const { stderr } = await report('--orders', sliced, '--uid', alpha.uid);
    expect(stderr).toMatch(/with an AI log: 1, covered: 100 %\.\n(.*\n)?Grouped: 3 child orders of 1\. /);
    const apart = await report('--orders', sliced, '--uid', alpha.uid, '--child-gap', '4m');
    expect(apart.stderr).toMatch(/with an AI log: 1, covered: 25 %\.\n(?!(.*\n)?Grouped: )/);
    const rows = await csvRows('--lines', 'order', '--orders', sliced, '--uid', alpha.uid);
    expect(rows.map(({ timing, parentOrder }) => [timing, parentOrder])).toEqual([
      ['in time', ''],
      ...Array(3).fill(['child order', `'${BIG}`]),
    ]);
  });

  test('says that order times look like those of another time zone', async () => {
    // The logs name no order of the list, but come after them.
    const times = [0, 65_000, 1, 2].map((ms) => new Date(T0 - 20_000 + 8 * HOUR_MS + ms).toISOString());
    const lines = times.map((time, n) => `${n === 1 ? beta.uid : alpha.uid},${BIG + 300n + BigInt(n)},${time}\n`);
    const unnamed = local.file('unnamed.csv', `uid,orderId,time\n${lines.join('')}`);
    expect((await report('--orders', unnamed, '--since', '2025-11-13')).stderr).toContain(
      'Probably a wrong time zone: the logs of 2 of 2 teams come about 8 h before their orders. Try --time-zone with 8 h more.',
    );
  });

  test('orders of UIDs that no team has are counted, and accuse nobody', async () => {
    const list = (lines: string) => local.file('strange.csv', `uid,orderId,time\n${lines}`);
    const day = `405,${BIG + 2n},2025-12-24T00:00:00Z\n`;
    const { stdout, stderr } = await report(
      '--json',
      '--orders',
      list(`${alpha.uid},${BIG},2025-11-14T22:59:30Z\n${day}`),
    );
    const { teams, period } = JSON.parse(stdout);
    expect(teams.map(({ uid }: { uid: string }) => uid).toSorted()).toEqual(
      [alpha, beta, idle].map(({ uid }) => uid).toSorted(),
    );
    // A log of the team names the order.
    expect(teamOf(teams, beta.uid)).toMatchObject({ orders: 0, foreignOrders: 0 });
    expect(period.until).toBe('2025-11-15T00:00:00.000Z');
    expect(stderr).toContain('Orders of UIDs that no team has, which are not reviewed: 1. UIDs: 405.\n');
    expect(await report('--orders', list(day))).toEqual(
      says(2, expect.stringContaining('No order of the lists that needs a log is of a team.\n')),
    );
    const rounded = list(`${alpha.uid},${BIG},2025-11-14T22:59:30Z\n1001230000,8,2025-11-14T22:59:30Z\n`);
    expect(await report('--orders', rounded)).toEqual(
      says(2, expect.stringContaining('UIDs that look rounded:\n1001230000: a team has 1001234567.\nA spreadsheet')),
    );
  });

  test('tells what is uncertain in a list: states that are not known, and times without seconds', async () => {
    const rows = ['aktiv,0', 'aktiv,0', 'aktiv,1', 'Filled,1'].map(
      (row, n) => `${alpha.uid},${BIG + 70n + BigInt(n)},2025-11-14 22:59,${row}\n`,
    );
    const list = local.file('states.csv', `uid,orderId,time,state,filled\n${rows.join('')}`);
    const { stderr } = await report('--orders', list);
    expect(stderr).toContain(
      'States that are not known: "aktiv" (3).\nOrders in such a state that count: 1.\nOrders in such a state with nothing filled, which need no log: 2. If the state means open, export the list again later.\n',
    );
    expect(stderr).toContain(
      'Times without seconds: 4. Each order may be placed up to a minute later than it says, so a log in time can look late. Spreadsheets cut seconds.\n',
    );
  });

  test('several lists, one of them of one account, count together, and cancelled orders need no log', async () => {
    const id = (n: bigint) => BIG + 50n + n;
    const own = local.file(
      'own.csv',
      `UID: ${alpha.uid}\nOrder No.,Symbol,Qty,Order Time,Status,Filled\n${id(0n)},BTC,2,2025-11-14 22:00:00,Filled,2\n${id(1n)},BTC,9,2025-11-14 22:00:00,Cancelled,0\n`,
    );
    const args = ['--json', '--orders', orders, '--orders', own, '--uid', alpha.uid];
    const { stdout, stderr } = await report(...args);
    expect(JSON.parse(stdout).teams[0]).toMatchObject({ orders: 4, ordersWithLog: 1 });
    expect(stderr).toContain('Orders that ended with nothing filled, which need no log: 1.\n');
    expect(stderr).toContain('UID from --uid, order id from Order No., time from Order Time.\nLines above');
    for (const [uid, second] of [
      [beta.uid, 30],
      [alpha.uid, 31],
    ]) {
      const other = local.file('other.csv', `uid,orderId,time\n${uid},${BIG},2025-11-14T22:59:${second}Z\n`);
      expect(await report('--orders', orders, '--orders', other)).toEqual(
        says(2, expect.stringContaining(`The order lists say different things about the order ${BIG}.\n`)),
      );
    }
  });

  test('reads only what is new the next time, and with --no-sync nothing, and shows the same', async () => {
    const { stdout, stderr } = await local.ailog(['report', '--json', '--orders', orders]);
    expect(stderr).toMatch(/^No new entries in \d+ s\.\n/);
    expect(JSON.parse(stdout)).toEqual(await described('--orders', orders));
  });

  test('counts the orders outside the period, which ends before its last millisecond and keeps a log behind it', async () => {
    const outside = 'Orders outside the period, which are not reviewed:';
    expect((await report('--orders', orders, '--since', '2025-11-14T23:00:00Z')).stderr).toContain(`${outside} 1.\n`);
    const { stdout, stderr } = await report('--json', '--orders', orders, '--until', '2025-11-14T23:00:00Z');
    expect(stderr).toContain(`${outside} 3.\n`);
    expect(teamOf(JSON.parse(stdout).teams, alpha.uid)).toMatchObject({
      ...{ entries: 0, orders: 1, ordersWithLog: 1, medianDelaySeconds: 30, ownRepeats: 0 },
      silences: [{ seconds: 30, until: '2025-11-14T23:00:00.000Z', orders: 1 }],
    });
  });

  test.each([
    [['--since', '2027-01-01'], 'There is no log in the period.\nThe logs are from 2025-11-14T23:00:00Z to '],
    [
      ['--until', '2025-01-01', '--orders', orders],
      'There is no log and no order in the period.\nThe logs and orders are from 2025-11-14T22:59:30Z to ',
    ],
  ])('a period with no log and no order is no report on all teams: %j', async (args, said) => {
    expect(await report(...args)).toEqual(says(1, expect.stringContaining(said)));
  });

  test('puts teams with questions first, and no silence before them', async () => {
    const { teams } = await described();
    expect(teams).toMatchObject([
      { uid: alpha.uid, lookAt: ['repeats'], silences: [{ seconds: 88 * 60 }, {}, {}, {}, {}, {}] },
      { uid: beta.uid, lookAt: [], copies: 1, copiesOf: alpha.uid, silences: [{ seconds: 92 * 60 - 65 }, {}] },
      { uid: idle.uid, lookAt: [], silences: [{ seconds: 92 * 60 }] },
    ]);
  });

  test('figures of a team are the same beside others and alone, and --uid is repeatable', async () => {
    const { teams: all } = await described('--orders', orders);
    const { teams: some } = await described('--orders', orders, '--uid', '404', '--uid', beta.uid);
    expect(some.map(({ uid }: { uid: string }) => uid)).toEqual(['404', beta.uid]);
    // Whom a team copies is told of single teams only.
    const beside = some.map(({ copied: _, ...team }: Record<string, unknown>) => team);
    expect(all.map(({ copied: _, ...team }: Record<string, unknown>) => team)).toEqual(expect.arrayContaining(beside));
  });

  test('an unknown UID ends with exit code 1', async () => {
    const { exitCode, stdout, stderr } = await report('--uid', alpha.uid, '--uid', '998', '--uid', '999');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      'Unknown: UID 998, 999.\nIt is not on the allowlist, and it has no entries and no orders. ailog allowlist list shows the teams.\n',
    );
  });

  test('a team that was removed from the allowlist and has no entries is shown only on demand', async () => {
    expect(teamOf((await described()).teams, '777')).toBeUndefined();
    expect((await described('--uid', '777')).teams).toMatchObject([{ uid: '777', status: 'removed', entries: 0 }]);
  });

  test('--repeats lists pairs of teams, then groups with entry ids', async () => {
    const { stdout } = await report('--repeats');
    expect(cells(stdout).slice(0, 4)).toEqual([
      ['uid', 'repeats logs of', 'logs', 'body', 'data', 'output', 'text', 'near', 'template'],
      [alpha.uid, 'itself', '4', '1', '1', '0', '2', '0', '0'],
      [beta.uid, alpha.uid, '1', '0', '1', '0', '0', '0', '0'],
      [''],
    ]);
    expect(stdout).toContain(`Group 1: 6 logs of UID ${alpha.uid}, ${beta.uid}\n`);
    const groups = await described('--repeats');
    expect(groups).toHaveLength(1);
    const { entryId } = teamOf(groups[0].members, alpha.uid) as never;
    expect(teamOf(groups[0].members, beta.uid)).toMatchObject({
      repeatsOther: { kind: 'data', uid: alpha.uid, entryId },
    });
    const rows = await csvRows('--repeats');
    expect(Object.keys(rows[0] ?? {})).toEqual([
      ...['group', 'uid', 'entryId', 'signed', 'received', 'similarityPercent', 'ownKind', 'ownEntryId'],
      ...['otherKind', 'otherUid', 'otherEntryId', 'sameTimeKind', 'sameTimeUid', 'sameTimeEntryId'],
      ...['sharedKind', 'sharedUid', 'sharedEntryId'],
    ]);
    expect(rows.map(({ entryId }) => entryId)).toEqual(groups[0].members.map(({ entryId }: never) => entryId));
    expect((await report('--repeats', '--uid', idle.uid)).stderr).toBe('No logs repeat each other.\n');
  });

  test('--csv prints one line per team, without formulas and without line breaks in cells', async () => {
    const { stdout } = await report('--csv');
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    expect(rows.find(({ status, entries }) => status === 'approved' && entries === '6')).toMatchObject({
      uid: `'${alpha.uid}`,
      team: "'=Alpha",
      withOrderPercent: '83.3',
      missingOrder: '1',
      ownRepeats: '4',
      templates: '0',
      lookAt: 'repeats',
    });
    const [withOrders, ofBeta] = parse((await report('--csv', '--lines', 'team', '--orders', orders)).stdout, {
      columns: true,
    });
    expect(ofBeta).toMatchObject({ lookAt: "others' orders", facts: "others' orders", factOrders: '1' });
    expect(withOrders).toMatchObject({ uid: '404', orders: '1', coveragePercent: '0', silenceSeconds: '90000' });
  });

  test('--orders --csv prints one line per order, at least its columns, and is an order list itself', async () => {
    const { stdout } = await report('--csv', '--orders', orders);
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    expect(rows).toHaveLength(4);
    expect(rows.find(({ orderId }) => orderId === `'${BIG}`)).toMatchObject({
      uid: `'${alpha.uid}`,
      placed: '2025-11-14T22:59:30.000Z',
      timing: 'in time',
      delaySeconds: '30',
      namedByOthers: '',
    });
    const again = local.file('again.csv', stdout);
    expect((await report('--csv', '--orders', again)).stdout).toBe(stdout);
    const [head] = stdout.split('\n');
    expect((await report('--csv', '--orders', orders, '--uid', idle.uid)).stdout).toBe(`${head}\n`);
  });

  test('rows that the service never writes are left out and counted, and edited ones are reviewed as they were', async () => {
    const own = await localWorld();
    const [writer, odd, edited] = [await own.team(), await own.team(), await own.team()];
    await own.uploadAt(writer, T0, { ...first, orderId: BIG + 2n });
    const [entry] = await own.entriesOf(writer.uid);
    const write = async ({ uid }: Team, changes: readonly Record<string, unknown>[]) => {
      for (const [index, change] of changes.entries()) {
        const key = { uid, entryId: `odd-${index}` };
        await own.tamper(key, { ...entry, ...key, ...change });
      }
    };
    await write(odd, [
      ...['timestamp', 'receivedAt', 'bodySha256', 'stage', 'body'].map((name) => ({ [name]: undefined })),
      ...[{ timestamp: 'soon' }, { model: 5 }, { body: zstdCompressSync('{}') }, { orderId: 1.5 }],
    ]);
    await write(edited, [{ orderId: 7 }, { orderId: undefined }, { stage: 'Edited' }, { model: 'Claude' }]);
    const { stdout, stderr } = await own.ailog(['report', '--json']);
    const { teams } = JSON.parse(stdout);
    expect(teamOf(teams, odd.uid)).toMatchObject({ entries: 0 });
    expect(teamOf(teams, edited.uid)).toMatchObject({
      ...{ withOrder: 4, models: { 'GPT-5': 4 }, stages: { Decision: 4 } },
    });
    expect(stderr).toContain('Damaged entries, which are not reviewed: 9. ailog logs verify names them.\n');
    expect(stderr).toContain(
      'Entries that were changed in the table, and are reviewed as they were before: 4. ailog logs verify names them.\n',
    );
  });
});

test('without entries and orders, there is no period, and no 1970', async () => {
  const empty = await localWorld();
  await empty.ailog(['allowlist', 'add', '1']);
  const ran = await empty.ailog(['report']);
  expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('There are no entries and no orders.\n') });
  expect(JSON.parse((await empty.ailog(['report', '--no-sync', '--json'])).stdout).period).toBeNull();
  const until = await empty.ailog(['report', '--no-sync', '--until', '2025-11-14']);
  expect(until.stderr).toContain('Period: 2025-11-14T00:00:00Z to 2025-11-14T00:00:00Z.');
  expect(`${ran.stdout}${ran.stderr}${until.stdout}${until.stderr}`).not.toContain('1970');
  empty.file('zero.csv', 'uid,order_id,time\n1,7,1970-01-01 00:00:00\n');
  const zero = await empty.ailog(['report', '--no-sync', '--orders', 'zero.csv']);
  expect(zero.stderr).toContain('Period, the days of the orders: 1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z.');
});
