import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatCredentials } from '../../../cli/shell/files/credentialsFile.ts';
import { readAccess } from '../../../cli/upload/access.ts';
import { folderOf, LOG, notes, runCommand, world } from '../../setup/world.ts';

const work = await world().served();
const team = await work.team();

/** Creates a folder with a log, the demo team's file, and a credentials file without a URL. */
function createFolder(mode = 0o600): string {
  const cwd = folderOf({ 'log.json': LOG });
  mkdirSync(join(cwd, '.local'));
  const files = {
    '.local/demo.env': `${formatCredentials(team)}export AILOG_URL='${work.service}'\n`,
    'own.env': formatCredentials(team),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(cwd, name), text);
    chmodSync(join(cwd, name), mode);
  }
  return cwd;
}

const { AILOG_URL: _, PATH: _path, ...variables } = work.environmentOf(team);
const missing = 'AILOG_ACCESS_KEY, AILOG_SECRET, AILOG_PASSPHRASE are missing in the environment.';

describe('credentials and URL', () => {
  // biome-ignore format: one case a line
  test.each<[name: string, args: string[], env: NodeJS.ProcessEnv, exit: number, says: string]>([
    ['from the environment', [], { ...variables, AILOG_URL: work.service }, 0, 'Remaining quota'],
    ['from the environment, with a wrong URL from --url', ['--url', 'ftp://example.com'], { ...variables, AILOG_URL: work.service }, 2, '"ftp://example.com" is not a base URL.'],
    ["from the demo team's file if nothing else is given", [], {}, 0, 'Remaining quota'],
    ["from the demo team's file for a service on this machine", [], { AILOG_URL: work.service }, 0, 'Remaining quota'],
    ["not from the demo team's file for another service", ['--url', 'https://api.example.com'], {}, 2, missing],
    ["not from the demo team's file if the environment has a part", [], { AILOG_SECRET: 'x', AILOG_URL: work.service }, 2, 'AILOG_ACCESS_KEY, AILOG_PASSPHRASE are missing in the environment.'],
    ['from a file, which takes precedence over the environment', ['--credentials', 'own.env'], { AILOG_SECRET: 'x', AILOG_URL: work.service }, 0, 'Remaining quota'],
    ['from a file without URL', ['--credentials', 'own.env'], {}, 2, 'AILOG_URL is missing.'],
    ['that are not allowed in a header', [], { ...variables, AILOG_PASSPHRASE: '密码', AILOG_URL: work.service }, 2, 'AILOG_PASSPHRASE has a character that is not allowed in an HTTP header.'],
    ['with a line break at their end, which a header does not have', [], { ...variables, AILOG_PASSPHRASE: `${team.passphrase}\n`, AILOG_URL: work.service }, 0, 'Remaining quota'],
    ['with a line break', [], { ...variables, AILOG_ACCESS_KEY: 'a\nb', AILOG_URL: work.service }, 2, 'AILOG_ACCESS_KEY has a character that is not allowed in an HTTP header.'],
    ['from a file that does not exist', ['--credentials', 'none.env'], {}, 2, 'There is no file '],
  ])('%s', async (_name, args, env, exit, says) => {
    const ran = await runCommand(['upload', 'log.json', ...args], { cwd: createFolder(), env });
    expect(ran).toMatchObject(notes(exit, says));
    expect(ran.stdout + ran.stderr).not.toContain(team.secret);
  });

  // biome-ignore format: one case a line
  test.each<[string, string, string]>([
    ['a path prefix', 'https://api.example.com/prod', 'https://api.example.com/prod'],
    ['trailing slashes', 'https://api.example.com//', 'https://api.example.com'],
    ['upper case', 'HTTPS://API.example.com', 'https://api.example.com'],
    ['this machine without TLS', 'http://localhost:8787/', 'http://localhost:8787'],
    ['an address of this machine', 'http://127.20.3.144:1', 'http://127.20.3.144:1'],
    ['this machine in IPv6', 'http://[::1]:1', 'http://[::1]:1'],
  ])('the base URL may have %s', (_name, AILOG_URL, url) => {
    expect(readAccess({ env: { ...variables, AILOG_URL }, cwd: folderOf } as never, {})).toEqual({
      url,
      uid: undefined,
      accessKey: team.accessKey,
      secret: team.secret,
      passphrase: team.passphrase,
      ...(AILOG_URL.endsWith('/') && { endsInSlash: true }),
    });
  });

  // biome-ignore format: one case a line
  test.each<[string, string, string]>([
    ['a query', 'https://api.example.com/?a=b', '"https://api.example.com/?a=b" is not a base URL.'],
    ['a fragment', 'https://api.example.com/#a', '"https://api.example.com/#a" is not a base URL.'],
    ['a user', 'https://user@api.example.com', '"https://user@api.example.com" is not a base URL.'],
    ['another protocol', 'xhttps://api.example.com', '"xhttps://api.example.com" is not a base URL.'],
    ['the path and a slash', 'https://api.example.com/capi/v2/order/uploadAiLog/', 'The base URL must not contain /capi/v2/order/uploadAiLog.'],
    ['a name that only starts like this machine', 'http://localhost.example.com', 'http://localhost.example.com would send the passphrase unencrypted.'],
    ['a name that only ends like this machine', 'http://my-localhost', 'http://my-localhost would send the passphrase unencrypted.'],
    ['an address that goes on after that of this machine', 'http://127.0.0.1.example.com', 'http://127.0.0.1.example.com would send the passphrase unencrypted.'],
    ['a name that begins like an address of this machine', 'http://127.0.0.evil.example', 'http://127.0.0.evil.example would send the passphrase unencrypted.'],
  ])('the base URL must not have %s', (_name, AILOG_URL, message) => {
    const terminal = { env: { ...variables, AILOG_URL }, cwd: folderOf } as never;
    expect(() => readAccess(terminal, {})).toThrow(expect.objectContaining({ outcome: 'usage', message, advice: expect.any(String) }));
  });

  test('the UID is that of the same source as the credentials', () => {
    const env = { ...variables, AILOG_URL: work.service, AILOG_UID: '7' };
    const uidOf = (options: object, environment: object = env) =>
      readAccess({ env: environment, cwd: createFolder } as never, options).uid;
    expect([uidOf({}), uidOf({ credentials: 'own.env' }), uidOf({}, {})]).toEqual(['7', team.uid, team.uid]);
  });

  test('the URL is that of the option, else that of the credentials file, else that of the environment', () => {
    const cwd = createFolder();
    const urlOf = (options: object) =>
      readAccess({ env: { AILOG_URL: 'https://env.example' }, cwd: () => cwd } as never, options).url;
    expect([
      urlOf({ credentials: '.local/demo.env', url: 'https://option.example' }),
      urlOf({ credentials: '.local/demo.env' }),
      urlOf({ credentials: 'own.env' }),
    ]).toEqual(['https://option.example', work.service, 'https://env.example']);
  });

  test("a file that others can read is rejected, also the demo team's file", async () => {
    for (const args of [[], ['--credentials', 'own.env', '--url', work.service]]) {
      const ran = await runCommand(['upload', 'log.json', ...args], { cwd: createFolder(0o640) });
      expect(ran).toMatchObject(notes(2, /^Others can read the credentials in .*\.env\.\nRun: chmod 600 /));
    }
  });
});
