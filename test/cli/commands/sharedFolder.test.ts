import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makePrivate } from '../../../cli/local/localData.ts';
import {
  execute,
  LOG,
  localWorld,
  MINUTE_MS,
  openServedLog,
  runCommand,
  startService,
  temporaryFolder,
} from '../../setup/world.ts';

/** Another user of the machine. */
const NOBODY = 65_534;

const isRoot = process.geteuid?.() === 0;
const data = await localWorld().sequenced({ isLive: true });
const service = await startService(data);
const log = await openServedLog(Date.now() - 10 * MINUTE_MS);
await log.grow(3);
await log.sequence(10 * MINUTE_MS);
await data.logged();
await data.allowlist.put({ uid: data.owner.uid, status: 'approved' });
const policy = data.file('log.policy', log.policyText);
const old = data.file('old.json', LOG);

const { uid, accessKey, secret, passphrase } = data.owner;
const access = {
  AILOG_URL: service.url,
  AILOG_ACCESS_KEY: accessKey,
  AILOG_SECRET: secret,
  AILOG_PASSPHRASE: passphrase,
};

// biome-ignore format: one case a line
const COMMANDS: readonly (readonly [name: string, args: (folder: string) => readonly string[]])[] = [
  ['keys issue', (folder) => ['keys', 'issue', uid, '-o', join(folder, 'team.env')]],
  ['keys issue to a folder', (folder) => ['keys', 'issue', uid, '--output-dir', folder]],
  ['keys rotate', (folder) => ['keys', 'rotate', accessKey, '--yes', '-o', join(folder, 'team.env')]],
  ['logs export', (folder) => ['logs', 'export', '-o', join(folder, 'logs.jsonl')]],
  ['logs export of rows', (folder) => ['logs', 'export', '--format', 'parquet', '-o', join(folder, 'rows.parquet')]],
  ['logs export by day', (folder) => ['logs', 'export', '--daily', join(folder, 'days')]],
  ['statement', (folder) => ['statement', '--uid', uid, '-o', join(folder, 'team.statement')]],
  ['tlog export-policy', (folder) => ['tlog', 'export-policy', '-o', join(folder, 'tlog.policy')]],
  ['tlog follow', (folder) => ['tlog', 'follow', log.url, join(folder, 'copy'), '--policy', policy]],
  ['upload of a folder', (folder) => ['upload', '--dir', folder]],
  ['upload with a result file', (folder) => ['upload', old, '--results', join(folder, 'results.jsonl')]],
];

/** Opens a folder to which everybody writes, with a log of ours. */
function openShared() {
  const folder = join(temporaryFolder(), 'shared');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, 'own.json'), LOG, { mode: 0o600 });
  return folder;
}

const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

/** What a program can guess that is beside a file while it is written. */
const GUESSES = ['', '.lock', '.part', '.new', '.tmp', `.${process.pid}`, `.lock.${process.pid}`, '.lock.takeover'];

/** A file and a folder of ours, to which others cannot write. */
function openVictim() {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'ours', { mode: 0o600 });
  mkdirSync(join(folder, 'folder'));
  return { file, folder: join(folder, 'folder'), missing: join(folder, 'missing') };
}

type Plant = (paths: readonly string[], victim: ReturnType<typeof openVictim>) => unknown;
const each =
  (plant: (path: string, victim: ReturnType<typeof openVictim>) => void): Plant =>
  (paths, victim) => {
    for (const path of paths) plant(path, victim);
  };

/** What somebody else can put in the place of files. */
const PLANTS: Readonly<Record<string, Plant>> = {
  'links to a file of ours': each((path, { file }) => symlinkSync(file, path)),
  'links to a folder of ours': each((path, { folder }) => symlinkSync(folder, path)),
  'links that lead nowhere': each((path, { missing }) => symlinkSync(missing, path)),
  'files of theirs': each((path) => writeFileSync(path, 'theirs', { mode: 0o666 })),
  pipes: (paths) => execute(['mkfifo', ...paths]),
};

describe.runIf(isRoot)('in a folder to which everybody writes, with what another user has put there', () => {
  test.each(COMMANDS)('%s writes nothing but files of its own', async (_name, args) => {
    const clean = openShared();
    const run = (folder: string) => runCommand(args(folder), { cwd: data.folder, env: access });
    expect(await run(clean)).toMatchObject({ exitCode: 0 });
    const made = filesIn(clean).filter((name) => name !== 'own.json');
    expect(made.length + Number(args('').includes('--daily'))).toBeGreaterThan(0);
    for (const [kind, plant] of Object.entries(PLANTS)) {
      const victim = openVictim();
      const folder = openShared();
      const tops = new Set(made.map((name) => name.split('/')[0] as string));
      if (args('').includes('--daily')) tops.add('days');
      const planted = [...tops].flatMap((top) => GUESSES.map((guess) => join(folder, top + guess)));
      await plant(planted, victim);
      for (const path of planted) lchownSync(path, NOBODY, NOBODY);
      const { exitCode } = await run(folder);
      const about = `${kind} for ${args('<folder>').join(' ')}`;
      expect([about, readFileSync(victim.file, 'utf8'), statSync(victim.file).mode & 0o777]).toEqual([
        about,
        'ours',
        0o600,
      ]);
      expect([about, readdirSync(victim.folder), existsSync(victim.missing)]).toEqual([about, [], false]);
      // What it says is written is there. A page for teams that exists stays as it is.
      const isMade = (name: string) => lstatSync(join(folder, name)).uid !== NOBODY || name === 'README.txt';
      if (exitCode === 0) expect([about, made.filter((name) => !isMade(name))]).toEqual([about, []]);
      for (const name of filesIn(folder)) {
        const stat = lstatSync(join(folder, name));
        if (stat.uid === NOBODY) {
          if (stat.isFile()) expect([about, readFileSync(join(folder, name), 'utf8')]).toEqual([about, 'theirs']);
        } else if (stat.isFile()) expect([about, name, stat.mode & 0o077]).toEqual([about, name, 0]);
      }
    }

    // Nor does it follow a link within a folder of theirs.
    const folders = filesIn(clean).filter((name) => statSync(join(clean, name)).isDirectory());
    for (const inner of folders) {
      const victim = openVictim();
      const folder = openShared();
      mkdirSync(join(folder, dirname(inner)), { recursive: true });
      symlinkSync(victim.folder, join(folder, inner));
      lchownSync(join(folder, inner), NOBODY, NOBODY);
      const { exitCode, stderr } = await run(folder);
      expect([inner, readdirSync(victim.folder)]).toEqual([inner, []]);
      expect([inner, exitCode, stderr]).toEqual([
        inner,
        2,
        expect.stringContaining(`${join(folder, inner)} is a link.`),
      ]);
    }
  });

  test('the folder of the local run is no link to another folder', () => {
    const folder = openShared();
    const victim = openVictim();
    writeFileSync(join(victim.folder, 'program'), '');
    chmodSync(join(victim.folder, 'program'), 0o755);
    symlinkSync(victim.folder, join(folder, '.local'));
    expect(() => makePrivate(join(folder, '.local'))).toThrow('.local is a link.');
    expect(statSync(join(victim.folder, 'program')).mode & 0o777).toBe(0o755);
  });

  test('a result file of somebody else decides nothing', async () => {
    const folder = openShared();
    const path = join(folder, 'ailog-results.jsonl');
    writeFileSync(path, '', { mode: 0o666 });
    chownSync(path, NOBODY, NOBODY);
    const ran = await runCommand(['upload', '--dir', folder], { cwd: data.folder, env: access });
    expect(ran).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`${path} belongs to the user ${NOBODY}.`),
    });
  });
});
