import { randomBytes } from 'node:crypto';
import type { ApiKey } from '../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import type { Seal } from './seal.ts';

/** Access keys start alike, so that one is recognised wherever it turns up. */
const ACCESS_KEY_PREFIX = 'ailog_';

/** Fresh credentials: a secret of 256 bits and a passphrase of 128, both hex. */
export function freshCredentials(): Credentials {
  return { secret: randomBytes(32).toString('hex'), passphrase: randomBytes(16).toString('hex') };
}

/**
 * A new API key for a UID, with fresh credentials. They exist in what this returns, and sealed in the key; nowhere else.
 * @param at when it is issued, in milliseconds since 1970
 */
export async function issueKey(
  uid: string,
  { seal, at, ...rest }: { seal: Seal; at: number } & Partial<Pick<ApiKey, 'label' | 'expiresAt' | 'updatedBy'>>,
): Promise<{ apiKey: ApiKey; credentials: Credentials }> {
  const accessKey = `${ACCESS_KEY_PREFIX}${randomBytes(16).toString('hex')}`;
  const credentials = freshCredentials();
  const apiKey: ApiKey = {
    accessKey,
    uid,
    status: 'active',
    credentials: await seal(credentials, { accessKey, uid }),
    createdAt: new Date(at).toISOString(),
    ...rest,
  };
  return { apiKey, credentials };
}
