import { expect, test } from 'vitest';
import { rotateKey } from '../../../../cli/store/tables/issueKey.ts';
import type { ApiKey, EarlierCredentials } from '../../../../functions/auth/apiKeys.ts';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const sealed = (byte: number) => Uint8Array.of(byte);
const key = { accessKey: 'k', uid: '1', status: 'active', credentials: sealed(9), createdAt: at(-9999) } as ApiKey;
const rotate = async (earlier: readonly EarlierCredentials[], graceMs: number) =>
  (await rotateKey({ ...key, earlier }, { at: NOW, graceMs, by: 'admin', seal: async () => sealed(10) })).apiKey;

const inGrace = (byte: number, seconds: number): EarlierCredentials => ({
  credentials: sealed(byte),
  replacedAt: at(seconds),
  validUntil: at(3600),
});

test('a rotation with a grace period keeps the credentials until its end', async () => {
  expect(await rotate([], 60_000)).toEqual({
    ...key,
    credentials: sealed(10),
    earlier: [{ credentials: sealed(9), replacedAt: at(0), validUntil: at(60) }],
    rotatedAt: at(0),
    updatedAt: at(0),
    updatedBy: 'admin',
  });
});

test('if two earlier credentials are in their grace period, that of the older ones ends', async () => {
  const earlier = [inGrace(1, -300), inGrace(2, -200)];
  expect((await rotate(earlier.slice(0, 1), 1)).earlier?.[0]).toEqual(earlier[0]);
  expect((await rotate(earlier, 1)).earlier?.slice(0, 2)).toEqual([{ ...earlier[0], validUntil: at(-2) }, earlier[1]]);
});

test('without a grace period, all end: two seconds ago, or without an end if they are newer', async () => {
  const old: EarlierCredentials = { credentials: sealed(0), replacedAt: at(-500), validUntil: at(-400) };
  expect((await rotate([old, inGrace(1, -3), inGrace(2, -2)], 0)).earlier).toEqual([
    old,
    { credentials: sealed(1), replacedAt: at(-3), validUntil: at(-2) },
    { credentials: sealed(2), replacedAt: at(-2) },
    { credentials: sealed(9), replacedAt: at(0) },
  ]);
});

test('a key is rotated 32 times at most', async () => {
  const rotatedTimes = (count: number) => rotate(Array(count).fill(inGrace(1, -9000)), 1);
  expect((await rotatedTimes(31)).earlier).toHaveLength(32);
  await expect(rotatedTimes(32)).rejects.toThrow('Key k has been rotated 32 times, the maximum.');
});
