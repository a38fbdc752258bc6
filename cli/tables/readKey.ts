import { type ApiKey, credentialsInGrace, isUsable } from '../../functions/auth/apiKeys.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import { apiKeysEditor } from './apiKeysEditor.ts';
import { failWrite } from './recordedTable.ts';

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
  const key = await apiKeysEditor(target).get(accessKey);
  if (key) return key;
  throw new Failure('negative', `There is no key ${accessKey}.`, { advice: 'ailog keys list shows all keys.' });
}

/** Creates the failure for a change of a key. @param advice what to do if the answer was lost */
export const failChange = (accessKey: string, outcome: 'changed' | 'unknown', advice: string): Failure =>
  failWrite(`key ${accessKey}`, outcome, {
    changed: `Check it with ailog keys show ${accessKey}, and run the command again.`,
    unknown: advice,
  });
