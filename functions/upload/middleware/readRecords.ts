import type { Allowlist } from '../../allowlist/allowlist.ts';
import { type ApiKey, type ApiKeys, acceptedCredentials, isUsable } from '../../auth/apiKeys.ts';
import type { CredentialStore } from '../../auth/credentialStore.ts';
import type { Middleware, UploadEvent } from '../request.ts';

/** Whose allowlist entry is read beside a key that is new here: nobody's, so that an unknown key costs the reads of a known one. */
export const NOBODY = '0';

/** How many owners of access keys are remembered; the oldest make room. */
const KEPT = 10_000;

/**
 * Reads what the next middlewares judge: the API key and its credentials, and the allowlist entry of its owner. Key and allowlist entry
 * are read afresh for every request; remembering who owned the key last time only lets the two reads go out together.
 * The credentials of a key that may be used are opened beside the allowlist entry, where that is still to be read.
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
  const owners = new Map<string, string>();
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
      if (owners.size > KEPT) owners.delete(owners.keys().next().value as string);
    },
  };
};
