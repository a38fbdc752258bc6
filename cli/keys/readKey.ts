import { type ApiKey, apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { readTimeout } from '../data/readTimeout.ts';
import type { Target } from '../target.ts';
import { Failure } from '../terminal/failure.ts';

/** Reads a key. @throws Failure if it does not exist */
export async function readKey(target: Target, accessKey: string): Promise<ApiKey> {
  const key = await apiKeysTable(target.db, target.tables.apiKeys).get(accessKey, readTimeout());
  if (key) return key;
  throw new Failure('negative', `There is no key ${accessKey}.`, {
    advice: 'ailog keys list shows all keys.',
  });
}

/** Creates the failure for a key that changed between reading and writing. */
export const createConflict = (accessKey: string) =>
  new Failure('rejected', `Someone else has just changed key ${accessKey}.`, {
    advice: 'Check it with ailog keys list, and run the command again.',
  });
