import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { Failure } from '../terminal/failure.ts';

/** The access key, secret and passphrase that sign an upload. */
export interface AccessCredentials extends Credentials {
  readonly accessKey: string;
}

/** The variables for credentials in the environment, in a credentials file and in the local run's demo.env. */
export const credentialVariables = {
  accessKey: 'AILOG_ACCESS_KEY',
  secret: 'AILOG_SECRET',
  passphrase: 'AILOG_PASSPHRASE',
} as const satisfies Record<keyof AccessCredentials, string>;

/**
 * Returns the text of a credentials file. It consists of `export NAME='value'` lines, so that a shell can source it.
 */
export const formatCredentials = (credentials: AccessCredentials): string =>
  Object.entries(credentialVariables)
    .map(([name, variable]) => `export ${variable}='${credentials[name as keyof AccessCredentials]}'\n`)
    .join('');

/** Writes a new credentials file that only its owner can read. @throws Failure if the file exists already */
export function writeCredentials(path: string, credentials: AccessCredentials): void {
  try {
    writeFileSync(path, formatCredentials(credentials), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Failure('usage', `The file ${path} already exists.`, { advice: 'Name another one: --out FILE.' });
  }
}

/**
 * Reads credentials from variables.
 * @param source a name for the origin of the variables, for the error message
 * @throws Failure that names every missing variable
 */
export function credentialsFrom(
  values: Readonly<Record<string, string | undefined>>,
  source: string,
): AccessCredentials {
  const { accessKey, secret, passphrase } = credentialVariables;
  const missing = [accessKey, secret, passphrase].filter((variable) => !values[variable]?.trim());
  if (missing.length > 0) {
    throw new Failure('usage', `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing in ${source}.`, {
      advice: `Set ${missing.length === 1 ? 'it' : 'them'}, or give a file that has ${missing.length === 1 ? 'it' : 'them'}.`,
    });
  }
  return {
    accessKey: values[accessKey] as string,
    secret: values[secret] as string,
    passphrase: values[passphrase] as string,
  };
}

/** Reads the variables of a file that only its owner can read. @throws Failure if others can read it */
export function readOwnVariables(path: string): Readonly<Record<string, string | undefined>> {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Failure('usage', `Others can read the credentials in ${path}.`, { advice: `Run: chmod 600 ${path}` });
  }
  return parseEnv(readFileSync(path, 'utf8'));
}

/**
 * Reads credentials from a file that only its owner can read.
 * @throws Failure if others can read it or a variable is missing
 */
export const readCredentials = (path: string): AccessCredentials => credentialsFrom(readOwnVariables(path), path);
