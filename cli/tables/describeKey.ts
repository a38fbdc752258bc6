import { type ApiKey, credentialsInGrace, isUsable } from '../../functions/auth/apiKeys.ts';

/** Describes a key for JSON, without its credentials. @param now milliseconds since 1970 */
export function describeKey(key: ApiKey, now: number) {
  const { accessKey, uid, label, createdAt, expiresAt, rotatedAt, updatedAt, updatedBy, status } = key;
  const inGrace = credentialsInGrace(key, now).map(({ validUntil = '' }) => validUntil);
  return {
    uid,
    accessKey,
    status: status === 'active' && !isUsable(key, now) ? ('expired' as const) : status,
    label,
    createdAt,
    expiresAt,
    rotatedAt,
    oldValidUntil: inGrace.sort().at(-1),
    updatedAt: updatedAt ?? createdAt,
    updatedBy,
  };
}
