import { hash, randomBytes } from 'node:crypto';
import {
  type ApiKey,
  credentialsInGrace,
  type EarlierCredentials,
  GRACE_LIMIT,
} from '../../../functions/auth/apiKeys.ts';
import type { Credentials } from '../../../functions/auth/credentialStore.ts';
import type { AccessCredentials } from '../../shell/files/credentialsFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Seal } from '../targets/seal.ts';
import { CLOCK_UNCERTAINTY_MS } from '../targets/target.ts';

/** The prefix of all access keys, so that people and secret scanners can recognize one. */
const ACCESS_KEY_PREFIX = 'ailog_';

const freshCredentials = (): Credentials => ({
  secret: randomBytes(32).toString('hex'),
  passphrase: randomBytes(16).toString('hex'),
});

/** Returns the id of the change that gives a key new credentials: it tells the table whether a file has them. */
export const credentialsId = ({ accessKey, secret, passphrase }: AccessCredentials): string =>
  hash('sha256', JSON.stringify([accessKey, secret, passphrase])).slice(0, 16);

interface Issue extends Partial<Pick<ApiKey, 'label' | 'expiresAt' | 'updatedBy'>> {
  readonly seal: Seal;
  readonly at: number;
  /** By default, new credentials with a new access key. */
  readonly existing?: AccessCredentials | undefined;
}

/** Returns an API key for a UID. It contains its credentials sealed; the plain ones are only in the result. */
export async function issueKey(
  uid: string,
  { seal, at, existing, ...rest }: Issue,
): Promise<{ apiKey: ApiKey; credentials: Credentials }> {
  const accessKey = existing?.accessKey ?? `${ACCESS_KEY_PREFIX}${randomBytes(16).toString('hex')}`;
  const { secret, passphrase } = existing ?? freshCredentials();
  const credentials = { secret, passphrase };
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

/** The maximum number of earlier credentials. The function reads them on every upload: 32 by KMS are about 10 KB. */
const EARLIER_LIMIT = 32;

/** The time of a rotation, and how long the replaced credentials stay valid after it, in milliseconds. */
type Rotation = Readonly<Record<'at' | 'graceMs', number>>;

/** Returns the earlier credentials that a rotation ends: all without a grace period, else those over the limit. */
export function credentialsEndedBy(key: ApiKey, { at, graceMs }: Rotation): readonly EarlierCredentials[] {
  const inGrace = credentialsInGrace(key, at);
  return graceMs === 0 ? inGrace : inGrace.slice(0, Math.max(0, inGrace.length + 1 - GRACE_LIMIT));
}

/**
 * Returns a key with new credentials; the current ones are kept, sealed, to prove entries, and accepted for the grace
 * period, or without an end, so that no clock can prolong them. @throws Failure if it was rotated too often
 */
export async function rotateKey(apiKey: ApiKey, { seal, by, ...rotation }: Rotation & { seal: Seal; by: string }) {
  const { at, graceMs } = rotation;
  const { earlier: before = [] } = apiKey;
  if (before.length >= EARLIER_LIMIT) {
    throw new Failure('negative', `Key ${apiKey.accessKey} has been rotated ${before.length} times, the maximum.`, {
      advice: `Issue a new key (ailog keys issue ${apiKey.uid}), then revoke this one.`,
    });
  }
  const ended = credentialsEndedBy(apiKey, rotation);
  // The service's clock is known to a second or two. An end in its past is certain to be one.
  const end = new Date(at - CLOCK_UNCERTAINTY_MS).toISOString();
  const endNow = ({ credentials, replacedAt }: EarlierCredentials): EarlierCredentials =>
    replacedAt < end ? { credentials, replacedAt, validUntil: end } : { credentials, replacedAt };
  const now = new Date(at).toISOString();
  const validUntil = graceMs > 0 && { validUntil: new Date(at + graceMs).toISOString() };
  const credentials = freshCredentials();
  return {
    apiKey: {
      ...apiKey,
      credentials: await seal(credentials, apiKey),
      earlier: [
        ...before.map((one) => (ended.includes(one) ? endNow(one) : one)),
        { credentials: apiKey.credentials, replacedAt: now, ...validUntil },
      ],
      rotatedAt: now,
      updatedAt: now,
      updatedBy: by,
    },
    credentials,
  };
}
