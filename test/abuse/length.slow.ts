import { describe, expect, test } from 'vitest';
import { inProcess, localWorld, signedUpload, type Team } from '../setup/world.ts';
import { bodiesOf, repeated, UNITS } from './repeated.ts';

/** The bytes of the shorter texts. */
const BYTES = 25_000;

/** The most that texts of four times the length may cost: linear work costs four times, quadratic work sixteen. */
const MOST = 8;

/** What costs less, in microseconds, is taken for as much: its ratio would show what else the process does. */
const LEAST = 10_000;

/** Returns the processor time of this process for some work, in microseconds: other processes do not count. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Expects that work grows with its texts, not faster.
 * @param cost does the work on texts of so many bytes, and returns its processor time. It is asked again if the ratio
 * is too high, because a collection of garbage can fall into any work, and the lowest of each counts.
 */
async function expectGrowth(cost: (bytes: number) => Promise<number>): Promise<void> {
  // Code is slow while it is new, which would hide a growth.
  await cost(BYTES);
  let [ofOne, ofFour] = [await cost(BYTES), await cost(4 * BYTES)];
  const ratio = () => ofFour / Math.max(ofOne, LEAST);
  for (let turn = 0; turn < 3 && ratio() > MOST; turn += 1) {
    ofOne = Math.min(ofOne, await cost(BYTES));
    ofFour = Math.min(ofFour, await cost(4 * BYTES));
  }
  expect(ratio(), `${ofOne} µs, then ${ofFour} µs`).toBeLessThanOrEqual(MOST);
}

const local = await localWorld();
const transport = inProcess(local.dependencies());

/** Runs a command, which may find something wrong, but knows what it is. */
async function run(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await local.ailog(args);
  expect([0, 1, 2], stderr).toContain(exitCode);
  expect(stderr).not.toMatch(/^ {4}at /m);
  return stdout;
}

/** A team that uploaded logs, and the id of one log of each unit. */
interface Uploader {
  readonly team: Team;
  readonly entryIds: readonly string[];
}

/** Uploads every body of some units. Refused ones are no part of what the commands read. */
async function uploadAll(units: readonly string[], bytes: number): Promise<Uploader> {
  const team = await local.team();
  const entryIds: string[] = [];
  for (const unit of units) {
    const answers = [];
    for (const body of bodiesOf(repeated(unit, bytes)))
      answers.push(await transport.send(signedUpload(team, { body })));
    const accepted = answers.flatMap(({ headers }) => headers['ai-log-id'] ?? []);
    expect(accepted.length, unit).toBeGreaterThan(1);
    entryIds.push(...accepted.slice(0, 1));
  }
  return { team, entryIds };
}

const groups = Object.entries(UNITS);

describe.each(groups)('of %s', (_name, units) => {
  test.each(units.map((unit) => [JSON.stringify(unit), unit]))('an upload of many %s', async (_name, unit) => {
    const team = await local.team();
    for (const place of bodiesOf(repeated(unit, BYTES)).keys())
      await expectGrowth((bytes) => {
        const upload = signedUpload(team, { body: bodiesOf(repeated(unit, bytes))[place] ?? '' });
        return costOf(() => transport.send(upload));
      });
  });

  test('sync, report, export, verify and show', async () => {
    const uploaders = new Map<number, Uploader>();
    await run('data', 'sync');
    await expectGrowth(async (bytes) => {
      uploaders.set(bytes, await uploadAll(units, bytes));
      return costOf(() => run('data', 'sync'));
    });
    for (const command of ['report --no-sync', 'logs export', 'logs export --format csv', 'logs verify'])
      await expectGrowth((bytes) => {
        const { team } = uploaders.get(bytes) as Uploader;
        return costOf(() => run(...command.split(' '), '--uid', team.uid));
      });
    for (const [place] of units.entries())
      await expectGrowth((bytes) => {
        const { team, entryIds } = uploaders.get(bytes) as Uploader;
        return costOf(() => run('logs', 'show', entryIds[place] as string, '--full', '--uid', team.uid));
      });
  });

  test('files of others, by verify and report', async () => {
    const expectFileGrowth = (command: string, textOf: (bytes: number) => string) =>
      expectGrowth((bytes) => {
        const path = local.file('file', textOf(bytes));
        return costOf(() => run(...command.split(' '), path));
      });
    for (const unit of units)
      for (const start of ['', '{"file":"', 'AI-LOG-RECEIPT: ', 'log ']) {
        await expectFileGrowth('verify', (bytes) => start + repeated(unit, bytes));
        await expectFileGrowth('verify README.md --policy', (bytes) => start + repeated(unit, bytes));
      }
    const notes = (bytes: number) => units.map((unit) => repeated(unit, bytes));
    const orders = (bytes: number) => notes(bytes).map((note) => `1,5,1794875400000,${note}\n`);
    await expectFileGrowth('report --no-sync --orders', (bytes) => `uid,id,time,note\n${orders(bytes).join('')}`);
    await expectFileGrowth('report --no-sync --orders', (bytes) => JSON.stringify(notes(bytes).map((id) => ({ id }))));
    // What a list says of itself: above its columns, in their names, and in the cells of an order.
    const cells = (bytes: number) => notes(bytes).map((note) => note.replace(/[",\r\n]/g, ' '));
    await expectFileGrowth(
      'report --no-sync --orders',
      (bytes) => `${cells(bytes / 8).join('\n')}\nuid,id,time\n1,5,x\n`,
    );
    await expectFileGrowth('report --no-sync --orders', (bytes) => `uid,id,time,${cells(bytes / 8).join()}\n1,5,x\n`);
    await expectFileGrowth('report --no-sync --orders', (bytes) => {
      const rows = cells(bytes).map((cell, n) => `1,${n + 1},2026-11-17 00:30:00,${cell},${cell},${cell},${cell}\n`);
      return `uid,id,time,status,filled,size,zone\n${rows.join('')}`;
    });
  });
});
