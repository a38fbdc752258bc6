import { beforeAll, describe, expect, test } from 'vitest';
import { openWorld, type World } from '../setup/fixture.ts';
import { inProcess } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});

describe('the clocks may differ by 30 s, to the millisecond', () => {
  test.each([
    [-30_000, '00000'],
    [-30_001, '40008'],
    [30_000, '00000'],
    [30_001, '40008'],
  ])('%i ms → %s', async (difference, code) => {
    const now = 1_795_000_000_000;
    const door = inProcess(world.dependencies({ now: () => now }));
    const { json } = await door.send(signedUpload(await world.team(), { timestamp: () => now + difference }));
    expect(json.code).toBe(code);
    if (code === '40008') expect(json).toMatchObject({ requestTime: now, msg: expect.stringContaining(String(now)) });
  });
});

const keyOf = async (accessKey: string) => {
  const key = await world.apiKeys.get(accessKey, AbortSignal.timeout(5000));
  if (!key) throw new Error(`${accessKey} is not in the table`);
  return key;
};

describe('sealed credentials', () => {
  test('sealed anew, they hold from the next request on, and the old ones no longer', async () => {
    const team = await world.team();
    const door = inProcess(world.dependencies());
    expect((await door.send(signedUpload(team))).json.code).toBe('00000');

    const rotated = { ...team, secret: 'a new secret', passphrase: 'a new passphrase' };
    const credentials = await world.seal({ secret: rotated.secret, passphrase: rotated.passphrase }, team);
    await world.apiKeys.put({ ...(await keyOf(team.accessKey)), credentials });

    expect((await door.send(signedUpload(team))).json.code).toBe('40009');
    expect((await door.send(signedUpload({ ...rotated, passphrase: team.passphrase }))).json.code).toBe('40012');
    expect((await door.send(signedUpload(rotated))).json.code).toBe('00000');
  });

  test('moved to another UID, or damaged, they open nothing and tell nothing', async () => {
    for (const change of [
      (key: Awaited<ReturnType<typeof keyOf>>) => ({ ...key, uid: '4242' }),
      (key: Awaited<ReturnType<typeof keyOf>>) => ({
        ...key,
        credentials: Buffer.from(key.credentials).fill(0, 20, 30),
      }),
    ]) {
      const team = await world.team();
      await world.apiKeys.put(change(await keyOf(team.accessKey)));
      const { status, json } = await inProcess(world.dependencies()).send(signedUpload(team));
      expect(status).toBe(500);
      expect(json).toMatchObject({ code: '40015', msg: 'System error', data: null });
    }
  });
});

describe('a rotated key', () => {
  const NOW = 1_795_000_000_000;
  const old = { secret: 'the old secret', passphrase: 'the old passphrase' };
  const inGrace = new Date(NOW + 1).toISOString();

  test.each([
    ['the new credentials', {}, inGrace, '00000'],
    ['the old ones, 1 ms before the grace ends', old, inGrace, '00000'],
    ['the old ones, as the grace ends', old, new Date(NOW).toISOString(), '40009'],
    ['the old ones, with a grace that is no date', old, 'tomorrow', '40009'],
    ['the old secret with the new passphrase', { secret: old.secret }, inGrace, '40012'],
    ['the new secret with the old passphrase', { passphrase: old.passphrase }, inGrace, '40012'],
    ['neither secret', { secret: 'another' }, inGrace, '40009'],
    ['the secret that stands in for missing ones', { secret: 'decoy', passphrase: 'decoy' }, 'never', '40009'],
  ])('%s', async (_name, used, validUntil, code) => {
    const team = await world.team();
    const previous = { credentials: await world.seal(old, team), validUntil };
    await world.apiKeys.put({ ...(await keyOf(team.accessKey)), previous });
    const door = inProcess(world.dependencies({ now: () => NOW }));
    const { json } = await door.send(signedUpload({ ...team, ...used }, { timestamp: () => NOW }));
    expect(json.code).toBe(code);
  });

  test('that is revoked or has expired gives no grace', async () => {
    for (const change of [{ status: 'revoked' as const }, { expiresAt: new Date(NOW).toISOString() }]) {
      const team = await world.team({ key: change });
      const previous = { credentials: await world.seal(old, team), validUntil: inGrace };
      await world.apiKeys.put({ ...(await keyOf(team.accessKey)), previous });
      const door = inProcess(world.dependencies({ now: () => NOW }));
      const { json } = await door.send(signedUpload({ ...team, ...old }, { timestamp: () => NOW }));
      expect(json.code).toBe('40006');
    }
  });
});

test('without the requirement, locale may be missing, but not malformed', async () => {
  const dependencies = world.dependencies();
  const door = inProcess({ ...dependencies, config: { ...dependencies.config, requireLocale: false } });
  const team = await world.team();
  const upload = signedUpload(team);
  const others = upload.headers.filter(([name]) => name !== 'locale');
  expect((await door.send({ ...upload, headers: others })).json.code).toBe('00000');
  expect((await world.entriesOf(team.uid))[0]?.locale).toBe('');
  expect((await door.send({ ...upload, headers: [...others, ['locale', 'en_US']] })).json.code).toBe('40017');
});
