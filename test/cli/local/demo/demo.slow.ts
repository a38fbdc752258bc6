import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { archetypes, habitsOf } from '../../../../cli/local/demo/archetypes.ts';
import { createCompetition, type DemoTeam, FIRST_DAY } from '../../../../cli/local/demo/competition.ts';
import { formatOrderExport, writeDemo } from '../../../../cli/local/demo/writeDemo.ts';
import { reasons } from '../../../../cli/review/figures/reasons.ts';
import type { TeamReport } from '../../../../cli/review/figures/reviewTeams.ts';
import { execute, localWorld, runCommand, says, temporaryFolder } from '../../../setup/world.ts';
import { judgeArchetypes } from './judgeArchetypes.ts';
import { reviewDemo } from './reviewDemo.ts';

const file = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

const competition = createCompetition('1');

describe('the demo', () => {
  test('has 45 teams with about 15 700 orders and 6 800 logs over three days, the same for the same seed', () => {
    const logs = competition.flatMap((team) => team.logs);
    const orders = competition.flatMap((team) => team.orders);
    expect([competition.length, Math.round(orders.length / 100), Math.round(logs.length / 100)]).toEqual([45, 157, 68]);
    expect(createCompetition('1')).toEqual(competition);
    expect(createCompetition('2').map(({ archetype }) => archetype)).not.toEqual(
      competition.map(({ archetype }) => archetype),
    );
    expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(orders.length);
    const export_ = formatOrderExport(orders).trimEnd().split('\n');
    expect(export_).toHaveLength(orders.length + 1);
    expect(export_[1]).toMatch(/^\d{4},\d{18},\w+,(buy|sell),[\d.]+,[\d.]+,2025-11-17 \d\d:\d\d:\d\d\.\d{3}$/);
  });

  test('over three seeds, no honest team is found for nothing, and no other is missed', async () => {
    const seeds = process.env.THOROUGH ? Array.from({ length: 10 }, (_, n) => String(n + 1)) : ['1', '2', '3'];
    for (const seed of seeds)
      expect([seed, await judgeArchetypes(createCompetition(seed))]).toEqual([seed, { falseAlarms: [], misses: [] }]);
  });

  test('honest teams keep away from the limits, those with child orders because these are grouped', async () => {
    const isHonest = ({ archetype }: DemoTeam) => habitsOf(archetype).isHonest === true;
    const { of } = await reviewDemo(competition);
    const highest = (figure: (team: TeamReport) => number) =>
      Math.max(...competition.filter(isHonest).map(({ uid }) => figure(of(uid))));
    expect(highest(({ copies }) => copies)).toBeLessThanOrEqual(1);
    // Whose logs another team sends with an earlier time: each of the two may be the one that copies.
    const victims = competition.filter(({ archetype }) => archetype === 'backdated').map(({ uid }) => uid);
    expect(victims).toHaveLength(1);
    expect(highest(({ uid, sameTime }) => (victims.includes(uid) ? 0 : sameTime))).toBeLessThanOrEqual(7);
    expect(highest(({ ownRepeats, templates, hiddenCharacters }) => ownRepeats + templates + hiddenCharacters)).toBe(0);
    expect(highest(({ silences: [silence] }) => silence?.seconds ?? 0)).toBeLessThanOrEqual(60);
    const { falseAlarms } = await judgeArchetypes(competition, { childGap: 0 });
    expect([...new Set(falseAlarms.map((alarm) => alarm.replace(/ .*: /, ': ')))].sort()).toEqual([
      ...['bracketing: few named', 'grid: few named'],
      ...['making: few named', 'making: no log near', 'making: silent'],
      ...['slicing: few named', 'slicing: no log near', 'slicing: silent'],
    ]);
  });

  test('of 500 honest teams, none is flagged', async () => {
    const teams = createCompetition('honest', FIRST_DAY, Array(500).fill('honest'));
    const { teams: reviewed } = await reviewDemo(teams);
    expect(reviewed).toHaveLength(500);
    expect(reviewed.flatMap(({ uid, lookAt }) => (lookAt.length > 0 ? [[uid, lookAt]] : []))).toEqual([]);
  }, 600_000);

  test('is signed, and writing it twice changes nothing', async () => {
    const local = await localWorld();
    try {
      const seal = local.seal;
      const some = competition.filter(({ logs }) => logs.length > 0).slice(0, 2);
      const write = (seed: string) => writeDemo(some, { seed, firstDay: FIRST_DAY, db: local.db, seal });
      expect(await write('1')).toBe(2);
      const [uid = ''] = some.map((team) => team.uid);
      await local.ailog(['allowlist', 'suspend', uid]);
      expect(await write('1')).toBe(0);
      const listed = JSON.parse((await local.ailog(['allowlist', 'list', '--json'])).stdout);
      expect(listed.find((entry: { uid: string }) => entry.uid === uid).status).toBe('suspended');
      const verified = await local.ailog(['logs', 'verify', '--verbose']);
      expect(verified).toMatchObject({ exitCode: 0 });
      const logs = some.flatMap((team) => team.logs).length;
      expect(verified.stdout.match(/^ok .*signature ok, time ok$/gm)).toHaveLength(logs);
      await expect(write('2')).rejects.toThrow(/UID \d+ exists already, and the demo with seed 2 did not create it/);
      expect((await local.entriesOf(uid)).length).toBe(some[0]?.logs.length);
    } finally {
      await local.close();
    }
  });

  const DAY_MS = 86_400_000;
  const demoIn = (cwd: string, args: readonly string[] = []) =>
    execute([process.execPath, file('cli/local/demo/fillDemo.ts'), ...args], { cwd, env: {} });

  test('without a seed, ends yesterday, is in the transparency log, and is for its owner only', async () => {
    const cwd = temporaryFolder();
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const ran = await demoIn(cwd);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    // The first of them, if midnight passed meanwhile.
    expect(
      [0, DAY_MS].map((late) => `Days: ${dayOf(today + late - 3 * DAY_MS)} to ${dayOf(today + late - DAY_MS)}.`),
    ).toContain(ran.stdout.split('\n')[1]);
    expect(ran.stdout).toMatch(/\nTransparency log: 6815 log entries; its policy is \.local\/tlog\.policy\.\n/);
    const modes = readdirSync(join(cwd, '.local')).map((name) => [
      name,
      statSync(join(cwd, '.local', name)).mode & 0o777,
    ]);
    expect(modes).toEqual([
      ...['credentials.key', 'demo-orders.csv', 'dynamodb.sqlite'].map((name) => [name, 0o600]),
      ['tlog', 0o700],
      ['tlog.policy', 0o600],
    ]);

    // Nothing else is needed for a statement, nor for a report without long silences.
    expect(await runCommand(['statement', '--uid', '3001', '-o', 'x.statement'], { cwd })).toMatchObject({
      exitCode: 0,
    });
    expect(await runCommand(['verify', 'x.statement'], { cwd })).toMatchObject({ exitCode: 0 });
    const report = await runCommand(['report', '--orders', '.local/demo-orders.csv', '--json'], { cwd });
    const { period } = JSON.parse(report.stdout);
    expect(Date.parse(period.until) - Date.parse(period.from)).toBe(3 * DAY_MS);

    // On another day, it stays the same.
    const orders = readFileSync(join(cwd, '.local/demo-orders.csv'), 'utf8');
    const again = await demoIn(cwd, ['--seed', '1']);
    expect(again.stdout).toContain('The demo is in the local data already');
    expect(readFileSync(join(cwd, '.local/demo-orders.csv'), 'utf8')).toBe(orders);
  });

  // biome-ignore format: one case a line
  test.each([
    [['--stack', 'AiLogUpload-prod'], {}, /^npm run demo: Unknown option '--stack'.*\nIt only writes to the local data in \.local\//],
    [[], { DYNAMODB_ENDPOINT: 'https://dynamodb.eu-west-1.amazonaws.com' }, /^The demo only runs on local data, and https:\S+ is not on this machine\./],
    [[], { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1.example.com:8000' }, /^The demo only runs on local data, and http:\S+ is not on this machine\./],
  ])('refuses %j with %j', async (args, env, stderr) => {
    const cwd = temporaryFolder();
    const ran = await execute([process.execPath, file('cli/local/demo/fillDemo.ts'), ...args], { cwd, env });
    expect(ran).toMatchObject(says(2, expect.stringMatching(stderr)));
  });
});

describe('docs/review.md', () => {
  const page = readFileSync(file('docs/review.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));

  test("lists the demo's teams", () => {
    const listed = rows
      .filter((cells) => cells.length === 3)
      .flatMap(([names = '', ...cells]) => names.split(', ').map((name) => [name, ...cells]))
      .filter(([name = '']) => name in archetypes);
    const expected = Object.entries(archetypes).map(([name, { found }]) => [
      name,
      expect.stringMatching(/^.{15,}$/),
      found.join(', ') || '–',
    ]);
    const byName = (cells: unknown[][]) => cells.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
    expect(byName(listed)).toEqual(byName(expected));
  });

  test('lists the reasons to look, with their thresholds and what else can explain them', () => {
    expect(rows.filter(([name = '']) => name.startsWith('**')).slice(0, Object.keys(reasons).length)).toEqual(
      Object.entries(reasons).map(([name, { weight = 'question', when, innocent }]) => [
        `**${name}**`,
        weight.startsWith('log-') ? 'fact if announced' : weight,
        when,
        innocent,
      ]),
    );
  });
});
