/** What a command does when nobody takes its output: the disk is full, or the reader has ended. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { execute, folderOf, LOG, localWorld, MAIN, notes, says, world } from '../../../setup/world.ts';

const work = await world().served();
const team = await work.team();
const local = await localWorld();

/** Where bash sends the output of a program. */
const TO = {
  nobody: 'exec 3> >(true); wait $!; exec "$@" >&3',
  'the first line': 'set -o pipefail; "$@" | head -n 1 > /dev/null',
  'a full disk': 'exec "$@" > /dev/full',
  'a full disk, with all notes': 'exec "$@" > /dev/full 2>&1',
} as const;

/** Runs `ailog` in a process of its own, with its output sent there. */
const ailog = (to: string, args: readonly string[], { cwd = folderOf({ 'log.json': LOG }), input = '' } = {}) =>
  execute(['bash', '--norc', '-c', to, 'bash', process.execPath, MAIN, ...args], {
    cwd,
    input,
    env: { ...work.environmentOf(team), DYNAMODB_ENDPOINT: local.endpoint },
  });

const FULL = 'The output cannot be written: its disk is full (ENOSPC).\nEarlier changes of the command stay.\n';

describe('on a full disk', () => {
  test.each([[['sign', 'log.json']], [['--help']], [['--version']], [['help', 'logs', 'list']]])(
    '%j says so, and ends with 2',
    async (args) => {
      expect(await ailog(TO['a full disk'], args)).toEqual(says(2, FULL));
      expect(await ailog(TO['a full disk, with all notes'], args)).toEqual(says(2, ''));
    },
  );

  test.each([[[]], [['--json']]])('upload - %j says the receipt of what it stored', async (more) => {
    const ran = await ailog(TO['a full disk'], ['upload', '-', ...more], { input: LOG });
    const { entryId } = (await work.entriesOf(team.uid)).at(-1) ?? {};
    const stored = new RegExp(`^The log is stored: entry ${entryId}, receipt [\\w+/=]+\\.\n`);
    expect(ran).toEqual(says(2, expect.stringMatching(stored)));
    expect(ran.stderr.endsWith(FULL)).toBe(true);
  });

  test('a change says so, and stays', async () => {
    await local.ailog(['allowlist', 'add', '71']);
    const ran = await ailog(TO['a full disk'], ['allowlist', 'suspend', '71'], { cwd: local.folder });
    expect(ran).toEqual(says(2, FULL));
    expect((await local.ailog(['allowlist', 'show', '71'])).stdout).toContain('suspended');
  });

  test('no key is issued whose credentials nobody sees', async () => {
    const args = ['keys', 'issue', '72', '--unlisted'];
    expect(await ailog(TO['a full disk'], args, { cwd: local.folder })).toEqual(says(2, FULL));
    expect(await ailog(TO.nobody, args, { cwd: local.folder })).toEqual(says(141, ''));
    expect(JSON.parse((await local.ailog(['keys', 'list', '--uid', '72', '--json'])).stdout)).toEqual([]);
  });

  test('notes that cannot be written change nothing', async () => {
    const { exitCode, stdout } = await ailog('exec "$@" 2> /dev/full', ['sign', 'log.json']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^ACCESS-KEY: .*\nACCESS-SIGN: .*\n/s)]);
  });
});

describe('without a reader, the exit code is 141', () => {
  test.each([[['sign', 'log.json']], [['--help']]])('of %j, which says nothing', async (args) => {
    expect(await ailog(TO.nobody, args)).toEqual(says(141, ''));
  });

  test('of a folder of logs that are all invalid, and they are counted', async () => {
    const cwd = folderOf({ '1.json': '{}', '2.json': '{}' });
    const counts = /^2 logs: 0 stored, 0 stored before, 2 not stored\. Results: /m;
    expect(await ailog(TO.nobody, ['upload', '--dir', '.'], { cwd })).toMatchObject(notes(141, counts));
  });

  test('of a folder that is watched', async () => {
    const cwd = folderOf({ '1.json': '{}' });
    expect(await ailog(TO.nobody, ['upload', '--dir', '.', '--watch'], { cwd })).toMatchObject(
      notes(141, '1 log: 0 stored, 0 stored before, 1 not stored.'),
    );
  });

  test('of a console, which leaves nothing', async () => {
    const args = ['console', '--local', '--no-open', '--no-sync'];
    expect(await ailog(TO.nobody, args, { cwd: local.folder })).toEqual(says(141, ''));
    expect(readdirSync(local.folder).filter((name) => name.startsWith('ailog-console'))).toEqual([]);
  });

  test('also if the reader stops before the end', async () => {
    const big = await local.team();
    // More than a pipe holds.
    for (let entry = 0; entry < 4; entry += 1) {
      await local.uploadAt(big, Date.now() + entry, { input: { prompt: 'x'.repeat(60_000) } });
    }
    const args = ['logs', 'export', '--uid', big.uid];
    expect(await ailog(TO['the first line'], args, { cwd: local.folder })).toEqual(says(141, ''));
  });
});
