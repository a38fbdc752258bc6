import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../cli/local/serve.ts';
import { serveTlog } from '../../../../cli/local/serveTlog.ts';
import { entriesOf } from '../../../c2sp/trees.ts';
import { runCommand } from '../../../setup/commandLine.ts';
import { notes, says, shows } from '../../../setup/outcome.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { openPublicLogServer, type PublicLogServer } from '../../proof/inclusion/publicLogServer.ts';
import { openLoggedData } from './loggedData.ts';

let server: PublicLogServer;
let cwd: string;
beforeEach(async () => {
  server = await openPublicLogServer();
  cwd = temporaryFolder();
  writeFileSync(join(cwd, 'tlog.policy'), server.policy);
  return server.close;
});

const copy = (...args: string[]) => runCommand(['tlog', 'copy', server.url, 'log-copy', ...args], { cwd });
const copied = () =>
  globSync('**/*', { cwd: join(cwd, 'log-copy') })
    .filter((path) => statSync(join(cwd, 'log-copy', path)).isFile())
    .sort();
const read = (path: string) => readFileSync(join(cwd, 'log-copy', path));

/** The files of a log of 300 entries: a full tile of entries and of hashes, the rest, and the tile above. */
// biome-ignore format: several a line
const OF_300 = [
  'checkpoint', 'tile/0/000', 'tile/0/001.p/44', 'tile/1/000.p/1', 'tile/entries/000', 'tile/entries/001.p/44',
];

describe('a copy', () => {
  test('has the checkpoint and the files of its tree, byte for byte', async () => {
    await server.publish(entriesOf(300));
    expect(await copy()).toEqual({
      exitCode: 0,
      stdout: `${server.url}/ has 300 entries. Copied 5 files to log-copy; 0 were there already.\n`,
      stderr: '',
    });
    expect(copied()).toEqual(OF_300);
    for (const path of OF_300) expect(read(path)).toEqual(Buffer.from(server.files.get(path) as Uint8Array));
  });

  test('needs a folder, not a file', async () => {
    await server.publish(entriesOf(1));
    const path = join(cwd, 'log-copy');
    writeFileSync(path, 'mine');
    expect(await copy()).toEqual(says(2, `${path} is a file, not a folder.\n`));
  });

  test('of the log of npm start passes the audit', async () => {
    const { folder, logFolder, upload, sequence } = await openLoggedData();
    await upload();
    await sequence();
    const run = (...args: string[]) => runCommand(args, { cwd: folder });
    await run('tlog', 'export-policy', '-o', 'tlog.policy', '--local');
    const local = createServer((request, response) => void serveTlog(logFolder, request, response));
    const url = `${await listen(local, 0)}/tlog/`;
    const { stdout } = await run('tlog', 'copy', url, 'log-copy', '--json');
    local.close().closeAllConnections();
    expect(JSON.parse(stdout)).toEqual({ url, size: 4, copied: 2, kept: 0, folder: 'log-copy' });
    const audit = await run('tlog', 'audit', '--log', 'log-copy', '--policy', 'tlog.policy');
    // Earlier checkpoints are not in the copy, so they are not checked.
    expect([audit.exitCode, audit.stderr]).toEqual([5, 'No contradictions, but not everything was checked.\n']);
  });

  test('gains what is new, and asks for no file again', async () => {
    await server.publish(entriesOf(300));
    await copy();
    const second = await server.publish(entriesOf(400, 300));
    server.state.requests.length = 0;
    expect((await copy()).stdout).toBe(
      `${server.url}/ has 700 entries, 400 more than in the copy before. Copied 5 files to log-copy; 2 were there already.\n`,
    );
    expect(server.state.requests).not.toContain('tile/entries/000');
    expect(read('checkpoint').toString()).toBe(second);
    expect((await copy()).stdout).toContain('0 more than in the copy before. Copied 0 files to log-copy; 7 were there');
  });

  test('that was interrupted has no checkpoint, and goes on where it stopped', async () => {
    await server.publish(entriesOf(300));
    server.state.intercept = (path, response) => path === 'tile/entries/001.p/44' && !!response.writeHead(503).end();
    expect((await copy()).exitCode).toBe(4);
    expect(existsSync(join(cwd, 'log-copy/checkpoint'))).toBe(false);
    const before = copied().length;
    server.state.intercept = () => false;
    expect(await copy()).toMatchObject(shows(0, `; ${before} were there`));
    expect(copied()).toEqual(OF_300);
  });

  test('a checkpoint that a cache has not replaced yet is asked for again', async () => {
    const old = await server.publish(entriesOf(300));
    await server.publish(entriesOf(1, 300));
    await copy();
    server.answerOnce('checkpoint', (response) => response.writeHead(200).end(old));
    expect(await copy()).toMatchObject(shows(0, 'has 301 entries, 0 more'));
  });

  test('of a log without entries is its checkpoint', async () => {
    await server.publish([]);
    expect((await copy()).exitCode).toBe(0);
    expect(copied()).toEqual(['checkpoint']);
  });
});

describe('nothing is overwritten', () => {
  test('if a file of the folder has another length', async () => {
    await server.publish(entriesOf(300));
    await copy();
    writeFileSync(join(cwd, 'log-copy/tile/entries/000'), 'mine');
    expect(await copy()).toMatchObject(
      notes(1, /entries\/000 is not a file of this log: it has 4 bytes instead of 8704\.\n/),
    );
    expect(read('tile/entries/000').toString()).toBe('mine');
  });

  test.each([
    ['another tree', 500, 'forked: at size 500, it does not begin with the 300 entries that it had'],
    ['a smaller one', 200, 'rolled back: it has 200 entries, and had 300'],
  ])('if the log is not the one that was copied, %s: both checkpoints are kept, and named', async (_, size, why) => {
    const first = await server.publish(entriesOf(300));
    await copy();
    const before = copied();
    const other = await server.fork(entriesOf(size, 1000));
    const { exitCode, stderr } = await copy();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(why)]);
    expect([copied(), read('checkpoint').toString()]).toEqual([before, first]);
    const [, mine = '', kept = ''] = /Keep (\S+) and (\S+), and show both/.exec(stderr) ?? [];
    expect([mine, readFileSync(kept, 'utf8')]).toEqual([join(cwd, 'log-copy/checkpoint'), other]);
  });

  test('if the copy that was interrupted is of another log', async () => {
    await server.publish(entriesOf(300));
    server.state.intercept = (path, response) => path === 'tile/entries/001.p/44' && !!response.writeHead(503).end();
    await copy();
    server.state.intercept = () => false;
    await server.fork(entriesOf(500, 1000));
    expect(await copy()).toMatchObject(notes(1, 'forked'));
    rmSync(join(cwd, 'log-copy/.unfinished'), { recursive: true });
    expect(await copy()).toMatchObject(notes(2, 'and no checkpoint.'));
    expect(existsSync(join(cwd, 'log-copy/checkpoint'))).toBe(false);
  });

  test('if the checkpoint in the folder is of a log that the policy does not trust', async () => {
    await server.publish(entriesOf(3));
    await copy();
    const other = await openPublicLogServer('other.example/log');
    writeFileSync(join(cwd, 'tlog.policy'), other.policy);
    other.close();
    expect(await copy()).toMatchObject(notes(2, 'that the policy trusts'));
  });
});

describe('a log that cannot be copied', () => {
  test.each<[name: string, change: (files: PublicLogServer['files']) => unknown, stderr: string]>([
    [
      'lacks a file',
      (files) => files.delete('tile/entries/000'),
      'tile/entries/000 is not a file of this log: the log',
    ],
    ['has a short file', (files) => files.set('tile/entries/000', 'x'), 'it has 1 bytes instead of 8704'],
    [
      'has other hashes',
      (files) => files.set('tile/0/001.p/44', Buffer.alloc(44 * 32)),
      'do not belong to its checkpoint of size 300.\nNothing was copied. Try again, and tell the organisers',
    ],
  ])('%s', async (_, change, stderr) => {
    await server.publish(entriesOf(300));
    change(server.files);
    expect(await copy()).toMatchObject(notes(1, stderr));
    expect(existsSync(join(cwd, 'log-copy/checkpoint'))).toBe(false);
  });

  test('does not answer: this says nothing against it', async () => {
    await server.publish(entriesOf(300));
    server.state.intercept = (path, response) => path.startsWith('tile/') && !!response.writeHead(503).end();
    expect(await copy()).toMatchObject(notes(4, 'HTTP 503'));
  });

  test('is not of the policy, or needs one', async () => {
    await server.publish(entriesOf(3));
    rmSync(join(cwd, 'tlog.policy'));
    expect(await copy()).toMatchObject(notes(2, 'There is no trust policy.'));
    const other = await openPublicLogServer('other.example/log');
    writeFileSync(join(cwd, 'tlog.policy'), other.policy);
    other.close();
    expect(await copy()).toMatchObject(notes(1, 'cannot be trusted'));
  });
});
