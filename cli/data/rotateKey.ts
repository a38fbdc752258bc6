import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { freshCredentials } from './issueKey.ts';
import type { Seal } from './seal.ts';

/**
 * An API key with fresh credentials. Those that it had become its previous ones, and are accepted for the time of grace;
 * after that they stay, sealed, to prove the entries that they signed. Those before them are gone.
 * @param at when it is rotated, in milliseconds since 1970
 * @param graceMs 0: the old credentials are rejected from the next request on
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
