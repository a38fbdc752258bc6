import { randomBytes } from 'node:crypto';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../../functions/auth/credentialStore.ts';
import type { Seal } from '../targets/seal.ts';

/** The prefix of all access keys, so that people and secret scanners can recognize one. */
const ACCESS_KEY_PREFIX = 'ailog_';

/** Returns new random credentials: a secret of 256 bits and a passphrase of 128 bits, both in hex. */
export function freshCredentials(): Credentials {
  return { secret: randomBytes(32).toString('hex'), passphrase: randomBytes(16).toString('hex') };
}

/** Returns a new API key for a UID. It contains its credentials sealed; the plain ones are only in the result. */
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
