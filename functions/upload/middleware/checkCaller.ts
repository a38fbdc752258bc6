import { requireApproved } from '../../allowlist/allowlist.ts';
import { type ApiKey, acceptedCredentials, isUsable } from '../../auth/apiKeys.ts';
import { verifyCaller } from '../../auth/verifyCaller.ts';
import { BoundedMap } from '../../boundedMap.ts';
import type { Dependencies, Step } from '../request.ts';

/** The maximum number of access keys whose owners are remembered. */
const OWNERS_KEPT = 10_000;

/** The maximum number of access keys that are remembered as unknown. */
const UNKNOWN_KEYS_KEPT = 10_000;

/**
 * The time for which an access key is remembered as unknown, in milliseconds. Requests with it are rejected without a
 * read, so that floods of them cost little. A newly issued key works at the latest after this time.
 */
const UNKNOWN_KEY_MS = 1000;

/**
 * Reads the records that the next middlewares check: the API key, its credentials and its owner's allowlist entry. Key
 * and allowlist entry are read from the tables on every request. The owner of a key is remembered only so that one call
 * can read both. If the owner is not known yet, the allowlist entry is read while the credentials are decrypted.
 */
export const readRecords = (
  dependencies: Pick<Dependencies, 'readCallerRecords' | 'allowlist' | 'credentialStore'>,
): Step<'access' | 'receivedAt' | 'deadline', 'apiKey' | 'credentials' | 'allowlistEntry' | 'decryptFailed'> => {
  const { readCallerRecords, allowlist, credentialStore } = dependencies;
  const owners = new BoundedMap<string, string>(OWNERS_KEPT);
  /** The time before each unknown access key was read, in milliseconds since 1970. */
  const unknownKeys = new BoundedMap<string, number>(UNKNOWN_KEYS_KEPT);
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

/** Authenticates the caller by access key, signature and passphrase. */
export const authenticate = (): Step<'access' | 'apiKey' | 'credentials' | 'rawBody', 'caller'> => ({
  before: ({ event }) => {
    const { access, apiKey, credentials, rawBody } = event;
    event.caller = verifyCaller({ access, apiKey, credentials, rawBody });
  },
});

/** Checks that the caller's UID is approved on the allowlist. */
export const checkAllowlist = (): Step<'caller' | 'allowlistEntry'> => ({
  before: ({ event }) => requireApproved(event.caller.uid, event.allowlistEntry),
});
