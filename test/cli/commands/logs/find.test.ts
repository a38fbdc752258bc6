import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalData, openLocalData } from '../../../setup/commandLine.ts';
import type { Team } from '../../../setup/fixture.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { logText } from '../../../setup/upload.ts';
import { oldTeam, tamper, uploadAt } from './entries.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');

let local: LocalData;
let alpha: Team;
let rival: Team;
const ids: Record<string, string> = {};
let orders: string;
beforeAll(async () => {
  local = await openLocalData();
  [alpha, rival] = [await oldTeam(local.fixture), await oldTeam(local.fixture)];
  const upload = async (name: string, team: Team, at: number, log: Record<string, unknown> | string) => {
    ids[name] = await uploadAt(local.fixture, team, at, log);
  };
  const base = { orderId: null, stage: 'S', model: 'M-1', input: { prompt: 'Line one\nLine two' }, explanation: 'x' };
  await upload('before', alpha, T0 - 5 * MINUTE_MS, { ...base, explanation: 'Volume rises' });
  await upload('own', alpha, T0 + 2000, { ...base, orderId: '42', stage: 'Stop Loss' });
  await upload('after', alpha, T0 + 9 * MINUTE_MS, { ...base, input: { prompt: 'Line one\nLine 2' }, model: 'GPT-5' });
  await upload(
    'late',
    alpha,
    T0 + 40 * MINUTE_MS,
    logText({ stage: 'S', model: 'M-1', explanation: 'x' }, { input: '{"p":"\\u51b3\\u7b56 a\\nb"}' }),
  );
  await upload('rival', rival, T0 + 1000, { ...base, orderId: '42' });
  orders = local.file(
    'orders.csv',
    `uid,orderId,time\n${alpha.uid},42,${new Date(T0).toISOString()}\n${alpha.uid},43,${new Date(T0 + 8 * MINUTE_MS).toISOString()}\n${rival.uid},44,${new Date(T0).toISOString()}\n`,
  );
});
afterAll(() => local.engine.stop());

/** The values of the first team's logs. */
const VALUES = 'The stages are: S, Stop Loss.\nThe models are: GPT-5, M-1.\n';

const logs = (...args: string[]) => local.ailog(['logs', ...args]);
const nameOf = (entryId: string) => Object.keys(ids).find((name) => ids[name] === entryId);

describe('ailog logs search', () => {
  // biome-ignore format: one case a line
  test.each<[string, () => string[], [name: string, where: string][]]>([
    ['the stage, in any case', () => ['stop LOSS'], [['own', 'stage']]],
    ['the model', () => ['gpt-5'], [['after', 'model']]],
    ['the explanation', () => ['volume'], [['before', 'explanation']]],
    ['the body, across its line breaks', () => ['one\nLine two'], [['own', 'body'], ['rival', 'body'], ['before', 'body']]],
    ['the body of one team', () => ['Line two', '--uid', alpha.uid], [['own', 'body'], ['before', 'body']]],
    ['the body of two teams', () => ['Line two', '--uid', alpha.uid, '--uid', rival.uid], [['own', 'body'], ['rival', 'body'], ['before', 'body']]],
    ['text that was sent escaped', () => ['决策 a'], [['late', 'body']]],
    ['text as it was sent', () => ['\\u51b3'], [['late', 'body']]],
    ['the newest only', () => ['Line two', '--limit', '1'], [['own', 'body']]],
  ])('finds %s', async (_name, args, found) => {
    const { stdout, exitCode } = await logs('search', ...args(), '--json', '--no-cache');
    expect(exitCode).toBe(0);
    const matches: { entryId: string; where: string }[] = JSON.parse(stdout);
    expect(matches.map(({ entryId, where }) => [nameOf(entryId), where])).toEqual(found);
  });

  test('shows the text with what stands around it', async () => {
    const { stdout, stderr } = await logs('search', 'Line two', '--limit', '2', '--no-cache');
    expect(stdout).toMatch(
      /^uid +entry +where +order +signed +text\n\d+ +\S+ +body +42 +2025-11-14T09:00:02Z +….*Line two.*…?\n/,
    );
    expect(stderr).toBe('Found: 3; shown: the newest 2. --limit N shows more.\n');
  });

  test('finds words with hidden characters in them, and search, show and diff make these visible', async () => {
    const team = await oldTeam(local.fixture);
    const log = (text: string) => ({ orderId: null, output: { text }, explanation: 'x' });
    const a = await uploadAt(local.fixture, team, T0, log('Sell the 👨‍👩‍👧 quota'));
    const b = await uploadAt(local.fixture, team, T0 + 1, log('S\u034fell\ufe00 t\u3164he 👨‍👩‍👧 qu\u0430ta'));
    const hidden = 'S\\u034fell\\ufe00 t\\u3164he 👨‍👩‍👧 qu\u0430ta';
    const searched = await logs('search', 'sell the', '--uid', team.uid, '--no-cache');
    expect(searched.stdout).toContain(hidden);
    expect(searched.stderr).toBe('Found: 2.\n');
    expect((await logs('show', b, '--uid', team.uid)).stdout).toContain(`"text": "${hidden}"`);
    const { stdout } = await logs('diff', a, b, '--uid', team.uid);
    expect(stdout).toContain('-     "text": "Sell the 👨‍👩‍👧 quota"');
    expect(stdout).toContain(`+     "text": "${hidden}"`);
  });

  test('finding nothing is a negative result', async () => {
    expect(await logs('search', 'nothing like this', '--no-cache')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'No entry contains "nothing like this".\n',
    });
    expect((await logs('search', ' ')).exitCode).toBe(2);
  });
});

describe('a stage or model', () => {
  test('matches by a part, in any case, in every command', async () => {
    const args = ['--uid', alpha.uid, '--stage', 'sTOP', '--model', 'm-'];
    const listed = JSON.parse((await logs('list', ...args, '--json')).stdout);
    expect(listed.map(({ entryId }: { entryId: string }) => nameOf(entryId))).toEqual(['own']);
    expect((await logs('verify', ...args)).stderr).toContain('Checked: 1,');
    expect((await logs('export', ...args, '--format', 'csv')).stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test.each(['list', 'verify'])('that no log has: %s names those that exist', async (verb) => {
    const noCache = verb === 'list' ? ['--no-cache'] : [];
    const { stderr, stdout } = await logs(verb, '--uid', alpha.uid, '--stage', 'decision', ...noCache);
    expect([stdout, stderr]).toEqual(['', `No entry matches.\n${VALUES}`]);
  });

  test('that no log has: search and export name those that exist', async () => {
    const wanted = ['--uid', alpha.uid, '--stage', 'decision'];
    expect((await logs('search', 'volume', '--no-cache', ...wanted)).stderr).toBe(
      `No entry contains "volume".\n${VALUES}`,
    );
    expect((await logs('export', ...wanted)).stderr).toBe(`Exported: 0.\n${VALUES}`);
  });
});

describe('ailog logs list --before-biggest-order', () => {
  const list = (name: string, lines: readonly string[]) =>
    local.file(name, ['uid,orderId,time,size,price', ...lines].join('\n'));

  test('shows the last log of each team before its biggest order, the biggest of all first', async () => {
    const at = (ms: number) => new Date(T0 + ms).toISOString();
    const file = list('sizes.csv', [
      `${rival.uid},44,${at(3000)},10,1`,
      `${alpha.uid},42,${at(0)},1,5`,
      `${alpha.uid},43,${at(10 * MINUTE_MS)},-2,50`,
      `${alpha.uid},45,${at(50 * MINUTE_MS)},3,30`,
    ]);
    const { stdout } = await logs('list', '--before-biggest-order', file, '--json');
    const found: { entryId: string; beforeMs: number; biggestOrder: { orderId: string; value: number } }[] =
      JSON.parse(stdout);
    expect(
      found.map(({ entryId, beforeMs, biggestOrder: { orderId, value } }) => [
        nameOf(entryId),
        beforeMs,
        orderId,
        value,
      ]),
    ).toEqual([
      ['after', MINUTE_MS, '43', 100],
      ['rival', 2000, '44', 10],
    ]);
    const more = await logs('list', '--before-biggest-order', file, '--uid', alpha.uid, '--limit', '2');
    expect(more.stdout).toMatch(
      /^uid +biggest order +value +placed +before +entry .*\n.* 43 .* 1 min .*\n.* 43 .* 9 min 58 s .*\n$/,
    );
  });

  test('gives a market order, which has no price, the price of its symbol', async () => {
    const at = (ms: number) => new Date(T0 + ms).toISOString();
    const file = local.file(
      'market.csv',
      [
        'uid,orderId,time,symbol,size,price',
        `${alpha.uid},42,${at(0)},BTC,1,90`,
        `${alpha.uid},43,${at(1)},BTC,2,0`,
        `${alpha.uid},44,${at(2)},ETH,100,1`,
        `${alpha.uid},46,${at(3)},ETH,150,`,
        `${alpha.uid},47,${at(4)},XRP,160,`,
        `${rival.uid},45,${at(2000)},BTC,1,110`,
      ].join('\n'),
    );
    const { stdout } = await logs('list', '--before-biggest-order', file, '--json');
    const found: { biggestOrder: { orderId: string; value: number } }[] = JSON.parse(stdout);
    expect(found.map(({ biggestOrder: { orderId, value } }) => [orderId, value])).toEqual([
      ['43', 200],
      ['45', 110],
    ]);
  });

  test.each([
    ['without sizes', [`1,42,${new Date(T0).toISOString()},,`], 'has a size'],
    ['of a team without a log', [`19,42,${new Date(T0).toISOString()},1,1`], undefined],
  ])('an order list %s says so', async (_name, lines, error) => {
    const { exitCode, stdout, stderr } = await logs('list', '--before-biggest-order', list('none.csv', lines));
    if (error) expect([exitCode, stderr]).toEqual([2, expect.stringContaining(error)]);
    else expect([exitCode, stdout]).toEqual([0, expect.stringContaining('no log before it')]);
  });
});

describe('ailog logs around', () => {
  const events = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await logs('around', ...args, '--json');
    if (exitCode !== 0) throw new Error(stderr);
    const found: { entryId?: string; orderId: string; isSubject: boolean; distanceMs: number }[] = JSON.parse(stdout);
    return found.map(({ entryId, orderId, isSubject, distanceMs }) => [
      entryId ? nameOf(entryId) : orderId,
      distanceMs,
      ...(isSubject ? ['subject'] : []),
    ]);
  };

  test('an order of the order list, though a rival names it too', async () => {
    expect(await events('42', '--orders', orders)).toEqual([
      ['before', -5 * MINUTE_MS],
      ['42', 0, 'subject'],
      ['own', 2000, 'subject'],
      ['43', 8 * MINUTE_MS],
      ['after', 9 * MINUTE_MS],
    ]);
  });

  test('an order without a log', async () => {
    expect(await events('43', '--orders', orders, '--span', '2m')).toEqual([
      ['43', 0, 'subject'],
      ['after', MINUTE_MS],
    ]);
  });

  test('an entry, by the start of its id', async () => {
    const id = ids.own?.slice(0, 20) as string;
    expect(await events(id, '--span', '6m')).toEqual([
      ['before', -5 * MINUTE_MS - 2000],
      ['own', 0, 'subject'],
    ]);
  });

  test('an order by the logs that name it', async () => {
    expect(await events('42', '--uid', rival.uid)).toEqual([['rival', 0, 'subject']]);
    const { exitCode, stderr } = await logs('around', '42');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/^Several teams name order 42: UID \d+, \d+\.\nGive --uid, or/),
    ]);
  });

  test('prints a time line', async () => {
    const { stdout, stderr } = await logs('around', '42', '--orders', orders);
    expect(stdout).toMatch(
      /^ {3}distance +what +id +time +order +stage +model +explanation\n {3}-5 min +log +\S+ +2025-11-14T08:55:00Z +S +M-1 +Volume rises\n> +order +42 +2025-11-14T09:00:00Z\n> {2}\+2 s +log +\S+ +2025-11-14T09:00:02Z/,
    );
    expect(stderr).toBe(
      `Read 3 orders from ${orders}: UID from uid, order id from orderId, time from time.\nUID ${alpha.uid}, 2025-11-14T08:50:00Z to 2025-11-14T09:10:00Z: 3 logs, 2 orders.\n`,
    );
  });

  test('gives distances of less than a second in milliseconds, and names the team without an order list', async () => {
    const team = await oldTeam(local.fixture);
    const [before, subject, after] = [
      await uploadAt(local.fixture, team, T0 - 500, { orderId: null }),
      await uploadAt(local.fixture, team, T0, { orderId: null }),
      await uploadAt(local.fixture, team, T0 + 1000, { orderId: null }),
    ] as const;
    const { stdout, stderr } = await logs('around', subject, '--uid', team.uid);
    const rows = stdout.trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.slice(0, 3).trim())).toEqual(['', '>', '']);
    expect(rows.map((row) => row.slice(3, 12).trim())).toEqual(['-500 ms', '', '+1 s']);
    expect([before, subject, after].every((id, at) => rows[at]?.includes(id))).toBe(true);
    expect(stderr).toBe(
      `UID ${team.uid}, 2025-11-14T08:50:00Z to 2025-11-14T09:10:00Z: 3 logs. --orders FILE adds the orders.\n`,
    );
  });

  test('--json describes orders and logs alike', async () => {
    const { stdout } = await logs('around', '42', '--orders', orders, '--span', '2s', '--json');
    expect(JSON.parse(stdout)).toEqual([
      {
        type: 'order',
        isSubject: true,
        distanceMs: 0,
        uid: alpha.uid,
        orderId: '42',
        time: '2025-11-14T09:00:00.000Z',
      },
      expect.objectContaining({ type: 'log', isSubject: true, distanceMs: 2000, entryId: ids.own, orderId: '42' }),
    ]);
  });

  test('says where an order of a team is not', async () => {
    expect((await logs('around', '42', '--uid', alpha.uid, '--orders', orders)).exitCode).toBe(0);
    expect((await logs('around', '44', '--uid', alpha.uid, '--orders', orders)).stderr).toContain(
      `No log names order 44 of UID ${alpha.uid}.\nIt is not in the order list either.\n`,
    );
  });

  test('says which time zone it assumed, takes another, and counts one order', async () => {
    const list = local.file('beijing.csv', `uid,orderId,time\n${alpha.uid},42,2025-11-14 17:00:00\n`);
    const inUtc = await logs('around', '42', '--orders', list, '--span', '1m');
    expect(inUtc.stderr).toBe(
      `Read 1 order from ${list}: UID from uid, order id from orderId, time from time.\nTimes without a time zone were read as UTC. --time-zone changes that.\nUID ${alpha.uid}, 2025-11-14T16:59:00Z to 2025-11-14T17:01:00Z: 0 logs, 1 order.\n`,
    );
    const inBeijing = await logs('around', '42', '--orders', list, '--span', '1m', '--time-zone', '+08:00');
    expect(inBeijing.stdout).toContain('2025-11-14T09:00:00Z');
    expect(inBeijing.stderr).toMatch(/read as UTC\+08:00\..*: 1 log, 1 order\.\n$/s);
  });

  test.each([
    ['an order that nobody names', ['99'], 1, 'No log names order 99.\nGive the order list with --orders FILE'],
    ['a time zone without an order list', ['42', '--time-zone', '+08:00'], 2, '--time-zone belongs to --orders FILE.'],
    ['a word', ['latest'], 2, 'Give an order id, or the start of an entry id with its hyphen.'],
  ])('%s', async (_name, args, exitCode, stderr) => {
    expect(await logs('around', ...args)).toEqual({ exitCode, stdout: '', stderr: expect.stringContaining(stderr) });
  });
});

describe('ailog logs diff', () => {
  test('shows fields and lines that differ', async () => {
    const { stdout, exitCode } = await logs('diff', ids.before?.slice(0, 18) as string, ids.after as string);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^field +a +b\n/);
    expect(stdout).toMatch(/\nmodel +M-1 +GPT-5\n/);
    expect(stdout).not.toMatch(/\nuid /);
    expect(stdout).toContain('\n        | Line one\n-       | Line [-two-]\n+       | Line {+2+}\n');
    expect(stdout).toContain('\n-   "model": "[-M-1-]",\n+   "model": "{+GPT-5+}",\n');
  });

  test('leaves out equal lines far from a difference, and --full shows them', async () => {
    const team = await oldTeam(local.fixture);
    // As `logs show` prints it: brackets and names on lines 1 to 5 and 19 on, the numbers between.
    const input = (third: number) => ({ list: [1, 2, third, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] });
    const base = { orderId: null, stage: 'S', model: 'M', output: {} };
    const pair = [
      await uploadAt(local.fixture, team, T0, { ...base, input: input(3), explanation: 'x' }),
      await uploadAt(local.fixture, team, T0 + 1, { ...base, input: input(0), explanation: 'y' }),
    ];
    const equal = ['  "orderId": null,', '  "stage": "S",', '  "model": "M",', '  "input": {', '    "list": ['];
    const [before, between, after] = [
      ['{', ...equal],
      ['4', '5', '6', '7', '8', '9', '10', '11', '12', '13'].map((n, index) => `      ${n}${index < 9 ? ',' : ''}`),
      ['    ]', '  },', '  "output": {},'],
    ];
    const same = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
    const differing = ['-       3,', '+       0,'];
    const last = ['-   "explanation": "[-x-]"', '+   "explanation": "{+y+}"', '  }'];
    const linesOf = async (...args: string[]) => {
      const { stdout, stderr } = await logs('diff', ...pair, ...args);
      expect(stderr).toBe('');
      return stdout.trimEnd().split('\n\n')[1]?.split('\n');
    };
    expect(await linesOf()).toEqual([
      '@ 5 equal lines',
      ...same(['    "list": [', '      1,', '      2,']),
      ...differing,
      ...same(between.slice(0, 3)),
      '@ 7 equal lines',
      ...same(after),
      ...last,
    ]);
    expect(await linesOf('--full')).toEqual([
      ...same(before),
      ...same(['      1,', '      2,']),
      ...differing,
      ...same([...between, ...after]),
      ...last,
    ]);
    const { a, b, fields, lines } = JSON.parse((await logs('diff', ...pair, '--json')).stdout);
    expect([a.entryId, b.entryId]).toEqual(pair);
    expect(fields.map(({ field }: { field: string }) => field)).toContain('explanation');
    expect(lines).toEqual((await linesOf())?.map((line) => line.replace(/\[-(x)-\]|\{\+(y)\+\}/, '$1$2')));
  });

  test('cuts long lines and many lines, and --full does not', async () => {
    const team = await oldTeam(local.fixture);
    const numbers = (from: number) => Array.from({ length: 300 }, (_, n) => from + n);
    const [a, b, c] = [
      await uploadAt(local.fixture, team, T0, { input: { list: numbers(0), long: 'x'.repeat(3000) } }),
      await uploadAt(local.fixture, team, T0 + 1, { input: { list: numbers(1000), long: 'x'.repeat(3000) } }),
      await uploadAt(local.fixture, team, T0 + 2, { input: { list: numbers(0), long: 'y'.repeat(3000) } }),
    ] as const;
    const cut = 'Cut: lines that are too long or too many. --full shows all.\n';
    const many = await logs('diff', a, b);
    expect([many.stderr, many.stdout.split('\n\n')[1]?.trimEnd().split('\n').length]).toEqual([cut, 400]);
    const wide = await logs('diff', a, c);
    expect(wide.stderr).toBe(cut);
    expect(
      wide.stdout
        .split('\n')
        .filter((line) => /"[xy]{5}/.test(line))
        .map((line) => line.length),
    ).toEqual([2001, 2001]);
    const full = await logs('diff', a, c, '--full');
    expect(full.stderr).toBe('');
    expect(full.stdout).toContain(`"${'y'.repeat(3000)}"`);
  });

  test('a damaged body differs from every other', async () => {
    const team = await oldTeam(local.fixture);
    const id = await uploadAt(local.fixture, team, T0);
    await tamper(local.fixture, { uid: team.uid, entryId: id }, { body: Buffer.from('x') });
    const { stdout, exitCode } = await logs('diff', id, ids.own as string, '--uid', team.uid, '--uid', alpha.uid);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('\n- The body is damaged.\n+ {\n');
    expect((await logs('diff', id, ids.own as string, '--uid', team.uid)).stderr).toContain(`of UID ${team.uid}`);
  });

  test('an entry and itself', async () => {
    const { stdout, exitCode } = await logs('diff', ids.own as string, ids.own as string);
    expect([exitCode, stdout]).toEqual([0, '\nThe bodies are the same.\n']);
  });

  test('--json', async () => {
    const { stdout } = await logs('diff', ids.before as string, ids.after as string, '--json');
    const { sameBody, fields } = JSON.parse(stdout);
    expect(sameBody).toBe(false);
    expect(fields).toContainEqual({ field: 'model', a: 'M-1', b: 'GPT-5' });
  });
});
