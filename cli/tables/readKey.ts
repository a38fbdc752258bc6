import { type ApiKey, apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { readTimeout } from '../target/readTimeout.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';

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
