import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { readCredentials } from '../../shell/files/credentialsFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Target } from '../targets/target.ts';
import { apiKeysEditor } from './apiKeysEditor.ts';
import { credentialsId } from './issueKey.ts';
import type { CredentialsPath } from './planFiles.ts';

/**
 * Returns the key that has the credentials of a file as its current ones, by the table: a run that was interrupted has
 * written the file before it changed the key. @param made the change that must have made them
 * @param problemOf says why another one is wanted, as a predicate of the key @throws Failure
 */
export async function findStoredKey(
  target: Target,
  { path, shown }: CredentialsPath,
  made: 'issued' | 'rotated',
  problemOf: (key: ApiKey) => string | undefined,
): Promise<ApiKey> {
  const credentials = readCredentials(path);
  const { accessKey } = credentials;
  const key = await apiKeysEditor(target).get(accessKey);
  const change = key?.history?.findLast(({ change }) => ['issued', 'imported', 'rotated'].includes(change));
  const isCurrent = change?.id === credentialsId(credentials);
  const problem = key && (isCurrent ? problemOf(key) : 'does not have its credentials');
  if (key && change?.change === made && problem === undefined) return key;
  throw new Failure(
    'negative',
    `${shown} has the key ${accessKey}, which ${key ? (problem ?? `was not ${made}`) : 'does not exist'}.`,
    { advice: 'Delete the file or name another folder, then run the command again.' },
  );
}
