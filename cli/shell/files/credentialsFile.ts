import { statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Credentials } from '../../../functions/auth/credentialStore.ts';
import { Failure } from '../terminal/failure.ts';
import { decodeUtf8 } from './decodeUtf8.ts';
import { readWhole } from './readWhole.ts';
import { writeNew } from './write.ts';

export interface AccessCredentials extends Credentials {
  readonly accessKey: string;
}

/** The variables for credentials in the environment, in a credentials file and in the local run's demo.env. */
export const credentialVariables = {
  accessKey: 'AILOG_ACCESS_KEY',
  secret: 'AILOG_SECRET',
  passphrase: 'AILOG_PASSPHRASE',
} as const satisfies Record<keyof AccessCredentials, string>;

/** The credentials that an admin hands to a team. `url`: the base URL; undefined if the local run never started. */
export interface IssuedCredentials extends AccessCredentials {
  readonly uid: string;
  readonly url?: string | undefined;
}

export function formatCredentials({ url, uid, ...credentials }: IssuedCredentials): string {
  const names = Object.keys(credentialVariables) as (keyof AccessCredentials)[];
  const own = names.map((name) => [credentialVariables[name], credentials[name]]);
  // As in demo.env, which a shell can source.
  return [['AILOG_URL', url], ...own, ['AILOG_UID', uid]]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');
}

/** Writes a new credentials file to the disk that only its owner can read. @throws Failure if the file exists */
export function writeCredentials(path: string, credentials: IssuedCredentials): void {
  writeNew([{ path, text: formatCredentials(credentials) }], 'Name another one: --output FILE.');
}

/** Reads credentials from variables. @param source names their origin @throws Failure that names every missing one */
export function credentialsFrom(values: Readonly<NodeJS.Dict<string>>, source: string): AccessCredentials {
  const missing = Object.values(credentialVariables).filter((variable) => !values[variable]?.trim());
  if (missing.length > 0) {
    const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
    const advice = `Set ${them}, or give a file that has ${them}.`;
    throw new Failure('usage', `${missing.join(', ')} ${are} missing in ${source}.`, { advice });
  }
  const read = (name: keyof AccessCredentials) => values[credentialVariables[name]] as string;
  return { accessKey: read('accessKey'), secret: read('secret'), passphrase: read('passphrase') };
}

/** Reads the variables of a file. @throws Failure if it is a folder or too large, or others can read it */
export function readOwnVariables(path: string): Readonly<NodeJS.Dict<string>> {
  const stat = statSync(path);
  if (stat.isDirectory()) {
    const advice = 'Give the file in it with the credentials, such as team.env.';
    throw new Failure('usage', `${path} is a folder, not a file.`, { advice });
  }
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    throw new Failure('usage', `Others can read the credentials in ${path}.`, { advice: `Run: chmod 600 ${path}` });
  }
  return parseEnv(decodeUtf8(path, readWhole(path)));
}

/** Reads credentials from a file. @throws Failure if others than its owner can read it or a variable is missing */
export const readCredentials = (path: string): AccessCredentials => credentialsFrom(readOwnVariables(path), path);
