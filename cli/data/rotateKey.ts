import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { freshCredentials } from './issueKey.ts';
import type { Seal } from './seal.ts';

/**
 * Returns an API key with new credentials. Its current credentials become the previous ones. They are accepted during
 * the grace period and kept, sealed, after it to prove the entries that they signed. Any credentials before them are
 * dropped.
 * @param at the time of the rotation, in milliseconds since 1970
 * @param graceMs the grace period; 0 rejects the old credentials from the next request on
 */
export async function rotateKey(
  apiKey: ApiKey,
  { seal, at, graceMs, by }: { seal: Seal; at: number; graceMs: number; by: string },
): Promise<{ apiKey: ApiKey; credentials: Credentials }> {
  const credentials = freshCredentials();
  const now = new Date(at).toISOString();
  return {
    apiKey: {
      ...apiKey,
      credentials: await seal(credentials, apiKey),
      previous: { credentials: apiKey.credentials, validUntil: new Date(at + graceMs).toISOString() },
      rotatedAt: now,
      updatedAt: now,
      updatedBy: by,
    },
    credentials,
  };
}
