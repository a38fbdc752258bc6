import type { Allowlist } from '../allowlist/allowlist.ts';
import type { ApiKeys } from '../auth/apiKeys.ts';
import type { Gate } from './request.ts';

/** Whose listing is read beside a key that is new here: nobody's, so that an unknown key costs the reads of a known one. */
const NOBODY = '0';

/** How many owners of access keys are remembered; the oldest make room. */
const KEPT = 10_000;

/**
 * Reads what the next gates judge: the API key, and the allowlist's word on its owner. Both are read afresh for every
 * request; remembering who owned the key last time only lets the two reads go out together.
 */
export const readRecords = ({ apiKeys, allowlist }: { apiKeys: ApiKeys; allowlist: Allowlist }): Gate => {
  const owners = new Map<string, string>();
  return {
    before: async ({ event }) => {
      const { accessKey } = event.access;
      const owner = owners.get(accessKey) ?? NOBODY;
      const [apiKey, listing] = await Promise.all([
        apiKeys.get(accessKey, event.deadline),
        allowlist.get(owner, event.deadline),
      ]);
      event.apiKey = apiKey;
      if (apiKey === undefined) return;
      event.listing = apiKey.uid === owner ? listing : await allowlist.get(apiKey.uid, event.deadline);
      owners.set(accessKey, apiKey.uid);
      if (owners.size > KEPT) owners.delete(owners.keys().next().value as string);
    },
  };
};
