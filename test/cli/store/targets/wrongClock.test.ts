import { afterEach, describe, expect, test, vi } from 'vitest';
import { inProcess, localWorld, signedUpload, type Team } from '../../../setup/world.ts';

const local = await localWorld();
afterEach(() => vi.unstubAllGlobals());

const upload = async (team: Team) => (await inProcess(local.dependencies()).send(signedUpload(team))).json.code;
const RightDate = Date;
const stored = async (accessKey: string) => local.apiKeys.get(accessKey);

/** Runs a command on a machine whose clock is wrong. The engine has its own. @param ms positive: ahead */
async function ailogWithClock(ms: number, ...args: readonly string[]) {
  const now = () => RightDate.now() + ms;
  class WrongDate extends RightDate {
    static override now = now;
    constructor(time: number | string | Date = now()) {
      super(time);
    }
  }
  vi.stubGlobal('Date', WrongDate);
  const ran = await local.ailog(args);
  vi.unstubAllGlobals();
  return ran;
}

const WARNING =
  /^The clock of this machine is (599|600) s (ahead of|behind) the service\. The service's time is used\.$/gm;
/** Expects a time of the service since a time. Its clock is known to the second. @param later how much later it is */
function expectSince(start: number, time: string | undefined, later = 0): void {
  const at = Date.parse(time ?? '') - later;
  expect(at).toBeGreaterThan(start - 2000);
  expect(at).toBeLessThan(Date.now() + 2000);
}

describe('a machine whose clock is 10 minutes ahead', () => {
  test('keys rotate --grace 0 rejects the old secret at once, and warns once', async () => {
    const old = await local.team();
    const start = Date.now();
    const ran = await ailogWithClock(600_000, 'keys', 'rotate', old.accessKey, '--grace', '0', '--yes', '--json');
    expect(ran.stderr.match(WARNING)).toEqual([expect.stringContaining(' ahead of ')]);
    expect(await upload(old)).toBe('40009');
    expect(await upload({ ...old, ...JSON.parse(ran.stdout)[0] })).toBe('00000');
    const key = await stored(old.accessKey);
    expect(key?.earlier).toEqual([{ credentials: expect.anything(), replacedAt: key?.rotatedAt }]);
    expectSince(start, key?.rotatedAt);
  });

  test('keys rotate --grace 0 also ends an earlier grace period at once', async () => {
    const old = await local.team();
    await local.ailog(['keys', 'rotate', old.accessKey]);
    expect(await upload(old)).toBe('00000');
    await ailogWithClock(600_000, 'keys', 'rotate', old.accessKey, '--grace', '0', '--yes');
    expect(await upload(old)).toBe('40009');
  });
});

describe('a machine whose clock is 10 minutes behind', () => {
  test('keys issue, revoke and rotate record the time of the service', async () => {
    const { uid } = await local.team();
    const start = Date.now();
    const { stdout, stderr } = await ailogWithClock(-600_000, 'keys', 'issue', uid, '--json');
    expect(stderr.match(WARNING)).toEqual([expect.stringContaining(' behind ')]);
    const [{ accessKey }] = JSON.parse(stdout);
    expectSince(start, (await stored(accessKey))?.createdAt);
    await ailogWithClock(-600_000, 'keys', 'rotate', accessKey, '--grace', '1h');
    expectSince(start, (await stored(accessKey))?.earlier?.[0]?.validUntil, 3_600_000);
    await ailogWithClock(-600_000, 'keys', 'revoke', accessKey, '--yes');
    expectSince(start, (await stored(accessKey))?.updatedAt);
  });

  test('--expires is compared with the time of the service', async () => {
    const { uid } = await local.team();
    const soon = new Date(Date.now() - 60_000).toISOString();
    const ran = await ailogWithClock(-600_000, 'keys', 'issue', uid, '--expires', soon);
    expect(ran).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--expires must be in the future.\n') });
  });

  test('allowlist add records the time of the service', async () => {
    const start = Date.now();
    await ailogWithClock(-600_000, 'allowlist', 'add', '7001');
    expectSince(start, (await local.allowlist.get('7001'))?.updatedAt);
  });
});

test('a clock that is right within the precision of the answers gets no warning', async () => {
  expect((await ailogWithClock(0, 'allowlist', 'add', '7002')).stderr).toBe('');
  expect((await ailogWithClock(1000, 'allowlist', 'add', '7003')).stderr).toBe('');
});

test('if the service does not answer, its time is not guessed, and nothing is written', async () => {
  const { uid } = await local.team();
  const proxy = await local.faulty();
  // All attempts of the first call break. The next call would get through.
  proxy.plan(...Array.from({ length: 4 }, () => 'break before' as const));
  const env = { DYNAMODB_ENDPOINT: proxy.url };
  const ran = await local.ailog(['keys', 'issue', uid, '--expires', '2099-01-31'], { env });
  expect(ran).toMatchObject({ exitCode: 4, stdout: '' });
  const calls = proxy.seen().map(({ body }) => JSON.parse(Buffer.from(body, 'hex').toString()));
  // A read that every admin may make: no denied call in the logs of AWS.
  const read = { TableName: local.names.allowlist, Key: { uid: { S: '0' } } };
  expect(calls).toEqual([read, read, read, read]);
});
