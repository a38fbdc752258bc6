import { describe, expect, test } from 'vitest';
import { inProcess, signedUpload, world } from '../setup/world.ts';

const fixture = await world();

test.each([
  [-30_000, '00000'],
  [-30_001, '40008'],
  [30_000, '00000'],
  [30_001, '40008'],
])('accepts a clock difference of up to exactly 30 s: %i ms → %s', async (difference, code) => {
  const now = 1_795_000_000_000;
  const transport = inProcess(fixture.dependencies({ now: () => now }));
  const { json } = await transport.send(signedUpload(await fixture.team(), { timestamp: () => now + difference }));
  expect(json.code).toBe(code);
  if (code === '40008') expect(json).toMatchObject({ requestTime: now, msg: expect.stringContaining(String(now)) });
});

const keyOf = async (accessKey: string) => {
  const key = await fixture.apiKeys.get(accessKey);
  if (!key) throw new Error(`${accessKey} is not in the table`);
  return key;
};

test('sealed credentials: new ones replace the old ones from the next request on', async () => {
  const team = await fixture.team();
  const transport = inProcess(fixture.dependencies());
  expect((await transport.send(signedUpload(team))).json.code).toBe('00000');

  const rotated = { ...team, secret: 'a new secret', passphrase: 'a new passphrase' };
  const credentials = await fixture.seal({ secret: rotated.secret, passphrase: rotated.passphrase }, team);
  await fixture.apiKeys.put({ ...(await keyOf(team.accessKey)), credentials });

  expect((await transport.send(signedUpload(team))).json.code).toBe('40009');
  expect((await transport.send(signedUpload({ ...rotated, passphrase: team.passphrase }))).json.code).toBe('40012');
  expect((await transport.send(signedUpload(rotated))).json.code).toBe('00000');
});

describe('a rotated key', () => {
  const NOW = 1_795_000_000_000;
  const old = { secret: 'the old secret', passphrase: 'the old passphrase' };
  const inGrace = new Date(NOW + 1).toISOString();
  const REPLACED = new Date(NOW - 1).toISOString();

  test.each([
    ['accepts the new credentials', {}, inGrace, '00000'],
    ['accepts the old credentials 1 ms before the grace period ends', old, inGrace, '00000'],
    ['rejects the old credentials when the grace period ends', old, new Date(NOW).toISOString(), '40009'],
    ['rejects the old credentials if the end of the grace period is not a date', old, 'tomorrow', '40009'],
    ['rejects the old secret with the new passphrase', { secret: old.secret }, inGrace, '40012'],
    ['rejects the new secret with the old passphrase', { passphrase: old.passphrase }, inGrace, '40012'],
    ['rejects an unrelated secret', { secret: 'another' }, inGrace, '40009'],
  ])('%s', async (_name, used, validUntil, code) => {
    const team = await fixture.team();
    const earlier = [{ credentials: await fixture.seal(old, team), replacedAt: REPLACED, validUntil }];
    await fixture.apiKeys.put({ ...(await keyOf(team.accessKey)), earlier });
    const transport = inProcess(fixture.dependencies({ now: () => NOW }));
    const { json } = await transport.send(signedUpload({ ...team, ...used }, { timestamp: () => NOW }));
    expect(json.code).toBe(code);
  });

  test('accepts the newest two earlier credentials in their grace period, wherever they are in the list', async () => {
    const past = new Date(NOW).toISOString();
    const plain = [0, 1, 2, 3, 4].map((index) => ({ secret: `secret ${index}`, passphrase: `passphrase ${index}` }));
    const ends = [inGrace, inGrace, past, inGrace, undefined];
    const team = await fixture.team();
    const sealed = await Promise.all(plain.map((one) => fixture.seal(one, team)));
    const earlier = sealed.map((credentials, index) => ({
      credentials,
      replacedAt: past,
      ...(ends[index] && { validUntil: ends[index] }),
    }));
    await fixture.apiKeys.put({ ...(await keyOf(team.accessKey)), earlier });
    const transport = inProcess(fixture.dependencies({ now: () => NOW }));
    const codes: string[] = [];
    for (const used of [...plain, team]) {
      const upload = signedUpload({ ...team, ...used }, { timestamp: () => NOW });
      codes.push((await transport.send(upload)).json.code);
    }
    expect(codes).toEqual(['40009', '00000', '40009', '00000', '40009', '00000']);
  });

  test('rejects the old credentials during the grace period if it is revoked or has expired', async () => {
    for (const change of [{ status: 'revoked' as const }, { expiresAt: new Date(NOW).toISOString() }]) {
      const team = await fixture.team({ key: change });
      const earlier = [{ credentials: await fixture.seal(old, team), replacedAt: REPLACED, validUntil: inGrace }];
      await fixture.apiKeys.put({ ...(await keyOf(team.accessKey)), earlier });
      const transport = inProcess(fixture.dependencies({ now: () => NOW }));
      const { json } = await transport.send(signedUpload({ ...team, ...old }, { timestamp: () => NOW }));
      expect(json.code).toBe('40006');
    }
  });
});

test('requireLocale: false accepts a missing locale, but not a malformed one', async () => {
  const dependencies = fixture.dependencies();
  const transport = inProcess({ ...dependencies, config: { ...dependencies.config, requireLocale: false } });
  const team = await fixture.team();
  const upload = signedUpload(team);
  const others = upload.headers.filter(([name]) => name !== 'locale');
  expect((await transport.send({ ...upload, headers: others })).json.code).toBe('00000');
  expect((await fixture.entriesOf(team.uid))[0]?.locale).toBe('');
  expect((await transport.send({ ...upload, headers: [...others, ['locale', '*']] })).json.code).toBe('40017');
});
