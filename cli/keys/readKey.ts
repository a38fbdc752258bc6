import { type ApiKey, apiKeysTable } from '../../functions/auth/apiKeys.ts';
import { readTimeout } from '../data/readTimeout.ts';
import type { Target } from '../target.ts';
import { Failure } from '../terminal/failure.ts';

/** The key of that name. @throws Failure where there is none */
export async function readKey(target: Target, accessKey: string): Promise<ApiKey> {
  const key = await apiKeysTable(target.db, target.tables.apiKeys).get(accessKey, readTimeout());
  if (key) return key;
  throw new Failure('negative', `There is no key ${accessKey}.`, {
    advice: 'ailog keys list shows the names of all keys.',
  });
}

/** What to say where a key changed between reading and writing. */
export const changedMeanwhile = (accessKey: string) =>
  new Failure('rejected', `Key ${accessKey} was changed by somebody else just now.`, {
    advice: 'Look (ailog keys list) and run the command again.',
  });
