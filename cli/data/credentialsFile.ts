import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { Failure } from '../terminal/failure.ts';

/** What signs an upload. */
export interface AccessCredentials extends Credentials {
  readonly accessKey: string;
}

/** Environment variables, and lines of a credentials file, that hold them. The local run's demo.env has them too. */
export const credentialVariables = {
  accessKey: 'AILOG_ACCESS_KEY',
  secret: 'AILOG_SECRET',
  passphrase: 'AILOG_PASSPHRASE',
} as const satisfies Record<keyof AccessCredentials, string>;

/** A credentials file: `export NAME='value'` lines, so that a shell can read it as well. */
export const formatCredentials = (credentials: AccessCredentials): string =>
  Object.entries(credentialVariables)
    .map(([name, variable]) => `export ${variable}='${credentials[name as keyof AccessCredentials]}'\n`)
    .join('');

/** Writes a new credentials file for its owner's eyes only. @throws Failure where there is a file already */
export function writeCredentials(path: string, credentials: AccessCredentials): void {
  try {
    writeFileSync(path, formatCredentials(credentials), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Failure('usage', `The file ${path} exists already.`, { advice: 'Name another one: --out FILE.' });
  }
}

/**
 * Credentials from values by variable name.
 * @param source where they come from, for the sentence
 * @throws Failure that names every variable that is missing
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

/** The variables of a file that nobody else may read. @throws Failure where others may */
export function readOwnVariables(path: string): Readonly<Record<string, string | undefined>> {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
    throw new Failure('usage', `Others can read the credentials in ${path}.`, { advice: `Run: chmod 600 ${path}` });
  }
  return parseEnv(readFileSync(path, 'utf8'));
}

/** Credentials from a file that nobody else may read. @throws Failure where others may, or a line is missing */
export const readCredentials = (path: string): AccessCredentials => credentialsFrom(readOwnVariables(path), path);
