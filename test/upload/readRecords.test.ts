import { expect, test } from 'vitest';
import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import { readRecords } from '../../functions/upload/middleware/checkCaller.ts';
import { noDeadline } from '../setup/time.ts';

/** The number of owners that the function remembers, at the most. */
const OWNERS_KEPT = 10_000;

test('remembers the owners of keys, but of no more than 10 000 keys', async () => {
  const asked: (string | undefined)[] = [];
  const deadlines = new Set<AbortSignal>();
  const { before } = readRecords({
    readCallerRecords: async (accessKey, uid, deadline) => {
      asked.push(uid);
      deadlines.add(deadline);
      const apiKey = { accessKey, uid: `owner of ${accessKey}`, status: 'revoked' } as ApiKey;
      return { apiKey, allowlistEntry: undefined };
    },
    allowlist: {
      get: async (uid, deadline) => {
        asked.push(uid);
        deadlines.add(deadline);
        return undefined;
      },
    },
    credentialStore: { decrypt: async () => ({ secret: '', passphrase: '' }) },
  });
  const deadline = noDeadline();
  /** Reads the records of a key. @returns the UIDs whose allowlist entries were read, with the key and after it */
  const read = async (accessKey: string) => {
    asked.length = 0;
    await before?.({ event: { access: { accessKey }, receivedAt: 0, deadline } } as never);
    return [...asked];
  };

  expect(await read('first')).toEqual([undefined, 'owner of first']);
  expect(await read('first')).toEqual(['owner of first']);
  for (let key = 1; key < OWNERS_KEPT; key += 1) await read(String(key));
  expect(await read('first')).toEqual(['owner of first']);
  await read('one more');
  expect(await read('first')).toEqual([undefined, 'owner of first']);
  expect(await read('one more')).toEqual(['owner of one more']);
  // Every read of a request ends at its deadline.
  expect([...deadlines].map((one) => one === deadline)).toEqual([true]);
});

test('the allowlist entry of the team that had a key before is not that of its present owner', async () => {
  let owner = 'before';
  const { before } = readRecords({
    readCallerRecords: async (accessKey, uid) => ({
      apiKey: { accessKey, uid: owner, status: 'revoked' } as ApiKey,
      allowlistEntry: uid === undefined ? undefined : { uid, status: 'approved' },
    }),
    allowlist: { get: async (uid) => ({ uid, status: 'suspended' }) },
    credentialStore: { decrypt: async () => ({ secret: '', passphrase: '' }) },
  });
  const read = async () => {
    const event = { access: { accessKey: 'key' }, receivedAt: 0, allowlistEntry: undefined };
    await before?.({ event } as never);
    return event.allowlistEntry;
  };
  const suspended = { uid: 'before', status: 'suspended' };
  expect([await read(), await read()]).toEqual([suspended, { uid: 'before', status: 'approved' }]);
  owner = 'now';
  expect(await read()).toEqual({ uid: 'now', status: 'suspended' });
});
