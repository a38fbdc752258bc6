import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, localWorld, MINUTE_MS, type Team } from '../../../setup/world.ts';

const BIG = 590480926522704171n;

const local = await localWorld();
const [alpha, beta] = [await local.team(), await local.team()];

const report = (...args: string[]) => local.ailog(['report', ...args]);
const cells = (table: string) =>
  table
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));

describe('ailog report with much to show', () => {
  const SINCE = ['--since', '2026-01-01'];
  const AT = Date.parse('2026-01-01T09:00:00Z');
  const ids = Array.from({ length: 27 }, (_, n) => String(BIG + 100n + BigInt(n)));
  let busy: Team;
  let list: string;
  beforeAll(async () => {
    busy = await local.team();
    // Seven logs repeat each other, then ten pairs do. All name orders of another team.
    for (const [n, orderId] of ids.entries()) {
      const group = n < 7 ? 0 : Math.ceil((n - 6) / 2);
      const log = { orderId, input: { group }, output: { group }, explanation: 'x'.repeat(n + 1) };
      await local.uploadAt(busy, AT + n * MINUTE_MS, log);
    }
    const lines = [`${busy.uid},7,2026-01-01T09:00:00Z`, ...ids.map((id) => `${alpha.uid},${id},2026-01-01T09:00:00Z`)];
    list = local.file('many.csv', `uid,orderId,time\n${lines.join('\n')}\n`);
  });

  test('shows the first ten groups of repeated logs, and five logs of each', async () => {
    const { stdout, stderr } = await report('--repeats', ...SINCE);
    const [, first = '', ...others] = stdout.split(/\nGroup \d+: /);
    expect(cells(first)).toEqual([
      [`7 logs of UID ${busy.uid}`],
      ['uid', 'entry', 'received', 'what it repeats'],
      [busy.uid, expect.any(String), '2026-01-01T09:00:00Z', 'first'],
      ...[1, 2, 3, 4].map((n) => [
        busy.uid,
        expect.stringContaining(String(AT + n * MINUTE_MS)),
        `2026-01-01T09:0${n}:00Z`,
        `the same input and output, first sent ${n} min earlier by itself`,
      ]),
      ['… and 2 more'],
    ]);
    expect(others.map((group) => group.split('\n')[0])).toEqual(Array(9).fill(`2 logs of UID ${busy.uid}`));
    expect(others[0]).not.toContain('more');
    expect(stderr.replace(/^.* new entr.*\n/, '')).toBe(
      'Groups that are not shown: 1.\n--json and --csv list all groups and all logs. ailog logs show ENTRY shows a log.\n',
    );
  });

  test('shows the first 20 orders of a team to look at, and the first 20 that other teams name', async () => {
    const { stdout, stderr } = await report('--orders', list, ...SINCE, '--uid', alpha.uid);
    const [toLookAt = '', contested = ''] = stdout.split('\n\n').slice(-3);
    expect([toLookAt, contested].map((table) => table.trimEnd().split('\n').length - 1)).toEqual([20, 20]);
    expect(stderr).toContain(
      'Orders to look at that are not shown: 7. --json and --csv list all.\nOrders named by several teams that are not shown: 7. --json lists all.\nOrders: 27, with an AI log: 0, covered: 0 %.\n',
    );
  });

  test('says what is at the same time, what has hidden characters, and what is compared in part', async () => {
    const at = Date.parse('2027-01-01T09:00:00Z');
    const [one, two] = [await local.team(), await local.team()];
    const text =
      'Momentum fades and the breakout has failed so we sell half and wait for a retest of support. ' +
      'Funding has turned positive while the open interest falls, and sellers absorb each small rise of the morning.';
    const log = { orderId: BIG + 900n, output: { text } };
    await local.uploadAt(one, at, log);
    await local.uploadAt(two, at + 20_000, { ...log, input: { id: 2 } });
    await local.uploadAt(two, at + MINUTE_MS, { output: { text: 'b\u034fuy e\u034fth n\u034fow' } });
    await local.uploadAt(two, at + 2 * MINUTE_MS, { output: { text: 'ab '.repeat(90_000) } });
    const only = ['--since', '2027-01-01', '--uid', one.uid, '--uid', two.uid];
    const { stdout, stderr } = await report(...only);
    expect(stdout).toMatch(new RegExp(`^${two.uid} .*hidden characters\\?,.*\\n +contested orders\\?`, 'm'));
    expect(stdout).toMatch(/with hidden characters +1\ncompared in part +1\n/);
    expect(stdout).toMatch(new RegExp(`${one.uid} \\(\\S+\\), ${two.uid} \\(\\S+, at the same time\\)\n`));
    expect(stderr).toContain(
      `Logs of whose text only the first 65536 characters were compared: 1 of UID ${two.uid}.\n`,
    );
    const repeats = await report('--repeats', ...only);
    expect(repeats.stdout).toMatch(new RegExp(`^${one.uid} +${two.uid}, at the same time +1 `, 'm'));
    expect(repeats.stdout).toMatch(
      new RegExp(
        `^${two.uid} +\\S+ +2027-01-01T09:00:20Z +the same output, received at the same time from ${one.uid}$`,
        'm',
      ),
    );
    const [group] = JSON.parse((await report('--repeats', '--json', ...only)).stdout);
    expect(group.members[1]).toMatchObject({
      received: '2027-01-01T09:00:20.000Z',
      repeatsOther: null,
      sameTimeAs: { kind: 'output', uid: one.uid },
    });
    const csv = parse((await report('--repeats', '--csv', ...only)).stdout, { columns: true });
    expect(csv[1]).toMatchObject({
      otherKind: '',
      sameTimeKind: 'output',
      sameTimeUid: `'${one.uid}`,
    });
  });

  test('shows the orders that a team of --uid places or names', async () => {
    const named = async (uid: string) =>
      (await report('--orders', list, ...SINCE, '--uid', uid)).stdout.includes('order named by several teams');
    expect([await named(busy.uid), await named(beta.uid)]).toEqual([true, false]);
  });
});

test('says that one log of a later day makes most teams look silent', async () => {
  const { ailog, team, uploadAt } = await localWorld();
  const start = Date.parse('2025-11-14T23:00:00Z');
  const said = async (...args: string[]) => /Probably too long.*/.exec((await ailog(['report', ...args])).stderr)?.[0];
  const [first, second, later] = [await team(), await team(), await team()];
  await uploadAt(first, start);
  await uploadAt(second, start + MINUTE_MS);
  expect(await said()).toBeUndefined();
  await uploadAt(later, start + 24 * HOUR_MS);
  expect(await said()).toBe(
    'Probably too long a period: 2 of 3 teams have no log after 2025-11-14T23:01:00Z. Try an earlier --until, or --orders.',
  );
  expect(await said('--until', '2025-11-15')).toBeUndefined();
  expect(await said('--uid', first.uid)).toBeUndefined();
});
