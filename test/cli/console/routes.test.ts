import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSearch } from '../../../cli/console/server/search.ts';
import {
  aiLog,
  inProcess,
  jsonOf,
  localWorld,
  logText,
  MINUTE_MS,
  signedUpload,
  startServer,
  type Team,
} from '../../setup/world.ts';
import { ask, openConsole } from './openConsole.ts';

const T0 = Date.parse('2025-11-14T09:00:00Z');
const BIG = 590480926522704171n;
/** The time at which the copy was signed. */
const COPIED_AT = T0 + 90 * MINUTE_MS - 20_000;

const local = await localWorld();
const [alpha, beta] = [await local.oldTeam(), await local.oldTeam()];
/** The entries of alpha, by what they are about. */
const ids = { late: '', first: '', template: '', long: '', gone: '' };
const long = logText(
  {
    orderId: BIG + 9n,
    model: 'GPT-5',
    output: { r: `${'x'.repeat(9000)} hidden end` },
    explanation: 'line one\nline two',
  },
  { input: '{"n":1e400}' },
);
const text = 'The funding rate turned negative, so the position is closed before the next hour begins.';
const said = (id: number) => ({ output: { r: 'sell 1' }, explanation: `1: ${text}`, input: { id } });
ids.late = await local.uploadAt(alpha, T0 + 5 * MINUTE_MS, { orderId: BIG, ...said(1), stage: '资金费率' });
ids.first = await local.uploadAt(alpha, T0 + 10 * MINUTE_MS, {
  orderId: BIG + 1n,
  model: 'Ｆｕｎｄｉｎｇ 1',
  output: { own: 1 },
  explanation: 'first',
});
/** Uploads a log that was signed 20 s before it was received. */
const uploadLate = async (team: Team, receivedAt: number, log: object): Promise<string> => {
  const received = inProcess(local.dependencies({ now: () => receivedAt }));
  const body = jsonOf({ ...aiLog, ...log });
  const { headers } = await received.send(signedUpload(team, { timestamp: () => receivedAt - 20_000, body }));
  return headers['ai-log-id'] as string;
};
ids.template = await uploadLate(alpha, T0 + 11 * MINUTE_MS, { orderId: 0, ...said(2) });
ids.long = await local.uploadAt(alpha, T0 + 12 * MINUTE_MS, long);
ids.gone = await local.uploadAt(alpha, T0 + 13 * MINUTE_MS, { orderId: 0, output: { o: 4 }, explanation: 'x' });
const copied = await uploadLate(beta, COPIED_AT + 20_000, { orderId: BIG, ...said(1) });
const orders = local.file(
  'orders.csv',
  `uid,order_id,time,symbol,side,size,price
${alpha.uid},${BIG},2025-11-14T09:00:00Z,BTCUSDT,buy,2,100
${alpha.uid},${BIG + 1n},2025-11-14T09:09:50Z,BTCUSDT,buy,3,0.1
${alpha.uid},${BIG + 2n},2025-11-14T12:00:00Z,BTCUSDT,sell,2,0
`,
);
// Rows of the logs as they are before a test changes one in the table.
await local.ailog(['data', 'sync']);
const running = await openConsole(local.folder, ['--orders', orders]);

const get = async (route: string, params: Readonly<Record<string, string>> = {}) =>
  (await running.get(route, params)).answer;
/** Opens another console on the same data, which ends with the test. */
async function open(args: readonly string[]) {
  const console = await openConsole(local.folder, args);
  onTestFinished(async () => void (await console.end()));
  return console;
}
/** Returns an attribute of each element of an answer. */
const each = (answers: readonly Record<string, unknown>[], name: string) => answers.map((one) => one[name]);

describe('the board', () => {
  test('has the figures of the report, digit for digit', async () => {
    const { teams } = await get('board');
    const { stdout } = await local.ailog(['report', '--orders', 'orders.csv', '--json', '--no-sync']);
    const reported = new Map(JSON.parse(stdout).teams.map((team: { uid: string }) => [team.uid, team]));
    expect(teams.length).toBe(2);
    for (const { strip, ...team } of teams) {
      expect(strip).toMatch(/^[0-9a-v]{240}$/);
      expect(reported.get(team.uid)).toMatchObject(team);
    }
  });

  test('draws the orders and logs of a team where they are in the period', async () => {
    const { teams, period } = await get('board');
    expect(period).toEqual({ from: Date.parse('2025-11-14T00:00Z'), until: Date.parse('2025-11-15T00:00Z') });
    const { strip } = teams.find(({ uid }: Team) => uid === alpha.uid);
    const marks = [...strip].flatMap((one, part) => (one === '0' ? [] : [[part, Number.parseInt(one, 32)]]));
    // Six minutes a part. From 09:00: a late order and its log, then an order in time with logs; at 12:00, one without.
    expect(marks).toEqual([
      [90, 5 | 2],
      [91, 1 | 2],
      [92, 2],
      [120, 1 | 16],
    ]);
  });
});

describe('the timeline', () => {
  test('has the orders, those to look at and the largest first, with ids as text', async () => {
    const { dots, orders, kinds, findings } = await get('timeline', { uid: alpha.uid });
    const second = T0 + 590_000;
    expect(dots).toEqual([
      { id: String(BIG), at: T0, delay: 5 * MINUTE_MS, timing: 'late', value: 200 },
      { id: String(BIG + 2n), at: T0 + 180 * MINUTE_MS, delay: null, timing: 'no log', value: expect.closeTo(100.1) },
      { id: String(BIG + 1n), at: second, delay: 10_000, timing: 'in time', value: expect.closeTo(0.3) },
    ]);
    expect([
      orders,
      Object.fromEntries(kinds.map((one: { name: string; count: number }) => [one.name, one.count])),
    ]).toEqual([3, { late: 1, 'no log': 1, silence: 1, repeat: 1 }]);
    expect(each(findings, 'at')).toEqual(each(findings, 'at').sort());
    // Between teams, the time of receipt counts; within a team, that of the signature.
    expect(findings.find(({ kind }: { kind: string }) => kind === 'repeat').ms).toBe(6 * MINUTE_MS - 20_000);
    const only = await get('timeline', { uid: alpha.uid, kind: 'no log' });
    expect(only.findings).toEqual([
      { id: `o${BIG + 2n}`, kind: 'no log', at: T0 + 180 * MINUTE_MS, ms: null, other: null },
    ]);
  });

  test('values a market order at the median price of its symbol', async () => {
    const { facts } = await get('detail', { uid: alpha.uid, at: `o${BIG + 2n}` });
    expect(facts).toContainEqual(['value', '100.1']);
  });

  test('narrows the dots to a window', async () => {
    const { dots, orders } = await get('timeline', {
      uid: alpha.uid,
      from: String(T0 + 1),
      until: String(T0 + 60 * MINUTE_MS),
    });
    expect([orders, each(dots, 'id')]).toEqual([1, [String(BIG + 1n)]]);
  });

  test('opens an order, with the logs beside it if it has none', async () => {
    const late = await get('detail', { uid: alpha.uid, at: `o${BIG}` });
    expect(late).toMatchObject({
      title: `Order ${BIG}`,
      logs: [{ name: 'its log, 5 min after the order', entryId: ids.late }],
    });
    expect(late.facts).toContainEqual(['value', '200']);
    expect(late.facts).toContainEqual(['named by others', beta.uid]);
    const none = await get('detail', { uid: alpha.uid, at: `o${BIG + 2n}` });
    expect(none.logs).toEqual([
      { name: 'last log before, 2 h 47 min before the order', uid: alpha.uid, entryId: ids.gone },
    ]);
  });

  test('opens a silence, and a log with what it repeats', async () => {
    const { findings } = await get('timeline', { uid: alpha.uid, kind: 'silence' });
    const silence = await get('detail', { uid: alpha.uid, at: findings[0].id });
    expect(silence).toMatchObject({ title: 'Silence of 12 h', logs: [{ name: 'last log before', entryId: ids.gone }] });
    const copy = await get('detail', { uid: beta.uid, at: `e${copied}` });
    expect(copy.facts).toContainEqual([
      'repeats',
      `the same input and output, received 1 h 25 min earlier from ${alpha.uid}`,
    ]);
    expect(copy.facts).toContainEqual(['placed by', alpha.uid]);
    expect(copy.logs[1]).toEqual({ name: `that of ${alpha.uid}`, uid: alpha.uid, entryId: ids.late });
  });

  // biome-ignore format: one case a line
  test.each([
    ['timeline', { uid: '404' }, 404, /^UID 404 has no logs and no orders, and is not on the allowlist\.$/],
    ['detail', { uid: '1', at: 'o1' }, 404, /UID 1 has no such order, silence or log: o1\./],
    ['detail', { uid: '1', at: 'x1' }, 404, /no such order/],
    ['detail', { uid: '1', at: "o1' OR 1=1" }, 404, /no such order/],
    ['detail', { uid: '1' }, 400, /The address has no at\./],
  ])('%s refuses %j', async (route, params, status, message) => {
    expect(await running.get(route, params)).toEqual({ status, answer: expect.objectContaining({ message: expect.stringMatching(message) }) });
  });
});

describe('a log', () => {
  const entry = (id: string, params = {}) => get('entry', { uid: alpha.uid, id, ...params });

  test('is read from the table, line by line, with every digit', async () => {
    const { explanation, facts, lines } = await entry(ids.late);
    expect([explanation, facts.find(([name]: [string]) => name === 'orderId')]).toEqual([
      expect.stringContaining('funding rate'),
      ['orderId', String(BIG)],
    ]);
    expect(each(lines, 'text')).toContain(`  "orderId": ${BIG},`);
  });

  test('has long lines in parts, which join to the whole', async () => {
    const { lines, explanation } = await entry(ids.long);
    const texts = lines
      .map(({ text, isContinued }: { text: string; isContinued: boolean }) => (isContinued ? text : `\n${text}`))
      .join('');
    expect(texts).toContain(`${'x'.repeat(9000)} hidden end`);
    expect(explanation).toBe('line one\nline two');
    expect(each(lines, 'isContinued').filter(Boolean)).toHaveLength(2);
    const rest = await entry(ids.long, { from: '2' });
    expect(rest.lines).toEqual(lines.slice(2));
  });

  test('is saved byte for byte', async () => {
    const path = `/api/body?uid=${alpha.uid}&id=${ids.long}`;
    const { text, headers } = await ask(running.origin, path, await running.headers());
    expect(text).toBe(long);
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
    });
  });

  test('is checked when it is shown: a change after its row was made fails', async () => {
    const checks = async (): Promise<string[]> => {
      const found: { name: string; state: string }[] = await get('checks', { uid: alpha.uid, id: ids.template });
      return found.map(({ name, state }) => `${name} ${state}`);
    };
    const right = ['digest ok', 'fields ok', 'signature ok', 'time ok', 'transparency log open'];
    expect(await checks()).toEqual(right);
    await local.tamper({ uid: alpha.uid, entryId: ids.template }, { stage: 'Tampered' });
    expect((await checks()).slice(0, 2)).toEqual(['digest ok', 'fields failed']);
    await local.tamper({ uid: alpha.uid, entryId: ids.template }, { body: Buffer.from('damaged') });
    expect((await checks())[0]).toBe('digest failed');
    expect(await entry(ids.template)).toMatchObject({ isDamaged: true, lines: [] });
    const damaged = `${alpha.uid}/${ids.template}`;
    expect(await get('pair', { left: damaged, right: damaged })).toMatchObject({
      outcome: 'negative',
      message: `The body of ${ids.template} is damaged.`,
    });
  });

  test('that is not there is named', async () => {
    const id = `${T0}-${'0'.repeat(32)}`;
    expect(await entry(id)).toMatchObject({
      outcome: 'negative',
      message: `The table has no entry ${id} of UID ${alpha.uid}.`,
    });
  });
});

describe('copies', () => {
  test('count what each team repeats of which', async () => {
    const cells = await get('copies');
    const none = { copies: 0, same_time: 0, follows: 0, shared: 0, own: 0, back: 0 };
    expect(cells).toContainEqual({ ...none, uid: beta.uid, original: alpha.uid, copies: 1 });
    expect(cells).toContainEqual({ ...none, uid: alpha.uid, original: alpha.uid, own: 1 });
    const { total, pairs } = await get('pairs', { uid: beta.uid, original: alpha.uid });
    expect([total, pairs]).toEqual([
      1,
      [
        {
          id: copied,
          original: ids.late,
          relation: 'copy',
          signed: COPIED_AT,
          says: `the same input and output, received 1 h 25 min earlier from ${alpha.uid}`,
        },
      ],
    ]);
  });

  test('stand side by side, with the words that differ', async () => {
    const sections = await get('pair', { left: `${alpha.uid}/${ids.late}`, right: `${beta.uid}/${copied}` });
    const of = (name: string) => sections.find((section: { name: string }) => section.name === name);
    expect(of('output')).toMatchObject({ isEqual: true, parts: [{ side: 'both' }] });
    expect(of('stage').parts.filter(({ side }: { side: string }) => side !== 'both')).not.toEqual([]);
    const joined = (side: string) =>
      of('stage')
        .parts.filter((part: { side: string }) => part.side === side || part.side === 'both')
        .map(({ text }: { text: string }) => text)
        .join('');
    expect(joined('left')).toContain('资金费率');
    expect(joined('right')).not.toContain('资金费率');
  });
});

test('an order list that cannot be read is named, and logs can be searched', async () => {
  const wrong = local.file('wrong.csv', 'uid,time\n1,2\n');
  const other = await open(['--no-sync', '--orders', wrong]);
  const { status, answer } = await other.get('board');
  expect([status, answer.message]).toEqual([400, expect.stringMatching(/^wrong\.csv has no column orderId/)]);
  expect((await other.get('search', { q: 'funding' })).answer.hits.length).toBe(4);
  expect((await other.get('status')).answer).toMatchObject({ view: 0, problem: { message: answer.message } });
  // Without it, there are figures: pauses, and no coverage.
  expect((await other.post('removeOrders', { name: 'wrong.csv' })).status).toBe(200);
  const board = (await other.get('board')).answer;
  const team = board.teams.find(({ uid }: Team) => uid === alpha.uid);
  expect([board.hasOrders, team.orders, team.silences.length > 0]).toEqual([false, undefined, true]);
  expect((await other.get('timeline', { uid: alpha.uid })).answer).toMatchObject({ dots: [], orders: 0 });
});

test('what comes before the first figures waits for them; a search counts the same in the copy of texts that it makes', async () => {
  const copies = () => globSync('.local/**/texts-*.duckdb', { cwd: local.folder });
  const before = copies();
  const early = await open(['--no-sync', '--within', '59s']);
  const [board, search] = await Promise.all([early.get('board'), early.get('search', { q: 'funding' })]);
  expect([board.status, board.answer.teams.length]).toEqual([200, 2]);
  expect([search.status, search.answer.hits.length]).toEqual([200, 4]);
  const { answer } = await early.get('timeline', { uid: alpha.uid });
  expect(answer).toMatchObject({ within: 59_000, tolerance: 30_000 });

  const first = await early.get('hits', { q: 'funding' });
  await expect.poll(copies).toHaveLength(before.length + 1);
  for (let round = 0; round < 5; round += 1) {
    expect((await early.get('hits', { q: 'funding' })).answer).toEqual(first.answer);
  }
  await early.end();
  expect(copies()).toEqual(before);
});

describe('a search', () => {
  test.each([
    [49, undefined],
    [50, '2025-11-14 entry 49'],
  ])('of %i hits goes on after the last: %s', async (count, next) => {
    const keys = Array.from({ length: count }, (_, at) => ({ uid: '1', entryId: `entry ${at}` }));
    const view = { engine: { read: () => keys }, texts: [['2025-11-14', async () => 'texts']] };
    const views = { useRows: (work: (one: object) => unknown) => work(view) };
    const opened = { target: { db: local.db, tables: local.names }, views } as never;
    expect(await readSearch(opened, new URLSearchParams({ q: 'a' }))).toMatchObject({ next });
  });

  test('finds any of its terms, however they are spelled, and counts the hits of each team', async () => {
    const one = await get('search', { q: 'FUNDING' });
    expect((await get('hits', { q: 'FUNDING' })).teams).toEqual([
      { uid: alpha.uid, hits: 3 },
      { uid: beta.uid, hits: 1 },
    ]);
    expect(each(one.hits, 'entryId')).toEqual([copied, ids.template, ids.first, ids.late]);
    expect(one.hits[2]).toMatchObject({ where: 'model', excerpt: 'Ｆｕｎｄｉｎｇ 1' });
    const several = await get('search', { q: '资金费率|own' });
    expect(each(several.hits, 'entryId')).toEqual([ids.first, ids.late]);
    const ofOne = await get('search', { q: 'funding', uid: beta.uid });
    expect(each(ofOne.hits, 'entryId')).toEqual([copied]);
    const older = await get('search', { q: 'funding', before: `2025-11-14 ${ids.template}` });
    expect(each(older.hits, 'entryId')).toEqual([ids.first, ids.late]);
  });

  test('goes on in the day in which it ended, and then in the days before', async () => {
    const hitsAfter = async (before: string) => (await get('search', { q: 'funding', before })).hits.length;
    expect([
      await hitsAfter(`2025-11-15 ${copied}`),
      await hitsAfter('2025-11-14 0'),
      await hitsAfter('2025-11-13 9'),
    ]).toEqual([4, 0, 0]);
  });

  test('says what it cannot see, and what it does not take', async () => {
    expect((await get('search', { q: 'hidden end' })).hits).toEqual([]);
    expect(await get('hits', { q: 'hidden end' })).toEqual({ teams: [], unsure: 1 });
    for (const q of ['|', '\u200b', 'a|b|c|d|e|f']) expect((await running.get('search', { q })).status).toBe(400);
  });
});

describe('a sample', () => {
  test('is the same for the same seed, and can be drawn by anyone', async () => {
    const draw = (seed: string, n = '3') => get('sample', { uid: alpha.uid, seed, n });
    const one = await draw('a');
    const again = await draw('a');
    const other = await draw('b');
    const idsOf = ({ logs }: { logs: { id: string }[] }) => logs.map(({ id }) => id);
    expect(idsOf(again)).toEqual(idsOf(one));
    expect([one.total, one.logs.length, one.bound]).toEqual([5, 3, expect.closeTo(1 - 0.05 ** (1 / 3))]);
    const md5 = (seed: string) => (id: string) => createHash('md5').update(`${seed}${alpha.uid}${id}`).digest('hex');
    for (const [seed, drawn] of [
      ['a', one],
      ['b', other],
    ] as const) {
      const sorted = Object.values(ids).sort((x, y) => (md5(seed)(x) < md5(seed)(y) ? -1 : 1));
      expect(idsOf(drawn)).toEqual(sorted.slice(0, 3));
    }
    expect(await draw('a', '60')).toMatchObject({ bound: 0, total: 5 });
    expect((await running.get('sample', { uid: alpha.uid, seed: 'a', n: '0' })).status).toBe(400);
    // A verdict could not name such a seed.
    expect(await running.get('sample', { uid: alpha.uid, seed: 'a'.repeat(41), n: '3' })).toMatchObject({
      status: 400,
      answer: { message: 'A seed has 1 to 40 characters, without line breaks.' },
    });
    expect((await draw('a'.repeat(40))).logs).toHaveLength(3);
  });
});

describe('a value that can be none', () => {
  const names = (uid: Team, id: string) => ({ left: `${uid.uid}/${id}`, right: `${beta.uid}/${copied}` });
  /** The reads with values that are right, each of which is replaced by wrong ones. */
  const asked = (): [route: string, params: Record<string, string>][] => [
    ...['entry', 'body', 'checks'].map((one): [string, Record<string, string>] => [
      one,
      { uid: alpha.uid, id: ids.late, from: '0' },
    ]),
    ['pair', names(alpha, ids.late)],
    ['search', { q: 'funding', uid: alpha.uid, before: `2025-11-14 ${ids.late}` }],
    ['hits', { q: 'funding' }],
    ['timeline', { uid: alpha.uid, from: '0', until: '1', kind: 'late' }],
    ['detail', { uid: alpha.uid, at: `e${ids.late}` }],
    ['copies', {}],
    ['pairs', { uid: alpha.uid, original: beta.uid }],
    ['sample', { uid: alpha.uid, seed: 'a', n: '3' }],
    ['case', { uid: alpha.uid }],
  ];
  // biome-ignore format: several a line
  const WRONG = [
    '', '\0', 'x', "'", '\ud800', '9'.repeat(19), `o${'9'.repeat(19)}`, `s${'9'.repeat(19)}`, '\0'.repeat(3000),
    `1/${'x'.repeat(5000)}`, `2025-11-14 \0`,
  ];

  test('is answered as a wrong or an unknown one, never as an error of the program or of AWS', async () => {
    const failed: unknown[] = [];
    for (const [route, params] of asked()) {
      for (const name of Object.keys(params)) {
        for (const value of WRONG) {
          const path = `/api/${route}?${new URLSearchParams({ ...params, [name]: value })}`;
          const { status, text } = await ask(running.origin, path, await running.headers());
          if (![200, 400, 404].includes(status)) failed.push([route, name, value.slice(0, 20), status, text]);
        }
      }
    }
    expect(failed).toEqual([]);
  });

  test('is said in a sentence, and a zero in a search is found nowhere', async () => {
    const message = 'The address names no entry. It is named by a UID, and by 13 digits, a hyphen and 32 hex digits.';
    const noEntry = { status: 400, answer: { message } };
    expect(await running.get('pair', { left: 'x', right: 'y' })).toMatchObject(noEntry);
    expect(await running.get('entry', { uid: alpha.uid, id: 'x' })).toMatchObject(noEntry);
    expect((await running.get('case', { uid: 'x' })).status).toBe(400);
    expect(await get('search', { q: '\0' })).toMatchObject({ hits: [] });
    expect(await get('hits', { q: 'funding\0' })).toMatchObject({ teams: [] });
  });
});

describe('order lists', () => {
  test('with an order near a log that does not name it: it opens that log, and is not drawn as one without', async () => {
    const text = `order_id,time\n${BIG + 80n},2025-11-14 09:09:30\n`;
    await running.post('addOrders', { name: 'near.csv', text, uid: alpha.uid });
    const { logs } = await get('detail', { uid: alpha.uid, at: `o${BIG + 80n}` });
    expect(logs).toEqual([
      { name: 'first log after, 30 s after the order', uid: alpha.uid, entryId: ids.first },
      { name: 'last log before, 4 min 30 s before the order', uid: alpha.uid, entryId: ids.late },
    ]);
    const { strip } = (await get('board')).teams.find(({ uid }: Team) => uid === alpha.uid);
    expect(Number.parseInt(strip[91], 32)).toBe(1 | 2);
    await running.post('removeOrders', { name: 'near.csv', uid: alpha.uid });
  });
});

describe('a service that refuses', async () => {
  const other = await localWorld();
  // biome-ignore format: one case a line
  test.each([
    ['a denied action', 'AccessDeniedException', 'User: arn:aws:iam::1:user/x is not authorized to perform: dynamodb:DescribeTable', /^AWS rejected the request: AccessDeniedException: User: .* is not authorized/],
    ['expired credentials', 'ExpiredTokenException', 'The security token included in the request is expired', /^AWS rejected the request: ExpiredTokenException: The security token/],
  ])('%s is named by every screen', async (_name, type, message, expected) => {
    const refusing = await startServer((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message }));
    });
    const console = await openConsole(other.folder, [], { DYNAMODB_ENDPOINT: refusing.url });
    for (const route of ['board', 'copies']) {
      expect(await console.get(route)).toMatchObject({ status: 400, answer: { message: expect.stringMatching(expected) } });
    }
    const { status, answer } = await console.get('entry', { uid: '1', id: `${T0}-${'0'.repeat(32)}` });
    expect([status, answer.message]).toEqual([502, expect.stringMatching(expected)]);
    expect((await console.get('status')).answer.sync.problem.message).toMatch(expected);
  });
});
