import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localWorld, notes, says, type Team } from '../../../setup/world.ts';
import { teamIn } from './keyHelpers.ts';

const local = await localWorld();

const keys = (...args: string[]) => local.ailog(['keys', ...args]);
const { codeOf: upload, keyOf: stored, keysOf } = local;
const ME = `local:${userInfo().username}`;

/** A time as tables show it. */
const seconds = (time = '') => time.replace(/\.\d{3}Z$/, 'Z');

describe('ailog keys issue', () => {
  test('--output writes them to a file that only the owner can read, and keeps an existing file', async () => {
    await local.ailog(['allowlist', 'add', '71']);
    const path = join(local.folder, 'alpha.env');
    const { stdout } = await keys('issue', '71', '--output', path);
    const team = teamIn(path);
    for (const hidden of [team.secret, team.passphrase]) expect(stdout).not.toContain(hidden);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await upload(team)).toBe('00000');

    const before = (await keysOf('71')).length;
    expect((await keys('issue', '71', '-o', path)).exitCode).toBe(2);
    expect(teamIn(path)).toEqual(team);
    expect(await keysOf('71')).toHaveLength(before);
  });

  test('--expires sets the end of the key', async () => {
    const { stdout } = await keys('issue', '71', '--unlisted', '--expires', '2099-01-31', '--json');
    expect(await stored(JSON.parse(stdout)[0].accessKey)).toMatchObject({ expiresAt: '2099-01-31T00:00:00.000Z' });
    const now = new Date().toISOString();
    expect(await keys('issue', '71', '--expires', now)).toEqual(says(2, '--expires must be in the future.\n'));
  });
});

describe('ailog keys issue --credentials', () => {
  const text =
    "export AILOG_ACCESS_KEY='bg_5af'\nexport AILOG_SECRET='s3cret with = and #'\nAILOG_PASSPHRASE=\"pass phrase\"\n";
  const team: Team = { uid: '72', accessKey: 'bg_5af', secret: 's3cret with = and #', passphrase: 'pass phrase' };

  test('stores an existing key from a file', async () => {
    await local.ailog(['allowlist', 'add', '72']);
    const path = local.file('existing.env', text);
    expect((await keys('issue', '72', '--credentials', path, '--label', 'old')).exitCode).toBe(0);
    expect(await upload(team)).toBe('00000');
    expect(await stored('bg_5af')).toMatchObject({ label: 'old', updatedBy: ME });
  });

  test('--json prints the UID and the access key; it takes the longest key, the shortest passphrase, no label', async () => {
    const accessKey = 'k'.repeat(128);
    const path = local.file('long.env', text.replace('bg_5af', accessKey).replace('pass phrase', 'p'));
    const { stdout } = await keys('issue', '72', '--credentials', path, '--unlisted', '--json');
    expect(JSON.parse(stdout)).toEqual([{ uid: '72', accessKey }]);
    expect(await stored(accessKey)).not.toHaveProperty('label');
  });

  // biome-ignore format: one case a line
  test.each<[name: string, content: string, stderr: string]>([
    ['an access key with a space', text.replace('bg_5af', 'bg 5af'), 'The access key must be 1 to 128 visible ASCII characters without spaces.\n'],
    ['an access key that is too long', text.replace('bg_5af', 'k'.repeat(129)), 'The access key must be 1 to 128 visible ASCII characters without spaces.\n'],
    ...[' p', 'p ', '密码'].map((passphrase) => [`the passphrase "${passphrase}"`, text.replace('pass phrase', passphrase), 'The passphrase must be ASCII characters, and must not start or end with a space.\n'] as [string, string, string]),
  ])('%s is rejected', async (name, content, stderr) => {
    const path = local.file(`${name}.env`, content);
    const ran = await keys('issue', '72', '--credentials', path);
    expect({ ...ran, stderr: ran.stderr.replaceAll(path, 'FILE') }).toEqual({ exitCode: 2, stdout: '', stderr });
  });
});

test.each([
  ['issue', '71', '--label', 'label', 100],
  ['rotate', 'k', '--reason', 'reason', 500],
  ['revoke', 'k', '--reason', 'reason', 500],
])('ailog keys %s %s rejects a text that is too long for %s', async (verb, argument, option, name, limit) => {
  expect(await keys(verb, argument, option, 'x'.repeat(limit + 1))).toEqual(
    says(
      2,
      expect.stringContaining(`Too long: the ${name} has ${limit + 1} characters; at most ${limit} are allowed.`),
    ),
  );
});

describe('ailog keys rotate', () => {
  test('creates new credentials; the old ones stay valid for the grace period', async () => {
    const old = await local.team();
    const path = join(local.folder, 'rotated.env');
    const start = Date.now();
    const { stdout } = await keys('rotate', old.accessKey, '--output', path, '--grace', '2h', '--json');
    const key = await stored(old.accessKey);
    const validUntil = key.earlier?.[0]?.validUntil ?? '';
    expect(JSON.parse(stdout)).toEqual([
      { uid: old.uid, accessKey: old.accessKey, file: path, oldValidUntil: validUntil },
    ]);
    expect(Date.parse(validUntil) - start - 7_200_000).toBeGreaterThanOrEqual(0);
    expect([await upload(teamIn(path)), await upload(old)]).toEqual(['00000', '00000']);
    expect((await keys('list', '--uid', old.uid)).stdout).toContain(seconds(validUntil));
  });

  // biome-ignore format: one case a line
  test.each([
    ['rotate to a file', ['rotate', '--grace', '0', '-o', 'taken.env'], ''],
    ['rotate to stdout', ['rotate', '--grace', '0', '--json'], 'The credentials shown are not valid: nothing was changed.\n'],
    ['revoke', ['revoke'], ''],
  ])(
    '%s: a change by somebody else while the question waits is not overwritten',
    async (_name, [verb = '', ...args], says) => {
      const team = await local.team();
      const { accessKey } = team;
      const renamed = { ...(await stored(accessKey)), label: 'renamed' };
      const meanwhile = () => local.apiKeys.put(renamed).then(() => 'y');
      const { exitCode, stderr } = await local.ailog(['keys', verb, accessKey, ...args], {
        types: [meanwhile],
        env: { NO_COLOR: '1' },
      });
      expect(exitCode).toBe(3);
      expect(stderr).toMatch(
        new RegExp(
          `${says}Someone else has just changed key ${accessKey}\\.\nCheck it with ailog keys list ${accessKey}, and run the command again\\.\n$`,
        ),
      );
      expect(existsSync(join(local.folder, 'taken.env'))).toBe(false);
      expect(await stored(accessKey)).toMatchObject({ label: 'renamed', status: 'active' });
      expect(await upload(team)).toBe('00000');
    },
  );

  test('accepts the newest two earlier credentials in their grace period, and asks before it ends older ones', async () => {
    const first = await local.team();
    const rotate = async (...args: string[]): Promise<Team> => ({
      ...first,
      ...JSON.parse((await keys('rotate', first.accessKey, '--json', ...args)).stdout)[0],
    });
    const second = await rotate();
    const third = await rotate();
    expect(await Promise.all([first, second, third].map(upload))).toEqual(['00000', '00000', '00000']);
    const asks = /stay valid for 1 h\. Earlier credentials still valid, now rejected: 1\./;
    expect(await keys('rotate', first.accessKey)).toMatchObject(notes(2, asks));
    const fourth = await rotate('--yes');
    const teams = [first, second, third, fourth];
    expect(await Promise.all(teams.map(upload))).toEqual(['40009', '00000', '00000', '00000']);
    const fifth = await rotate('--grace', '0', '--yes');
    expect(await Promise.all([...teams, fifth].map(upload))).toEqual(['40009', '40009', '40009', '40009', '00000']);
  });
});

test('a key that is revoked already stays as it is', async () => {
  const { accessKey } = await local.team();
  await keys('revoke', accessKey, '--yes');
  const before = await stored(accessKey);
  expect((await keys('revoke', accessKey)).exitCode).toBe(0);
  expect(await stored(accessKey)).toEqual(before);
});

test('ailog keys list KEY finds a key by its start, and names the end of each of its earlier credentials', async () => {
  const { accessKey } = await local.team();
  await keys('rotate', accessKey, '--grace', '2h');
  await keys('rotate', accessKey, '--grace', '0', '--yes');
  const { earlier } = JSON.parse((await keys('list', accessKey, '--json')).stdout);
  const { stdout } = await keys('list', accessKey);
  // Credentials without a grace period were valid until they were replaced.
  const rows = earlier.map(({ replacedAt, validUntil = replacedAt }: Record<string, string>) => {
    return `${seconds(replacedAt)}           ${seconds(validUntil)}\n`;
  });
  expect(stdout).toContain(`\n\nearlier credentials, replaced  valid until\n${rows.join('')}\n`);
  for (const start of [accessKey.slice(0, 20), `${accessKey.slice(0, 20)}…`]) {
    expect((await keys('list', start)).stdout).toBe(stdout);
  }
  await local.team();
  expect((await keys('list', 'ailog_')).stderr).toMatch(
    /^\d+ keys begin with ailog_, such as ailog_\w{32} and ailog_\w{32}\.\nGive more of the key\./,
  );
});

describe('the earlier credentials of a key', () => {
  test('are all kept, and neither revoke nor put drops them', async () => {
    const { accessKey } = await local.team();
    const sealed = [(await stored(accessKey)).credentials];
    for (let rotation = 0; rotation < 3; rotation += 1) {
      await keys('rotate', accessKey, '--grace', '0', '--yes');
      sealed.push((await stored(accessKey)).credentials);
    }
    await keys('revoke', accessKey, '--yes');
    const { earlier: _earlier, history: _history, ...rest } = await stored(accessKey);
    await local.apiKeys.put(rest);
    const { earlier = [], credentials, history } = await stored(accessKey);
    expect([...earlier.map((one) => one.credentials), credentials]).toEqual(sealed);
    expect(history).toHaveLength(6);
  });

  test('get a new end if a rotation ends their grace period', async () => {
    const { accessKey } = await local.team();
    const key = await stored(accessKey);
    const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
    const graces = [
      { credentials: key.credentials, replacedAt: hours(-9), validUntil: hours(-8) },
      { credentials: key.credentials, replacedAt: hours(-2), validUntil: hours(2) },
      { credentials: key.credentials, replacedAt: hours(-1), validUntil: hours(1) },
    ] as const;
    await local.apiKeys.put({ ...key, earlier: graces });
    const start = Date.now();
    await keys('rotate', accessKey, '--yes');
    const [longAgo, ended, kept, replaced] = (await stored(accessKey)).earlier ?? [];
    expect([longAgo, kept]).toEqual([graces[0], graces[2]]);
    expect(ended?.replacedAt).toBe(graces[1].replacedAt);
    const end = Date.parse(ended?.validUntil ?? '');
    expect(Date.now() - end).toBeGreaterThan(1000);
    expect(start - end).toBeLessThan(10_000);
    expect(Date.parse(replaced?.validUntil ?? '')).toBeGreaterThan(Date.now());
  });

  test('are at most 32; then a new key is needed', async () => {
    const { accessKey, uid } = await local.team();
    const key = await stored(accessKey);
    const one = { credentials: key.credentials, replacedAt: '2025-11-14T00:00:00.000Z' };
    await local.apiKeys.put({ ...key, earlier: Array.from({ length: 31 }, () => one) });
    expect((await keys('rotate', accessKey)).exitCode).toBe(0);
    expect(await keys('rotate', accessKey)).toEqual(
      says(
        1,
        `Key ${accessKey} has been rotated 32 times, the maximum.\nIssue a new key (ailog keys issue ${uid}), then revoke this one.\n`,
      ),
    );
  });
});

describe('ailog keys list', () => {
  test('says of a key that it has expired', async () => {
    const { uid, accessKey } = await local.team({ key: { expiresAt: '2025-11-14T00:00:00.000Z', label: 'late' } });
    expect((await keys('list')).stdout).toMatch(new RegExp(`\n${uid} +${accessKey} +expired +late `));
  });

  test('is ordered by UID and time of issue, and names the latest end of old credentials', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const issue = async (uid: string, age: number, more: object = {}) => {
      const { accessKey } = await local.issue(uid, { createdAt: at(-age), ...more });
      return [uid, accessKey];
    };
    const { credentials } = await stored((await local.team()).accessKey);
    const graces = [2, 1, -1].map((hours) => ({ credentials, replacedAt: at(-2), validUntil: at(hours) }));
    const [newer, short, older] = [
      await issue('10001', 30, { label: 'new', earlier: graces, updatedBy: 'alice' }),
      await issue('9999', 1),
      await issue('10001', 60, { expiresAt: '2099-01-31T00:00:00.000Z' }),
    ];
    const { stdout } = await keys('list', '--uid', '10001', '--uid', '9999');
    const [heads, ...rows] = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(heads).toEqual(['uid', 'access key', 'status', 'label', 'created', 'old until', 'by', 'expires']);
    expect(rows.map(([uid, accessKey]) => [uid, accessKey])).toEqual([...[short, older, newer], ['', undefined]]);
    expect(rows[2]?.slice(2)).toEqual(['active', 'new', expect.any(String), seconds(graces[0]?.validUntil), 'alice']);
    expect(rows[1]?.at(-1)).toBe('2099-01-31');
  });
});
