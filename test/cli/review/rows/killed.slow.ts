import { execFileSync, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openTables } from '../../../../cli/review/rows/rowTables.ts';
import { execute, MAIN, start } from '../../../setup/execute.ts';
import { openRowsData } from './rowsData.ts';

const ROUNDS = process.env.THOROUGH ? 40 : 8;

const data = await openRowsData();
const ids: string[] = [];
for (let n = 0; n < 90; n += 1) ids.push(await data.upload());
await data.sequence();

/** A sync that stores parts of ten rows. */
const often = data.often(10);

test('a sync that is killed at any step leaves whole rows, and the next one continues', async () => {
  const stored: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const running = start(often, data.options());
    await Promise.race([running.ended, sleep(500 + Math.random() * 1500)]);
    running.kill('SIGKILL');
    await running.ended;
    const manifest = data.store.read();
    if (manifest === undefined) continue;
    if (manifest === 'damaged') throw new Error('The manifest is damaged');
    expect(await data.store.findDamaged(manifest.files)).toEqual([]);
    const found = await data.ids();
    expect(found).toEqual([...new Set(found)]);
    stored.push(found.length);
    // What was stored is never lost.
    expect(stored.toSorted((a, b) => a - b)).toEqual(stored);
    if (round === ROUNDS / 2) ids.push(await data.upload());
  }
  await data.sequence();
  const ended = await execute(often, data.options());
  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringMatching(/new entr(y|ies) in \d+ s\.\n$/)]);
  expect(await data.ids()).toEqual(ids.toSorted());
  expect((await data.ailog(['data', 'sync', '--check'])).exitCode).toBe(0);
});

test('a full disk is named, and the rows before stay whole', async () => {
  const before = data.manifest();
  ids.push(await data.upload({ output: { text: 'x'.repeat(50_000) } }));
  // A limit on the size of files takes the place of a full disk.
  const ran = await execute(['sh', '-c', `ulimit -f 1; exec '${often.join("' '")}'`], data.options());
  const stderr = expect.stringMatching(/^The file .*rows.* cannot be used: .* \(EFBIG\)\.\n$/);
  expect(ran).toMatchObject({ exitCode: 2, stderr });
  expect(data.manifest()).toEqual(before);
  expect(await data.store.findDamaged(before.files)).toEqual([]);
  expect((await data.ailog(['data', 'sync'])).stderr).toMatch(/^1 new entry/);
  expect(await data.ids()).toEqual(ids.toSorted());
});

test('a folder that cannot be written is named', () => {
  // A superuser can write everywhere, and hands over to another user.
  execFileSync('chmod', ['a+x', tmpdir()]);
  execFileSync('chmod', ['-R', 'a+rX,a-w', data.folder]);
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', data.folder]));
  const { cwd, env } = data.options();
  const ran = (...args: string[]) => {
    const uid = process.getuid?.() || 65_534;
    const { status, stderr, error } = spawnSync(process.execPath, [MAIN, ...args, '--local'], {
      cwd,
      env,
      uid,
      encoding: 'utf8',
    });
    return [args.join(' '), status ?? String(error), stderr];
  };
  const unusable = expect.stringMatching(/^The file .*rows.* cannot be used: .* \(EACCES\)\.\n$/);
  for (const command of [['data', 'sync'], ['report'], ['report', '--no-sync'], ['logs', 'list', 'eth', '--no-sync']])
    expect(ran(...command)).toEqual([command.join(' '), 2, unusable]);
});

test('a report that has opened the rows reads them while they are made again', async () => {
  const engine = await openTables(data.store, data.manifest());
  await data.ailog(['data', 'sync', '--rebuild']);
  await data.ailog(['data', 'sync']);
  const [row] = await Array.fromAsync(engine.read<{ n: number }>('SELECT count(*) AS n FROM entries'));
  engine.close();
  expect(row?.n).toBe(ids.length);
});
