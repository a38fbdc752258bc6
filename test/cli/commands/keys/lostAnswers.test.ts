import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Fault, localWorld, says, skipPauses, type Team } from '../../../setup/world.ts';
import { DENIED, teamIn, UNANSWERED } from './keyHelpers.ts';

const local = await localWorld();
const proxy = await local.faulty();
beforeEach(() => proxy.plan());

/** Runs a command against the engine, through the proxy. */
const ailog = (args: readonly string[], options = {}) =>
  local.ailog(args, { env: { DYNAMODB_ENDPOINT: proxy.url }, ...options });
const { codeOf: upload, keyOf: stored, keysOf } = local;
const credentialsFile = (key: string) =>
  local.file(`${key}.env`, `AILOG_ACCESS_KEY='${key}'\nAILOG_SECRET='s'\nAILOG_PASSPHRASE='p'\n`);
const newPath = () => join(mkdtempSync(join(local.folder, 'lost-')), 'new.env');

describe('the answer to a write is lost, and the write was applied', () => {
  test.each<[string, Fault[]]>([
    ['and the repetition is answered', []],
    ['and no attempt is answered, so that only the key tells', UNANSWERED],
    ['and the repetition is rejected', [DENIED]],
  ])('keys rotate: the file has the credentials that are valid now, %s', async (_name, faults) => {
    const old = await local.team();
    const path = newPath();
    proxy.planWrites('lose the answer', ...faults);
    const ran = await ailog(['keys', 'rotate', old.accessKey, '--grace', '0', '--yes', '--output', path]);
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(path) });
    expect([await upload(teamIn(path)), await upload(old)]).toEqual(['00000', '40009']);
  });

  test('keys issue: there is one key, and its credentials are in the file', async () => {
    const { uid } = await local.team();
    const path = newPath();
    proxy.planWrites('lose the answer');
    expect((await ailog(['keys', 'issue', uid, '--output', path])).exitCode).toBe(0);
    expect(await upload(teamIn(path))).toBe('00000');
    expect(await keysOf(uid)).toHaveLength(2);
  });

  test('keys revoke and keys issue --credentials report success', async () => {
    const team = await local.team();
    proxy.planWrites('lose the answer');
    expect(await ailog(['keys', 'revoke', team.accessKey, '--yes'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await upload(team)).toBe('40006');

    const path = credentialsFile('lost_import');
    proxy.planWrites('lose the answer');
    expect(await ailog(['keys', 'issue', team.uid, '--credentials', path])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  test('allowlist add, suspend, disqualify and remove report success', async () => {
    for (const [args, status] of [
      [['add', '8001'], 'approved'],
      [['suspend', '8001'], 'suspended'],
      [['disqualify', '8001', '--reason', 'r', '--yes'], 'disqualified'],
      [['remove', '8001', '--yes', '--lift-disqualification'], 'removed'],
    ] as const) {
      proxy.planWrites('lose the answer');
      expect((await ailog(['allowlist', ...args])).exitCode).toBe(0);
      expect(await local.allowlist.get('8001')).toMatchObject({ status });
    }
  });
});

describe('nobody knows if the write was applied', () => {
  beforeEach(() => proxy.planWrites(...UNANSWERED));
  const doubt = (key: string, then: string) =>
    `The answer to the change of key ${key} was lost. It may have been applied.\nCheck it: ailog keys list ${key}.${then}\n`;

  test('keys rotate keeps the file', async () => {
    const old = await local.team();
    const path = newPath();
    const kept = doubt(old.accessKey, ` Until then, keep ${path}: it has the credentials of the change.`);
    expect(await ailog(['keys', 'rotate', old.accessKey, '--output', path])).toEqual(says(4, kept));
    expect(existsSync(path)).toBe(true);
    expect(await upload(old)).toBe('00000');
  });

  test('keys rotate to stdout says to keep the credentials shown', async () => {
    const { accessKey } = await local.team();
    const { exitCode, stderr } = await ailog(['keys', 'rotate', accessKey]);
    expect([exitCode, stderr]).toEqual([4, doubt(accessKey, ' Until then, keep the credentials shown.')]);
  });

  test('keys issue --credentials says where to look', async () => {
    const { uid } = await local.team();
    const path = credentialsFile('in_doubt');
    expect(await ailog(['keys', 'issue', uid, '--credentials', path])).toEqual(says(4, doubt('in_doubt', '')));
  });
});

describe('the write was certainly not applied', () => {
  test.each([
    ['issue', (team: Team) => ['keys', 'issue', team.uid]],
    ['rotate', (team: Team) => ['keys', 'rotate', team.accessKey]],
  ])('keys %s deletes the file', async (_name, args) => {
    const team = await local.team();
    const path = newPath();
    proxy.planWrites(DENIED);
    expect(await ailog([...args(team), '--output', path])).toEqual(
      says(3, 'AWS rejected the request: AccessDeniedException: not allowed.\n'),
    );
    expect(existsSync(path)).toBe(false);
    expect(await upload(team)).toBe('00000');
  });

  test('keys rotate to stdout says that the credentials it has shown are not valid', async () => {
    const team = await local.team();
    proxy.planWrites(DENIED);
    const { exitCode, stderr } = await ailog(['keys', 'rotate', team.accessKey]);
    expect([exitCode, stderr]).toEqual([
      3,
      `The credentials shown are not valid: nothing was changed.\nAWS rejected the request: AccessDeniedException: not allowed.\n`,
    ]);
  });
});

describe('Ctrl-C while the key is written', () => {
  /** Runs `keys rotate` and interrupts it when its write has been applied, and before it has an answer. */
  async function interrupted(accessKey: string, ...options: readonly string[]) {
    const interrupt = new AbortController();
    const before = await stored(accessKey);
    // An interrupted command of an earlier test may repeat its write: this process has not ended.
    proxy.planWritesOf(accessKey, 'hang');
    const running = ailog(['keys', 'rotate', accessKey, ...options], { signal: interrupt.signal });
    // The proxy forwards the write before it hangs.
    await expect.poll(() => stored(accessKey), { interval: 5 }).not.toEqual(before);
    skipPauses(Date.now());
    interrupt.abort();
    return running;
  }

  test('keys rotate to stdout has shown the credentials', async () => {
    const team = await local.team();
    const { exitCode, stdout } = await interrupted(team.accessKey, '--grace', '0', '--yes', '--json');
    expect(exitCode).toBe(130);
    // The array is not closed.
    expect([await upload({ ...team, ...JSON.parse(`${stdout}]`)[0] }), await upload(team)]).toEqual(['00000', '40009']);
  });

  test('keys rotate to a file keeps the file', async () => {
    const team = await local.team();
    const path = newPath();
    const { exitCode, stderr } = await interrupted(team.accessKey, '--output', path);
    expect([exitCode, stderr]).toEqual([
      130,
      `Interrupted while a change was written. It may have been applied.\nCheck it: ailog keys list ${team.accessKey}. Until then, keep ${path}: it has the credentials of the change.\n`,
    ]);
    expect(await upload(teamIn(path))).toBe('00000');
    expect(await stored(team.accessKey)).toMatchObject({ status: 'active' });
  });
});
