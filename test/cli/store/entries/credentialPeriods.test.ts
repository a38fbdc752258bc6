import { expect, test } from 'vitest';
import { credentialPeriods } from '../../../../cli/store/entries/verifyEntry.ts';
import type { ApiKey } from '../../../../functions/auth/apiKeys.ts';

const [one, two, three] = [1, 2, 3].map((byte) => Uint8Array.of(byte)) as [Uint8Array, Uint8Array, Uint8Array];
const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
const time = (minute: number) => Date.parse(at(minute));
const key = { accessKey: 'k', uid: '1', status: 'active', credentials: three, createdAt: at(0) } as ApiKey;

test('credentials are valid from the issue or the rotation before them, until their own rotation or its grace period', () => {
  const earlier = [
    { credentials: one, replacedAt: at(1) },
    { credentials: two, replacedAt: at(3), validUntil: at(5) },
  ];
  expect(credentialPeriods({ ...key, earlier })).toEqual([
    { credentials: three, from: time(3), until: Number.POSITIVE_INFINITY },
    { credentials: two, from: time(1), until: time(5) },
    { credentials: one, from: time(0), until: time(1) },
  ]);
  expect(credentialPeriods(key)).toEqual([{ credentials: three, from: time(0), until: Number.POSITIVE_INFINITY }]);
});
