import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { writeForTeams } from '../../../../cli/store/tables/forTeams.ts';
import { DEMO_NAMES, localPaths } from '../../../../cli/store/targets/data.ts';
import { localWorld, runCommand, says, startService, type Team } from '../../../setup/world.ts';
import { DENIED, NO_TERMINAL, teamIn, UNANSWERED } from './keyHelpers.ts';

const URL = 'http://127.0.0.1:8787';

const local = await localWorld();
writeFileSync(join(local.folder, localPaths.demo), DEMO_NAMES.map((name) => `export ${name}='${URL}'\n`).join(''), {
  mode: 0o600,
});
for (const uid of ['61', '62', '63']) await local.allowlist.put({ uid, status: 'approved' });
const folder = join(local.folder, 'issued');
beforeEach(() => rmSync(folder, { recursive: true, force: true }));

const keys = (...args: string[]) => local.ailog(['keys', ...args]);
const { codeOf: upload, keysOf } = local;
const credentialsFiles = () => readdirSync(folder).filter((name) => name.endsWith('.env'));
const read = (name: string) => parseEnv(readFileSync(join(folder, name), 'utf8'));
const inFolder = (name: string): Team => teamIn(join(folder, name));

describe('ailog keys issue for several UIDs', () => {
  test('writes a file for each that only the owner can read, with URL and UID', async () => {
    expect((await keys('issue', '61', '62', '--output-dir', 'issued', '--yes')).exitCode).toBe(0);
    expect(credentialsFiles()).toEqual(['61.env', '62.env']);
    const record = join(folder, 'handed-over.csv');
    const line = (uid: string) => `${uid},,${read(`${uid}.env`).AILOG_ACCESS_KEY},issued/${uid}.env,\\S+Z,\n`;
    expect(readFileSync(record, 'utf8')).toMatch(
      new RegExp(`^uid,team,accessKey,file,changedAt,expiresAt\n${line('61')}${line('62')}$`),
    );
    await keys('issue', '61', '63', '--output-dir', 'issued', '--skip-existing');
    expect(readFileSync(record, 'utf8')).toMatch(/^uid,.*\n61,.*\n62,.*\n63,.*\n$/);
    rmSync(join(folder, '63.env'));
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const uid of ['61', '62']) {
      expect(statSync(join(folder, `${uid}.env`)).mode & 0o777).toBe(0o600);
      const written = { AILOG_URL: URL, AILOG_UID: uid };
      const credentials = ['AILOG_ACCESS_KEY', 'AILOG_SECRET', 'AILOG_PASSPHRASE'];
      const others = Object.fromEntries(credentials.map((name) => [name, expect.any(String)]));
      expect(read(`${uid}.env`)).toEqual({ ...written, ...others });
      expect(await upload(inFolder(`${uid}.env`))).toBe('00000');
    }
  });

  test('writes one page for all teams, without secrets: what to install and a first upload', async () => {
    await local.allowlist.put({ uid: '61', status: 'approved', team: 'Alpha' });
    await keys('issue', '61', '--output-dir', 'issued', '--expires', '2099-01-31');
    await local.allowlist.put({ uid: '61', status: 'approved' });
    const page = readFileSync(join(folder, 'README.txt'), 'utf8');
    const { secret, passphrase, accessKey } = inFolder('61.env');
    expect(page).toContain(`Service     ${URL}\nPublic log  ask the organisers\n`);
    for (const ofOne of [secret, passphrase, accessKey, '61', 'Alpha']) expect(page).not.toContain(ofOne);
    expect(readFileSync(join(folder, 'handed-over.csv'), 'utf8')).toMatch(
      new RegExp(`^61,Alpha,${accessKey},issued/61\\.env,\\S+Z,2099-01-31T00:00:00\\.000Z$`, 'm'),
    );
    const service = await startService(local);
    const commands = page.match(/(?<=^ {5}node ailog\.mjs ).*/gm) ?? [];
    expect(commands.map((command) => command.split(' ')[0])).toEqual(['doctor', 'upload', 'verify']);
    copyFileSync(join(folder, '61.env'), join(folder, 'team.env'));
    for (const command of commands) {
      writeFileSync(join(folder, 'log.json'), page.match(/^ {5}(\{.*)$/m)?.[1] ?? '');
      // The organisers have not put the policy there yet.
      const isReady = !command.startsWith('verify');
      const ran = await runCommand([...command.split(' '), ...(isReady ? ['--url', service.url] : [])], {
        cwd: folder,
      });
      expect([command, ran.exitCode, ran.stderr]).toEqual([
        command,
        isReady ? 0 : 2,
        expect.stringContaining(isReady ? '' : 'tlog.policy'),
      ]);
    }
  });

  test('all that the page and the pages beside it name is there, but for what the organisers are told to put there', async () => {
    await keys('issue', '61', '--output-dir', 'issued');
    const page = readFileSync(join(folder, 'README.txt'), 'utf8');
    const own = ['team.env', 'log.json', 'ailog-results.jsonl'];
    const inPage = page.match(/[\w-]+\.(md|mjs|policy|env|jsonl?)\b/g) ?? [];
    expect(inPage).toEqual(expect.arrayContaining(['ailog.mjs', 'tlog.policy', 'teams.md', ...own]));
    const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
    expect(pages).toEqual(['proof.md', 'teams.md']);
    const linked = pages.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/\]\(([^)#:]+)[)#]/g)].map(([, to]) => to as string),
    );
    expect(linked).toEqual(expect.arrayContaining(['proof.md', 'openapi.json', 'clients/ailog_upload.py']));
    const missing = [...inPage, ...linked].filter((name) => !existsSync(join(folder, name)));
    expect(new Set(missing.filter((name) => !own.includes(name)))).toEqual(new Set(['ailog.mjs', 'tlog.policy']));
  });

  test('names the address of the public log, and keeps a page that the organisers have changed', () => {
    mkdirSync(folder);
    const page = () => readFileSync(join(folder, 'README.txt'), 'utf8');
    writeForTeams(folder, { baseUrl: URL, tlogUrl: 'https://logs.example.com/tlog/' });
    expect(page()).toMatch(/^Public log {2}https:\/\/logs\.example\.com\/tlog\/$/m);
    writeFileSync(join(folder, 'README.txt'), 'Ask logs@example.org.');
    writeForTeams(folder, { baseUrl: URL, tlogUrl: undefined });
    expect(page()).toBe('Ask logs@example.org.');
  });

  test('reads UIDs and labels from the CSV file of the allowlist', async () => {
    const path = local.file('teams.csv', 'uid;team;label;note\n61;Alpha;bot 1;\n63;Gamma;;x\n');
    const args = ['--from', path, '--label', 'x', '--output-dir', 'issued', '--yes', '--json'];
    const { stdout, stderr } = await keys('issue', ...args);
    expect(stderr).not.toContain('Ignored');
    const issued = JSON.parse(stdout);
    expect(issued.map(({ uid, file }: Record<string, string>) => [uid, file])).toEqual([
      ['61', 'issued/61.env'],
      ['63', 'issued/63.env'],
    ]);
    const labels = [...(await keysOf('61')), ...(await keysOf('63'))]
      .filter(({ accessKey }) => stdout.includes(accessKey))
      .map(({ label }) => label);
    expect(labels).toEqual(['bot 1', 'x']);
  });

  test('shows many keys as their number, and where their files are', async () => {
    const uids = Array.from({ length: 11 }, (_, n) => String(7001 + n));
    const path = local.file('many.csv', `uid\n${uids.join('\n')}\n`);
    const args = ['--from', path, '--unlisted', '--output-dir', 'issued'];
    const where = 'Keys: 11, each with a file in issued and a line in issued/handed-over.csv.\n';
    expect((await keys('issue', ...args)).stdout).toBe(where);
    const ten = await keys('issue', ...uids.slice(1), '--unlisted', '--output-dir', 'issued', '--dry-run');
    expect(ten.stdout.trim().split('\n')).toHaveLength(11);
    const issued = await keys('issue', ...args, '--yes');
    expect(issued.stdout).toBe(where);
    expect(issued.stderr.match(/is not approved/g)).toHaveLength(11);
    expect(credentialsFiles()).toEqual(uids.map((uid) => `${uid}.env`));
    const rotated = await keys('rotate', '--from', 'issued/handed-over.csv', '--output-dir', 'issued/again', '--yes');
    expect(rotated.stdout).toBe(where.replaceAll('issued', 'issued/again'));
    expect(rotated.stderr).not.toContain('Ignored');
  });

  test('names every invalid line of a file', async () => {
    const path = local.file('wrong.csv', `uid,label\n61,ok\nabc,\n61,\n62,${'x'.repeat(101)}\n63\n`);
    expect((await keys('issue', '--from', path, '--output-dir', 'issued', '--yes')).stderr.replace(path, 'FILE')).toBe(
      'FILE has invalid lines:\nLine 3: "abc" is not a UID, a decimal number without leading zeros.\nLine 4: UID 61 is given twice.\nLine 5: the label has 101 characters; at most 100 are allowed.\nLine 6: cells: 1, but columns in the first line: 2.\nNothing was changed.\n',
    );
  });

  test('the UIDs of the arguments come before those of a file, and none may be in both', async () => {
    const path = local.file('more.csv', 'uid\n62\n');
    const args = ['--from', path, '--output-dir', 'deep/issued', '--yes', '--json'];
    const { stdout } = await keys('issue', '61', ...args);
    rmSync(join(local.folder, 'deep'), { recursive: true });
    expect(JSON.parse(stdout).map(({ uid, file }: Record<string, string>) => [uid, file])).toEqual([
      ['61', 'deep/issued/61.env'],
      ['62', 'deep/issued/62.env'],
    ]);
    expect((await keys('issue', '62', ...args)).stderr).toContain('Line 2: UID 62 is given twice.');
  });

  const DELETE = 'Delete the file or name another folder, then run the command again.\n';
  test('--skip-existing trusts no file: the table tells whose key is in it, and that it is valid', async () => {
    mkdirSync(folder);
    const args = ['issue', '61', '62', '--output-dir', 'issued', '--yes', '--skip-existing'];
    const text = "AILOG_ACCESS_KEY='ghost'\nAILOG_SECRET='s'\nAILOG_PASSPHRASE='p'\n";
    writeFileSync(join(folder, '61.env'), text, { mode: 0o600 });
    expect(await keys(...args)).toEqual(says(1, `issued/61.env has the key ghost, which does not exist.\n${DELETE}`));

    rmSync(join(folder, '61.env'));
    expect((await keys(...args)).exitCode).toBe(0);
    rmSync(join(folder, '62.env'));
    const rest = await keys(...args);
    expect([rest.exitCode, rest.stderr]).toEqual([0, expect.not.stringContaining('Every UID has its key already')]);
    expect((await keys(...args)).stderr).toContain('Every UID has its key already, and its file. Nothing was issued.');
    const key = inFolder('61.env').accessKey;
    const which = (is: string) => says(1, `issued/61.env has the key ${key}, which ${is}.\n${DELETE}`);
    copyFileSync(join(folder, '61.env'), join(folder, '63.env'));
    expect(await keys('issue', '63', '--output-dir', 'issued', '--skip-existing')).toEqual(
      says(1, `issued/63.env has the key ${key}, which belongs to UID 61.\n${DELETE}`),
    );
    await keys('rotate', key, '-o', 'other.env');
    expect(await keys(...args)).toEqual(which('does not have its credentials'));
    copyFileSync(join(local.folder, 'other.env'), join(folder, '61.env'));
    expect(await keys(...args)).toEqual(which('was not issued'));
    await keys('revoke', key, '--yes');
    expect(await keys(...args)).toEqual(which('is rejected'));
  });

  test('--skip-existing adds to the record what it lacks, once', async () => {
    const args = ['issue', '61', '--output-dir', 'issued', '--skip-existing'];
    await keys(...args);
    const record = join(folder, 'handed-over.csv');
    const whole = readFileSync(record, 'utf8');
    rmSync(record);
    expect(await keys(...args)).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(record, 'utf8')).toBe(whole);
    writeFileSync(record, whole.replaceAll(/\n(?=.)/g, ',sent\n'));
    const edited = readFileSync(record, 'utf8');
    await keys(...args);
    expect(readFileSync(record, 'utf8')).toBe(edited);
    rmSync(join(folder, '61.env'));
    await keys('rotate', String(edited.split(/[\n,]/)[9]), '--output-dir', 'issued');
    expect(readFileSync(record, 'utf8').split('\n')).toHaveLength(edited.split('\n').length + 1);
  });

  test('after an error, shows the files that were written; a key that was not stored leaves no line', async () => {
    const args = ['keys', 'issue', '61', '62', '63', '--output-dir', 'issued', '--yes'];
    expect(await local.ailogWith(['pass', DENIED], args)).toEqual({
      exitCode: 3,
      stdout: expect.stringMatching(/^uid .*\n61 +\S+ +issued\/61\.env\n$/),
      stderr:
        'Done: 1 of 3. The rest is unchanged, but for what follows.\nAWS rejected the request: AccessDeniedException: not allowed.\n',
    });
    expect(credentialsFiles()).toEqual(['61.env']);
    expect(readFileSync(join(folder, 'handed-over.csv'), 'utf8')).toMatch(/^uid,.*\n61,.*\n$/);
  });

  test('after a lost answer, says that the message after that names the key, which keeps its line', async () => {
    const args = ['keys', 'issue', '61', '62', '63', '--output-dir', 'issued', '--yes'];
    const { exitCode, stderr } = await local.ailogWith(['pass', ...UNANSWERED], args);
    const { accessKey } = inFolder('62.env');
    const said = 'Done: 1 of 3. The rest is unchanged, but for what follows.\nThe answer to';
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining(`${said} the change of key ${accessKey}`)]);
    expect(readFileSync(join(folder, 'handed-over.csv'), 'utf8')).toContain(`\n62,,${accessKey},`);
  });

  test('a record that is a link is not followed: nothing is written and no key stored', async () => {
    mkdirSync(folder);
    const theirs = local.file('theirs.txt', 'theirs');
    symlinkSync(theirs, join(folder, 'handed-over.csv'));
    const before = (await keysOf('61')).length;
    const { exitCode, stderr } = await keys('issue', '61', '--output-dir', 'issued');
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(`${join(folder, 'handed-over.csv')} is a link.\nGive the name of a file of your own, in`),
    ]);
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
    expect(existsSync(join(folder, '61.env'))).toBe(false);
    expect(await keysOf('61')).toHaveLength(before);
  });

  test.each(['taken', 'taken/issued'])('a file in place of the folder %s is named', async (given) => {
    const taken = local.file('taken', 'mine');
    expect(await keys('issue', '61', '--output-dir', given)).toEqual(says(2, `${taken} is a file, not a folder.\n`));
  });
});

describe('ailog keys rotate and revoke for several keys', () => {
  test('rotate --uid rotates all active keys of the UIDs, and leaves out the others', async () => {
    const [one, other] = [await local.team(), await local.team()];
    const second = await local.issue(one.uid);
    const expired = await local.issue(one.uid, { expiresAt: '2025-11-14T00:00:00.000Z' });
    const args = ['rotate', '--uid', one.uid, '--uid', other.uid, '--grace', '0', '--output-dir', 'issued'];
    expect((await keys(...args)).stderr).toBe(
      `Left out: Key ${expired.accessKey} expired at 2025-11-14T00:00:00.000Z and cannot be rotated.\nRotate 3 keys in the local data? Current credentials are rejected at once. ${NO_TERMINAL}`,
    );
    expect((await keys(...args, '--yes')).exitCode).toBe(0);
    const files = [`${one.uid}-${one.accessKey}.env`, `${one.uid}-${second.accessKey}.env`, `${other.uid}.env`];
    expect(credentialsFiles().sort()).toEqual([...files].sort());
    for (const [index, old] of [one, second, other].entries()) {
      const rotated = inFolder(files[index] as string);
      expect([await upload(rotated), await upload(old)]).toEqual(['00000', '40009']);
    }
  });

  test('rotate --skip-existing continues after an interruption', async () => {
    const [one, other] = [await local.team(), await local.team()];
    await keys('rotate', one.accessKey, '--output-dir', 'issued');
    const first = read(`${one.uid}.env`);
    const args = ['rotate', '--uid', one.uid, '--uid', other.uid, '--output-dir', 'issued', '--json'];
    expect(await keys(...args)).toMatchObject({ exitCode: 2, stdout: '' });
    const { stdout } = await keys(...args, '--skip-existing');
    const { uid, accessKey } = other;
    const oldValidUntil = expect.stringMatching(/Z$/);
    expect(JSON.parse(stdout)).toEqual([{ uid, accessKey, file: `issued/${uid}.env`, oldValidUntil }]);
    expect(read(`${one.uid}.env`)).toEqual(first);
    expect(JSON.parse((await keys(...args, '--skip-existing')).stdout)).toEqual([]);
  });

  test('rotate --skip-existing leaves out no key whose leaked credentials are still valid', async () => {
    const { uid } = await local.team();
    await local.allowlist.put({ uid, status: 'approved' });
    await keys('revoke', '--uid', uid, '--yes');
    await keys('issue', uid, '--output-dir', 'issued');
    const { accessKey } = inFolder(`${uid}.env`);
    const args = ['rotate', accessKey, '--output-dir', 'issued', '--yes'];
    const which = (is: string) =>
      says(
        1,
        expect.stringMatching(`^issued/${uid}.env has the key ${accessKey}, which ${is}\\.\nDelete the file or name`),
      );
    expect(await keys(...args, '--grace', '0', '--skip-existing')).toEqual(which('was not rotated'));
    rmSync(join(folder, `${uid}.env`));
    await keys(...args, '--grace', '2h');
    expect(await keys(...args, '--grace', '0', '--skip-existing')).toEqual(
      which('accepts earlier credentials until \\S+Z'),
    );
    expect((await keys(...args, '--grace', '2h', '--skip-existing')).exitCode).toBe(0);
  });

  test('rotate --skip-existing leaves out no key because the folder has the file of another', async () => {
    const { uid, accessKey } = await local.team();
    const second = await local.issue(uid);
    const args = ['rotate', '--output-dir', 'issued', '--skip-existing'];
    await keys(...args, second.accessKey);
    expect(await keys(...args, accessKey)).toEqual(
      says(
        1,
        expect.stringMatching(`^issued/${uid}.env has the key ${second.accessKey}, which is not ${accessKey}\\.`),
      ),
    );
  });

  test('a file is in the folder, whatever characters an imported access key has', async () => {
    const { uid } = await local.team();
    const odd = await local.issue(uid, { accessKey: '../../b:c' });
    const { stdout } = await keys('rotate', '--uid', uid, '--output-dir', 'issued', '--yes', '--json');
    expect(JSON.parse(stdout).map(({ file }: { file: string }) => file)).toContain(`issued/${odd.uid}-______b_c.env`);
    expect(credentialsFiles()).toHaveLength(2);
  });

  test('every line of a file must have a key', async () => {
    const path = local.file('selection.csv', 'accessKey,uid,team\nk,,\n,1x,A\n,,B\nk\n');
    expect((await keys('revoke', '--from', path, '--yes')).stderr.replace(path, 'FILE')).toBe(
      'FILE has invalid lines:\nLine 3: it has no access key, and "1x" is not a UID.\nLine 4: it has no access key, and "" is not a UID.\nLine 5: cells: 1, but columns in the first line: 3.\nNothing was changed.\n',
    );
  });

  test('a key that is selected twice is changed once; keys are changed in the order of UIDs and times of issue', async () => {
    const [one, other] = [await local.team(), await local.team()];
    const older = await local.issue(one.uid, { createdAt: '2025-01-01T00:00:00.000Z' });
    const path = local.file('twice.csv', `uid\n${other.uid}\n${one.uid}\n`);
    const { stdout } = await keys('revoke', one.accessKey, one.accessKey, '--from', path, '--yes', '--json');
    expect(JSON.parse(stdout)).toEqual(
      [older, one, other].map(({ accessKey, uid }) => ({ accessKey, uid, was: 'active', status: 'revoked' })),
    );
  });

  test('after an error, revoke prints the keys that are revoked', async () => {
    const one = await local.team();
    const second = await local.issue(one.uid, { createdAt: '2025-01-01T00:00:00.000Z' });
    const args = ['keys', 'revoke', '--uid', one.uid, '--yes', '--json'];
    const ran = await local.ailogWith(['pass', ...UNANSWERED], args);
    expect({ ...ran, stdout: JSON.parse(ran.stdout) }).toEqual({
      exitCode: 4,
      stdout: [{ accessKey: second.accessKey, uid: one.uid, was: 'active', status: 'revoked' }],
      stderr: `The answer to the change of key ${one.accessKey} was lost. It may have been applied.\nCheck it: ailog keys list ${one.accessKey}.\n`,
    });
  });

  test('rotate --from reads access keys and UIDs', async () => {
    const [one, other] = [await local.team(), await local.team()];
    const path = local.file('keys.csv', `accessKey,uid\n${one.accessKey},\n,${other.uid}\n`);
    expect((await keys('rotate', '--from', path, '--output-dir', 'issued', '--yes')).exitCode).toBe(0);
    expect(credentialsFiles().sort()).toEqual([`${one.uid}.env`, `${other.uid}.env`].sort());
  });

  test('a key that has expired or is revoked cannot be rotated', async () => {
    const expired = await local.team({ key: { expiresAt: '2025-11-14T00:00:00.000Z' } });
    const revoked = await local.team({ key: { status: 'revoked' } });
    expect((await keys('rotate', expired.accessKey, revoked.accessKey, '--output-dir', 'issued')).stderr).toBe(
      `Key ${expired.accessKey} expired at 2025-11-14T00:00:00.000Z and cannot be rotated.\nKey ${revoked.accessKey} is revoked and cannot be rotated.\nIssue a new key: ailog keys issue ${expired.uid} ${revoked.uid}\n`,
    );
    // What was named must not be left out in silence beside what can be rotated.
    const { accessKey } = await local.team();
    expect((await keys('rotate', accessKey, revoked.accessKey, '--output-dir', 'issued', '--yes')).exitCode).toBe(1);
    expect(existsSync(folder)).toBe(false);
  });
});
