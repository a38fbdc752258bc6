import { requireApproved } from '../../allowlist/allowlist.ts';
import { type ApiKey, acceptedCredentials, isUsable } from '../../auth/apiKeys.ts';
import { verifyCaller } from '../../auth/verifyCaller.ts';
import { BoundedMap } from '../../boundedMap.ts';
import type { Dependencies, Step } from '../request.ts';

/** The maximum number of access keys that are remembered with their owners, and of unknown keys. */
const KEYS_KEPT = 10_000;

/** How long a key is rejected as unknown without a read, in ms: floods cost little, and a new key works after it. */
const UNKNOWN_KEY_MS = 1000;

/**
 * Reads the API key, its credentials and its owner's allowlist entry, on every request. The owner is remembered only so
 * that one call can read both; if it is not known, the allowlist entry is read while the credentials are decrypted.
 */
export const readRecords = (
  dependencies: Pick<Dependencies, 'readCallerRecords' | 'allowlist' | 'credentialStore'>,
): Step<'access' | 'receivedAt' | 'deadline', 'apiKey' | 'credentials' | 'allowlistEntry' | 'decryptFailed'> => {
  const { readCallerRecords, allowlist, credentialStore } = dependencies;
  const owners = new BoundedMap<string, string>(KEYS_KEPT);
  const unknownKeys = new BoundedMap<string, number>(KEYS_KEPT);
  const wasJustNotFound = (accessKey: string, now: number) => {
    const age = now - (unknownKeys.get(accessKey) ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < UNKNOWN_KEY_MS;
  };
  const decrypt = (apiKey: ApiKey, now: number, deadline: AbortSignal) =>
    Promise.all(
      acceptedCredentials(apiKey, now).map((credentials) =>
        credentialStore.decrypt({ ...apiKey, credentials }, deadline),
      ),
    );
  return {
    before: async ({ event }) => {
      const { accessKey } = event.access;
      if (wasJustNotFound(accessKey, event.receivedAt)) return;
      const owner = owners.get(accessKey);
      const { apiKey, allowlistEntry } = await readCallerRecords(accessKey, owner, event.deadline);
      event.apiKey = apiKey;
      if (apiKey === undefined) {
        unknownKeys.set(accessKey, event.receivedAt);
        return;
      }
      [event.allowlistEntry, event.credentials] = await Promise.all([
        apiKey.uid === owner ? allowlistEntry : allowlist.get(apiKey.uid, event.deadline),
        isUsable(apiKey, event.receivedAt)
          ? decrypt(apiKey, event.receivedAt, event.deadline).catch((error) => {
              event.decryptFailed = true;
              throw error;
            })
          : undefined,
      ]);
      owners.set(accessKey, apiKey.uid);
    },
  };
};

export const authenticate = (): Step<'access' | 'apiKey' | 'credentials' | 'rawBody', 'caller'> => ({
  before: ({ event }) => {
    const { access, apiKey, credentials, rawBody } = event;
    event.caller = verifyCaller({ access, apiKey, credentials, rawBody });
  },
});

export const checkAllowlist = (): Step<'caller' | 'allowlistEntry'> => ({
  before: ({ event }) => requireApproved(event.caller.uid, event.allowlistEntry),
});
