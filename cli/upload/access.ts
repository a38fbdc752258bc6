import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UPLOAD_PATH } from '../../functions/auth/signature.ts';
import {
  type AccessCredentials,
  credentialsFrom,
  credentialVariables,
  readOwnVariables,
} from '../shell/files/credentialsFile.ts';
import { span } from '../shell/terminal/arguments.ts';
import { defineOpener, type Surroundings } from '../shell/terminal/defineCommand.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { localPaths } from '../store/targets/data.ts';

export interface Access extends AccessCredentials {
  /** The URL before the path, without a trailing slash. */
  readonly url: string;
  readonly endsInSlash?: boolean;
  readonly uid?: string | undefined;
}

type AccessOptions = Partial<Record<'url' | 'credentials', string | undefined>>;

export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** Checks a base URL and removes trailing slashes. @throws Failure if it is not one, or would expose the passphrase */
function parseBaseUrl(text: string): string {
  const wrong = (message: string, advice: string) => new Failure('usage', message, { advice });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    const advice = 'Give a URL such as https://api.example.com, with its path prefix if it has one.';
    throw wrong(`"${text}" is not a base URL.`, advice);
  }
  if (url.pathname.replace(/\/$/, '').endsWith(UPLOAD_PATH)) {
    throw wrong(`The base URL must not contain ${UPLOAD_PATH}.`, `Give ${text.slice(0, text.indexOf(UPLOAD_PATH))}`);
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw wrong(`${text} would send the passphrase unencrypted.`, 'Give a URL that starts with https:');
  }
  return url.href.replace(/\/+$/, '');
}

/**
 * Finds the credentials, and the base URL if one is set, all from one source: the file that is given, else the
 * environment if it has any of them, else, for a service on this machine, the demo team's file. @throws Failure if a
 * credential is missing
 */
export function findAccess({ env, cwd }: Pick<Surroundings, 'env' | 'cwd'>, { url, credentials: file }: AccessOptions) {
  const given = url ?? env.AILOG_URL;
  if (file !== undefined) {
    const values = readOwnVariables(resolve(cwd(), file));
    return { ...credentialsFrom(values, file), uid: values.AILOG_UID, url: url ?? values.AILOG_URL ?? given };
  }
  const demoFile = join(cwd(), localPaths.demo);
  const unset = Object.values(credentialVariables).every((variable) => env[variable] === undefined);
  if (unset && existsSync(demoFile) && (!given || (URL.canParse(given) && isLoopback(new URL(given))))) {
    const values = readOwnVariables(demoFile);
    return { ...credentialsFrom(values, localPaths.demo), uid: values.AILOG_UID, url: given ?? values.AILOG_URL };
  }
  return { ...credentialsFrom(env, 'the environment'), uid: env.AILOG_UID, url: given };
}

/** Finds the credentials and the base URL, and checks them. @throws Failure if one is missing or invalid */
export function readAccess(terminal: Surroundings, options: AccessOptions): Access {
  const { url, ...credentials } = findAccess(terminal, options);
  for (const name of ['accessKey', 'passphrase'] as const) {
    if (/^[\x20-\x7e]*$/.test(credentials[name].trim())) continue;
    throw new Failure('usage', `${credentialVariables[name]} has a character that is not allowed in an HTTP header.`, {
      advice: 'Copy it again: it consists of ASCII letters, digits and symbols.',
    });
  }
  if (url) return { ...credentials, url: parseBaseUrl(url), ...(url.endsWith('/') && { endsInSlash: true }) };
  throw new Failure('usage', 'AILOG_URL is missing.', { advice: 'Set it to the base URL, or give --url URL.' });
}

const CREDENTIALS = {
  flags: '--credentials <file>',
  help: 'a file with AILOG_ACCESS_KEY, AILOG_SECRET and AILOG_PASSPHRASE that only you can read (default: the environment)',
} as const;

/** For a command of a team that uses its API key, and sends nothing: `on: onKey`. */
export const onKey = defineOpener({
  kind: 'an API key',
  options: { credentials: CREDENTIALS },
  use: (terminal, where, work: (opened: { readonly access: ReturnType<typeof findAccess> }) => Promise<void>) =>
    work({ access: findAccess(terminal, where) }),
});

/** For a command of a team that sends requests to the service: `on: onService`. `timeout`: milliseconds */
export const onService = defineOpener({
  kind: 'the service',
  options: {
    credentials: CREDENTIALS,
    url: { flags: '--url <url>', help: 'the base URL (default: AILOG_URL)' },
    timeout: { flags: '--timeout <span>', help: 'time to wait for an answer', read: span, default: 10_000 },
  },
  use: async (terminal, { timeout, ...where }, work: (on: { access: Access; timeout: number }) => Promise<void>) => {
    if (timeout > 0) return work({ timeout, access: readAccess(terminal, where) });
    throw new Failure('usage', '--timeout must be longer than 0.', { advice: 'Give a span such as 10s.' });
  },
});
