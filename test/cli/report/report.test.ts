import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalData, openLocalData } from '../../setup/commandLine.ts';
import type { Team } from '../../setup/fixture.ts';
import { uploadAt } from '../logs/entries.ts';

const T0 = Date.parse('2025-11-14T23:00:00Z');
const MINUTE = 60_000;
const BIG = 590480926522704171n;

let local: LocalData;
let alpha: Team;
let beta: Team;
let idle: Team;
let orders: string;
beforeAll(async () => {
  local = await openLocalData();
  [alpha, beta, idle] = [
    await local.fixture.team(),
    await local.fixture.team(),
    await local.fixture.team({ status: 'suspended' }),
  ];
  await local.ailog(['allowlist', 'add', alpha.uid, '--team', '=Alpha']);
  const first = { orderId: BIG, stage: 'Decision', model: 'GPT-5', input: { n: 1 }, output: { r: 1 } };
  // biome-ignore format: one entry a line
  for (const [minutes, change] of [
    [0, {}],                                        // complete
    [1, {}],                                        // the same body
    [2, { explanation: 'in other words' }],         // the same input and output
    [90, { orderId: 0, input: { n: 2 } }],          // no order, and a day later
    [91, { model: 'Claude', input: { n: 3 } }],     // no version
    [92, { output: {}, stage: 'Review' }],          // empty output
  ] as const) {
    await uploadAt(local.fixture, alpha, T0 + minutes * MINUTE, { ...first, ...change });
  }
  await uploadAt(local.fixture, beta, T0, { ...first, orderId: BIG + 2n });
  orders = local.file(
    'orders.csv',
    `uid,orderId,time
${alpha.uid},${BIG},2025-11-14T23:00:00Z
${alpha.uid},${BIG + 1n},1763161200000
${alpha.uid},${BIG + 2n},2025-11-14T23:00:00Z
${alpha.uid},${BIG + 2n},2025-11-14T23:00:00Z
${beta.uid},${BIG + 2n},2025-11-14
404,7,2025-11-14T23:00:00Z
`,
  );
});
afterAll(() => local.engine.stop());

const report = (...args: string[]) => local.ailog(['report', ...args]);

describe('ailog report', () => {
  test('counts the uploads of a team', async () => {
    const { stdout, stderr } = await report('--json', '--uid', alpha.uid);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      {
        uid: alpha.uid,
        team: '=Alpha',
        status: 'approved',
        entries: 6,
        first: '2025-11-14T23:00:00.000Z',
        last: '2025-11-15T00:32:00.000Z',
        perDay: { '2025-11-14': 3, '2025-11-15': 3 },
        models: { 'GPT-5': 5, Claude: 1 },
        stages: { Decision: 5, Review: 1 },
        withOrder: 5,
        withOrderPercent: 83.3,
        repeatedBodies: 1,
        repeatedData: 2,
        longestSilenceSeconds: 88 * 60,
        complete: 3,
        missing: { modelVersion: 1, data: 1, order: 1 },
      },
    ]);
  });

  test('lists the orders without an AI log of their own team, with every digit', async () => {
    const teams = JSON.parse((await report('--json', '--orders', orders)).stdout);
    const coverage = teams.map(
      ({ uid, status, entries, orders, ordersWithLog, coveragePercent, ordersWithoutLog }: never) => ({
        uid,
        status,
        entries,
        orders,
        ordersWithLog,
        coveragePercent,
        ordersWithoutLog,
      }),
    );
    const time = '2025-11-14T23:00:00.000Z';
    expect(coverage).toEqual([
      {
        uid: '404',
        status: 'not listed',
        entries: 0,
        orders: 1,
        ordersWithLog: 0,
        coveragePercent: 0,
        ordersWithoutLog: [{ orderId: '7', time }],
      },
      {
        uid: alpha.uid,
        status: 'approved',
        entries: 6,
        orders: 3,
        ordersWithLog: 1,
        coveragePercent: 33.3,
        ordersWithoutLog: [
          { orderId: String(BIG + 1n), time },
          { orderId: String(BIG + 2n), time },
        ],
      },
      {
        uid: beta.uid,
        status: 'approved',
        entries: 1,
        orders: 1,
        ordersWithLog: 1,
        coveragePercent: 100,
        ordersWithoutLog: [],
      },
      {
        uid: idle.uid,
        status: 'suspended',
        entries: 0,
        orders: 0,
        ordersWithLog: 0,
        coveragePercent: null,
        ordersWithoutLog: [],
      },
    ]);
  });

  test('prints a table of teams, then a table of orders', async () => {
    const { stdout, stderr } = await report('--orders', orders);
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines).toEqual([
      [
        'uid',
        'team',
        'status',
        'entries',
        'first',
        'last',
        'longest silence',
        'with order',
        'repeated bodies',
        'repeated data',
        'complete',
        'orders',
        'covered',
      ],
      ['404', 'not listed', '0', '0 s', '–', '0', '0', '0', '1', '0 %'],
      [
        alpha.uid,
        '=Alpha',
        'approved',
        '6',
        '2025-11-14T23:00:00Z',
        '2025-11-15T00:32:00Z',
        '1 h 28 min',
        '83.3 %',
        '1',
        '2',
        '3',
        '3',
        '33.3 %',
      ],
      [
        beta.uid,
        'approved',
        '1',
        '2025-11-14T23:00:00Z',
        '2025-11-14T23:00:00Z',
        '0 s',
        '100 %',
        '0',
        '0',
        '1',
        '1',
        '100 %',
      ],
      [idle.uid, 'suspended', '0', '0 s', '–', '0', '0', '0', '0', '–'],
      [''],
      ['uid', 'order without AI log', 'placed'],
      ['404', '7', '2025-11-14T23:00:00Z'],
      [alpha.uid, String(BIG + 1n), '2025-11-14T23:00:00Z'],
      [alpha.uid, String(BIG + 2n), '2025-11-14T23:00:00Z'],
      [''],
    ]);
    expect(stderr).toBe('Orders: 5, with an AI log: 2, covered: 40 %.\n');
  });

  test('prints days, models and stages of one team', async () => {
    const { stdout } = await report('--uid', alpha.uid);
    expect(stdout.split('\n').slice(2)).toEqual([
      '',
      'day         entries',
      '2025-11-14        3',
      '2025-11-15        3',
      '',
      'model   entries',
      'GPT-5         5',
      'Claude        1',
      '',
      'stage     entries',
      'Decision        5',
      'Review          1',
      '',
      'missing                entries',
      'model version                1',
      'input and output data        1',
      'order                        1',
      '',
    ]);
  });

  test('prints CSV with one line per team and without formulas', async () => {
    const { stdout } = await report('--csv', '--orders', orders);
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    expect(Object.keys(rows[0] ?? {}).slice(0, 3)).toEqual(['uid', 'team', 'status']);
    expect(rows[1]).toMatchObject({
      uid: alpha.uid,
      team: "'=Alpha",
      entries: '6',
      perDay: '2025-11-14: 3\n2025-11-15: 3',
      models: 'GPT-5: 5\nClaude: 1',
      missingOrder: '1',
      coveragePercent: '33.3',
      ordersWithoutLog: `${BIG + 1n}\n${BIG + 2n}`,
    });
    expect(rows).toHaveLength(4);
  });

  // biome-ignore format: one case a line
  test.each([
    ['invalid lines', 'uid,orderId,time\n1,5,2025-11-14\n01,5,2025-11-14\n1,5.0,2025-11-14\n1,0,2025-11-14\n1,9223372036854775808,2025-11-14\n1,5,noon\n', `FILE has invalid lines:
Line 3: "01" is not a UID, a decimal number without leading zeros.
Line 4: "5.0" is not an order id, an integer from 1 to 9223372036854775807.
Line 5: "0" is not an order id, an integer from 1 to 9223372036854775807.
Line 6: "9223372036854775808" is not an order id, an integer from 1 to 9223372036854775807.
Line 7: "noon" is not a time, such as 2025-11-14T09:30:00Z.
Correct them: an order that is missing here would be missing in the coverage.
`],
    ['a missing column', 'uid,orderId\n1,5\n', 'FILE has no column time.\nIts first line must name its columns: uid,orderId,time.\n'],
    ['an order id that a spreadsheet has rounded', 'uid,orderId,time\n1,5.90481E+17,2025-11-14\n', /"5\.90481E\+17" is not an order id/],
  ])('an order list with %s is rejected', async (name, text, stderr) => {
    const path = local.file(`${name}.csv`, text);
    const ran = await report('--orders', path);
    const wanted = typeof stderr === 'string' ? stderr : expect.stringMatching(stderr);
    expect({ ...ran, stderr: ran.stderr.replaceAll(path, 'FILE') }).toEqual({ exitCode: 2, stdout: '', stderr: wanted });
  });

  test('--json and --csv exclude each other', async () => {
    expect(await report('--json', '--csv')).toMatchObject({
      exitCode: 2,
      stderr: 'Give either --json or --csv, not both.\n',
    });
  });
});
