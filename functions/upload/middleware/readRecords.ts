import type { Allowlist } from '../../allowlist/allowlist.ts';
import { type ApiKey, type ApiKeys, acceptedCredentials, isUsable } from '../../auth/apiKeys.ts';
import type { CredentialStore } from '../../auth/credentialStore.ts';
import { BoundedMap } from '../../boundedMap.ts';
import type { Middleware, UploadEvent } from '../request.ts';

/** A UID that nobody has. It is read beside a key that is new here, so that an unknown key costs the reads of a known one. */
export const NOBODY = '0';

/** The number of access keys whose owners are remembered. */
const OWNERS_KEPT = 10_000;

/**
 * Reads the records that the next middlewares judge: the API key, its credentials and its owner's allowlist entry. Key and
 * allowlist entry are read from the tables for every request; the remembered owner of the key only lets both reads go out
 * together. The credentials of a usable key are decrypted while the allowlist entry is still being read.
 */
export const readRecords = ({
  apiKeys,
  allowlist,
  credentialStore,
}: {
  apiKeys: ApiKeys;
  allowlist: Allowlist;
  credentialStore: CredentialStore;
}): Middleware => {
  const owners = new BoundedMap<string, string>(OWNERS_KEPT);
  const decrypt = (apiKey: ApiKey, event: UploadEvent) =>
    Promise.all(
      acceptedCredentials(apiKey, event.receivedAt).map((credentials) =>
        credentialStore.decrypt({ ...apiKey, credentials }, event.deadline),
      ),
    ).catch((error) => {
      event.decryptFailed = true;
      throw error;
    });
  return {
    before: async ({ event }) => {
      const { accessKey } = event.access;
      const owner = owners.get(accessKey) ?? NOBODY;
      const [apiKey, allowlistEntry] = await Promise.all([
        apiKeys.get(accessKey, event.deadline),
        allowlist.get(owner, event.deadline),
      ]);
      event.apiKey = apiKey;
      if (apiKey === undefined) return;
      [event.allowlistEntry, event.credentials] = await Promise.all([
        apiKey.uid === owner ? allowlistEntry : allowlist.get(apiKey.uid, event.deadline),
        isUsable(apiKey, event.receivedAt) ? decrypt(apiKey, event) : undefined,
      ]);
      owners.set(accessKey, apiKey.uid);
    },
  };
};
