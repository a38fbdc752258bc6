import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { folderOf, MAIN, start as startProgram, type Team, world } from '../../setup/world.ts';
import { busy, linesOf, log, outcomesOf, stagesIn } from './folders.ts';

const work = await world().served();
let team: Team;
beforeEach(async () => {
  work.way.plan();
  team = await work.team();
});
// A superuser can read everything, and hands over to another user, if that one can read the program.
const uid = process.getuid?.() || 65_534;
const canHandOver =
  process.platform === 'linux' && spawnSync(process.execPath, [MAIN, '--version'], { uid, cwd: '/' }).status === 0;

const stagesOf = (team: Team) => stagesIn(work, team);

test.runIf(canHandOver)('a log of someone else is named, and tried again when it can be read', async () => {
  const folder = folderOf({ '1.json': log('a'), '2.json': log('b'), '3.json': log('c') });
  chmodSync(tmpdir(), 0o711);
  chmodSync(folder, 0o777);
  chmodSync(join(folder, '2.json'), 0);
  const startOther = (...args: string[]) =>
    startProgram([process.execPath, MAIN, ...args, '--json'], { env: work.environmentOf(team), uid });
  const says = `The file ${join(folder, '2.json')} cannot be used: you have no permission (EACCES)`;
  const unread = { file: '2.json', status: 'invalid', says };

  const checked = await startOther('doctor', folder).ended;
  expect([checked.exitCode, JSON.parse(checked.stdout)]).toEqual([
    1,
    expect.arrayContaining([
      expect.objectContaining({ check: 'connection', status: 'ok' }),
      { check: 'log', status: 'wrong', says: `2.json: ${says}` },
      { check: 'logs', status: 'ok', says: '2 of 3 logs would be accepted' },
    ]),
  ]);
  const ran = await startOther('upload', '--dir', folder).ended;
  expect([ran.exitCode, JSON.parse(ran.stdout)]).toMatchObject([
    1,
    [{ status: 'stored' }, unread, { status: 'stored' }],
  ]);

  const watching = startOther('upload', '--dir', folder, '--watch');
  await expect.poll(watching.output).toContain(says);
  writeFileSync(join(folder, '4.json'), log('d'));
  await expect.poll(() => stagesOf(team)).toEqual(['a', 'c', 'd']);
  chmodSync(join(folder, '2.json'), 0o644);
  await expect.poll(() => stagesOf(team)).toEqual(['a', 'c', 'd', 'b']);
  watching.kill('SIGINT');
  const { exitCode, stdout } = await watching.ended;
  expect([exitCode, linesOf(stdout)]).toMatchObject([130, [unread, { file: '4.json' }, { file: '2.json' }]]);
});

test('--watch uploads new files, tries again when the service is busy, and stops with Ctrl-C', async () => {
  const folder = folderOf({ '1.json': log('a'), 'bad.json': '{}' });
  const stop = new AbortController();
  const args = ['upload', '--dir', folder, '--watch', '--patience', '0', '--json'];
  const running = work.run(team, args, { signal: stop.signal });
  await expect.poll(() => stagesOf(team)).toEqual(['a']);
  work.way.plan(busy(429, '60'));
  writeFileSync(join(folder, '2.json'), log('b'));
  await expect.poll(() => stagesOf(team)).toEqual(['a', 'b']);
  stop.abort();
  const { exitCode, stdout, stderr } = await running;
  expect(exitCode).toBe(130);
  expect(outcomesOf(linesOf(stdout))).toBe('1.json stored, bad.json invalid, 2.json stored');
  expect(stderr).toContain('2.json was rejected: HTTP 429, 40015: System busy, retry. It is tried again.');
  expect(stderr).toContain('3 logs: 2 stored, 0 stored before, 1 not stored.');
});
