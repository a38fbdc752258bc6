import { closeSync, fsyncSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { Failure } from '../terminal/failure.ts';
import { writeNew } from './write.ts';

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

/** The content of a credentials file that an admin hands to a team. */
export interface IssuedCredentials extends AccessCredentials {
  readonly uid: string;
  /** The base URL of the service. Undefined if it is not known: the local run has not started yet. */
  readonly url?: string | undefined;
}

/**
 * Returns the text of a credentials file. It consists of `export NAME='value'` lines, so that a shell can source it.
 * They have the names and the order of the local run's demo.env.
 */
export function formatCredentials({ url, uid, ...credentials }: IssuedCredentials): string {
  const lines = [
    ['AILOG_URL', url],
    ...Object.entries(credentialVariables).map(([name, variable]) => [
      variable,
      credentials[name as keyof AccessCredentials],
    ]),
    ['AILOG_UID', uid],
  ];
  return lines
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a new credentials file that only its owner can read. When this returns, the file is on the disk.
 * @throws Failure if the file exists already
 */
export function writeCredentials(path: string, credentials: IssuedCredentials): void {
  writeNew([{ path, text: formatCredentials(credentials) }], 'Name another one: --output FILE.');
  // Windows cannot flush a folder.
  if (process.platform !== 'win32') sync(dirname(path));
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
