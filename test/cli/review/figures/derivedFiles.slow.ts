import { hash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { derive, digestOf } from '../../../../cli/review/figures/derivedFiles.ts';
import { runJob } from '../../../../cli/review/figures/figuresJob.ts';
import { openReview } from '../../../../cli/review/figures/openReview.ts';
import { withReviewedRows } from '../../../../cli/review/figures/reviewedRows.ts';
import { createTerminal } from '../../../../cli/shell/terminal/terminal.ts';
import { withTarget } from '../../../../cli/store/targets/target.ts';
import { execute, temporaryFolder } from '../../../setup/world.ts';
import { openRowsData } from '../rows/rowsData.ts';

const UNTIL = fileURLToPath(new URL('./deriveUntil.ts', import.meta.url));

/** The changes of files until one counts: two folders, two parts, its rights, its name and that of its description. */
const NAMED_AFTER = 7;

const data = await openRowsData();
await data.upload({ orderId: 5 });
const home = join(data.rowsFolder, 'figures');
const listOf = (order: number) => `uid,order_id,time\n${data.owner.uid},${order},2025-11-14T09:00:00Z\n`;
data.file('orders.csv', listOf(5));

const filesIn = (folder: string, end: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .sort();
const kept = () => (existsSync(home) ? filesIn(home, '.data') : []);
/** Runs a report. @returns what it says and prints, without the transparency log, and the files that it added */
async function report(...args: string[]) {
  const before = kept();
  const { exitCode, stdout, stderr } = await data.ailog(['report', '--json', ...args]);
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  const said = stderr.split('\n').filter((line) => !/new entr|Made again/.test(line));
  return { said, ...JSON.parse(stdout), added: kept().filter((name) => !before.includes(name)) };
}

test('a second report reads what the first one has made, and says the same', async () => {
  const { added, ...first } = await report('--orders', 'orders.csv');
  expect(added.length).toBe(2);
  expect(first.said).toContainEqual(expect.stringMatching(/^Read 1 order from orders.csv:/));
  expect(await report('--orders', 'orders.csv', '--no-sync')).toEqual({ ...first, added: [] });
  const repeats = await data.ailog(['report', '--repeats', '--orders', 'orders.csv', '--no-sync']);
  expect([repeats.exitCode, kept().length]).toEqual([0, 2]);
});

test('an option, an order list, the allowlist or an entry that changes makes new figures', async () => {
  expect((await report()).added.length).toBe(1);
  expect((await report()).added.length).toBe(0);
  for (const [option, value] of [
    ['--within', '61s'],
    ['--since', '2025-11-13'],
    ['--until', '2099-01-01'],
  ] as const)
    expect([option, (await report(option, value)).added.length]).toEqual([option, 1]);
  const zone = await report('--orders', 'orders.csv', '--time-zone', '+08:00');
  expect(zone.added.length).toBe(2);
  data.file('orders.csv', listOf(6));
  const changed = await report('--orders', 'orders.csv');
  expect([changed.added.length, changed.teams[0].ordersWithoutLog]).toEqual([2, 1]);
  expect((await data.ailog(['allowlist', 'add', '777', '--team', 'New'])).exitCode).toBe(0);
  const [before, after] = [changed.teams.length, await report('--orders', 'orders.csv')];
  expect([after.added.length, after.teams.length]).toEqual([1, before + 1]);
  await data.upload({ orderId: 6 });
  const more = await report();
  expect([more.added.length, more.teams.find(({ uid }: { uid: string }) => uid === data.owner.uid).entries]).toEqual([
    1, 2,
  ]);
  // A text that is too short to be compared has no leader.
  await data.upload({ output: { action: 'hold' }, explanation: 'Wait.' });
  expect((await report()).added.length).toBe(1);
});

test('the list of one account belongs to the team that is asked for', async () => {
  data.file('own.csv', 'order_id,time\n8,2025-11-14T09:00:00Z\n');
  for (const uid of [data.owner.uid, '777']) {
    const { teams } = await report('--no-sync', '--orders', 'own.csv', '--uid', uid);
    expect(teams.map(({ uid, orders }: { uid: string; orders: number }) => [uid, orders])).toEqual([[uid, 1]]);
  }
});

test('a file that only another version of the engine can open is made again', async () => {
  rmSync(home, { recursive: true, force: true });
  const { added, ...first } = await report('--no-sync');
  // The right name and digest, and another content.
  const [about = ''] = filesIn(home, '.json');
  const { path } = await derive(data.rowsFolder, { from: 'other', rows: null }, async (own) =>
    writeFileSync(own, 'of another version'),
  );
  const [, known] = JSON.parse(readFileSync(join(home, about), 'utf8'));
  const bytes = readFileSync(path);
  const fake = { ...known, file: basename(path), bytes: bytes.length, sha256: hash('sha256', bytes) };
  writeFileSync(join(home, about), JSON.stringify([digestOf([about, fake]), fake]));
  const { added: again, ...second } = await report('--no-sync');
  expect([second, again.length]).toEqual([first, 1]);
});

test('what is known of other figures does not count under the name of these', async () => {
  const [all, later] = [await report('--no-sync'), await report('--no-sync', '--since', '2025-11-15')];
  expect(later.teams).not.toEqual(all.teams);
  for (const copied of filesIn(home, '.json')) {
    for (const name of filesIn(home, '.json')) copyFileSync(join(home, copied), join(home, name));
    expect((await report('--no-sync')).teams).toEqual(all.teams);
    expect((await report('--no-sync', '--since', '2025-11-15')).teams).toEqual(later.teams);
  }
});

test('a list that changes while it is read is not kept as what it was before', async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const host = { env: {}, stdin, stdout, stderr, cwd: () => data.folder };
  const terminal = createTerminal(host as never);
  data.file('orders.csv', listOf(71));
  const review = withTarget(terminal, { local: true }, (target) =>
    withReviewedRows(terminal, target, { sync: false }, (rows) =>
      openReview(terminal, target, rows, { lists: [{ path: 'orders.csv' }], within: 60_000 }, (job) => {
        data.file('orders.csv', listOf(72));
        return runJob(job);
      }).then(() => {}),
    ),
  );
  await expect(review).rejects.toThrow('An order list was changed while it was read.');
  data.file('orders.csv', listOf(71));
  const { teams } = await report('--no-sync', '--orders', 'orders.csv');
  const { orderList } = teams.find(({ uid }: { uid: string }) => uid === data.owner.uid);
  expect(orderList.map(({ orderId }: { orderId: string }) => orderId)).toEqual(['71']);
});

test('two reports at once make the same', async () => {
  rmSync(home, { recursive: true, force: true });
  const both = await Promise.all([1, 2].map(() => data.ailog(['report', '--json', '--no-sync'])));
  expect(both[0]?.stdout).toBe(both[1]?.stdout);
  expect((await report('--no-sync')).added).toEqual([]);
});

test('a file whose making was killed at any step is made by the next command, or is whole', async () => {
  const folder = temporaryFolder();
  let steps = 0;
  let ended: number | null = null;
  for (; ended !== 0; steps += 1) {
    rmSync(join(folder, 'figures'), { recursive: true, force: true });
    ended = (await execute([process.execPath, UNTIL, String(steps + 1), folder])).exitCode;
    const made: string[] = [];
    const { path, value } = await derive(folder, { from: 'source', rows: 'rows' }, async (own) => {
      made.push(own);
      writeFileSync(own, 'half and half');
      return 'value';
    });
    expect([steps, readFileSync(path, 'utf8'), value]).toEqual([steps, 'half and half', 'value']);
    // What was named before the end is read; nothing else is.
    expect([steps, made.length]).toEqual([steps, steps < NAMED_AFTER ? 1 : 0]);
  }
  expect(steps).toBeGreaterThan(NAMED_AFTER);
});

test('a question mark in the path of the figures is named, and nothing is written', async () => {
  const path = join(temporaryFolder(), 'a?b', 'figures.data');
  await expect(runJob({ folder: home, path, lists: [], zone: undefined })).rejects.toMatchObject({
    outcome: 'usage',
    message: expect.stringContaining(`${path} has a question mark`),
  });
});

test('the figures of a day that has not ended are used again until a row is new', async () => {
  data.file('today.csv', listOf(5).replace('2025-11-14T09:00:00Z', String(Date.now())));
  const { added, ...first } = await report('--orders', 'today.csv');
  expect(added.length).toBe(2);
  expect(await report('--orders', 'today.csv')).toEqual({ ...first, added: [] });
  await data.upload();
  expect((await report('--orders', 'today.csv')).added.length).toBe(1);
});
