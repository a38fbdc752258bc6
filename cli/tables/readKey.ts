import { type ApiKey, apiKeysTable, credentialsInGrace, isUsable } from '../../functions/auth/apiKeys.ts';
import { readTimeout } from '../target/openedTarget.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';

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

/** Reads a key. @throws Failure if it does not exist */
export async function readKey(target: Target, accessKey: string): Promise<ApiKey> {
  const key = await apiKeysTable(target.db, target.tables.apiKeys).get(accessKey, readTimeout());
  if (key) return key;
  throw new Failure('negative', `There is no key ${accessKey}.`, {
    advice: 'ailog keys list shows all keys.',
  });
}

/** Creates the failure for a change of a key that was not written, or may not have been. */
export const failChange = (accessKey: string, outcome: 'changed' | 'unknown', advice: string): Failure =>
  outcome === 'changed'
    ? new Failure('rejected', `Someone else has just changed key ${accessKey}.`, {
        advice: `Check it with ailog keys show ${accessKey}, and run the command again.`,
      })
    : new Failure('unreachable', `The answer to the change of key ${accessKey} was lost. It may have been applied.`, {
        advice,
      });
