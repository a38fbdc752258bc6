import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import {
  type AccessCredentials,
  credentialsFrom,
  credentialVariables,
  readOwnVariables,
} from '../data/credentialsFile.ts';
import { DEMO_FILE } from '../local/data.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Where to upload, and as whom. */
export interface Access extends AccessCredentials {
  /** What stands before the path, without a slash at its end. */
  readonly url: string;
}

/** How the options of a command say it; what they leave open, the environment says. */
export interface AccessOptions {
  readonly url?: string | undefined;
  readonly credentials?: string | undefined;
}

const isLoopback = ({ hostname }: URL) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** A base URL that a passphrase may be sent to. @throws Failure that says what is wrong with it */
function baseUrl(text: string): string {
  const wrong = (message: string, advice: string) => new Failure('usage', message, { advice });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw wrong(`"${text}" is not a base URL.`, 'Give one such as https://api.example.com, with a path if it has one.');
  }
  if (url.pathname.replace(/\/$/, '').endsWith(UPLOAD_PATH)) {
    throw wrong(`The base URL ends before ${UPLOAD_PATH}.`, `Give ${text.slice(0, text.indexOf(UPLOAD_PATH))}`);
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw wrong(`With ${text} anyone on the way could read the passphrase.`, 'Give a URL that starts with https:');
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * Finds out as whom to sign, and where to upload as far as that is said. Credentials come whole from one place: the file
 * that is named, else the environment if it has any of them, else the demo team's file; that one only for a service on
 * this machine.
 * @throws Failure where one of them is missing
 */
export function findAccess({ env, cwd }: Terminal, { url, credentials: file }: AccessOptions) {
  const given = url ?? env.AILOG_URL;
  if (file !== undefined) {
    const values = readOwnVariables(resolve(cwd(), file));
    return { ...credentialsFrom(values, file), url: url ?? values.AILOG_URL ?? given };
  }
  const demoFile = join(cwd(), DEMO_FILE);
  const unset = Object.values(credentialVariables).every((variable) => env[variable] === undefined);
  if (unset && existsSync(demoFile) && (!given || (URL.canParse(given) && isLoopback(new URL(given))))) {
    const values = readOwnVariables(demoFile);
    return { ...credentialsFrom(values, DEMO_FILE), url: given ?? values.AILOG_URL };
  }
  return { ...credentialsFrom(env, 'the environment'), url: given };
}

/** Finds out where to upload and as whom. @throws Failure where something is missing or cannot be right */
export function readAccess(terminal: Terminal, options: AccessOptions): Access {
  const { url, ...credentials } = findAccess(terminal, options);
  for (const name of ['accessKey', 'passphrase'] as const) {
    if (/^[\x20-\x7e]*$/.test(credentials[name].trim())) continue;
    throw new Failure('usage', `${credentialVariables[name]} has a character that no HTTP header can hold.`, {
      advice: 'Copy it once more: it is made of ASCII letters, digits and signs.',
    });
  }
  if (url) return { ...credentials, url: baseUrl(url) };
  throw new Failure('usage', 'AILOG_URL is missing.', { advice: 'Set it to the base URL, or give --url URL.' });
}
