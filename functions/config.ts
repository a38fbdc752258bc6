/** The function's environment: the stack and the local run set it, `readConfig` reads it, nothing else touches it. */
import { perTable, type TableId, tableVariable } from './tables.ts';

/**
 * The environment variables of the function, besides one for each table (`tableVariable`). Exactly one of the two
 * `CREDENTIALS_KEY_…` is set. Without `ENTRY_RETENTION_DAYS`, entries are kept forever.
 */
export type Environment = Record<'UID_QUOTA' | 'IP_QUOTA' | 'WINDOW_SECONDS' | 'REQUIRE_LOCALE', string> & {
  ENTRY_RETENTION_DAYS?: string;
} & ({ CREDENTIALS_KEY_ARN: string } | { CREDENTIALS_KEY_FILE: string });

/** The CloudWatch namespace of the function's metrics. */
export const METRICS_NAMESPACE = 'AiLogUpload';

/** The configuration of the function. */
export interface Config {
  /** Physical table names. */
  readonly tables: Readonly<Record<TableId, string>>;
  /** The weight that one UID may consume in one window. */
  readonly uidQuota: number;
  /** The weight that one IP address (IPv6: one /64) may consume in one window. */
  readonly ipQuota: number;
  /** The length of a window in seconds. */
  readonly windowSeconds: number;
  /** Whether a request without a locale header is rejected. */
  readonly requireLocale: boolean;
  /** The days after which a stored entry may be deleted; undefined: never. */
  readonly entryRetentionDays: number | undefined;
  /** The key that decrypts credentials: a KMS key by ARN, or a key file for the local run. */
  readonly credentialsKey: { readonly arn: string } | { readonly file: string };
}

/**
 * Reads and checks the environment.
 * @throws Error that names every variable that is missing or wrong, all at once: no default hides one
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const read = <T>(name: string, wanted: string, parse: (text: string) => T | undefined): T => {
    const value = parse(environment[name] ?? '');
    if (value === undefined) problems.push(`${name} (${wanted})`);
    return value as T;
  };
  const count = (name: string) =>
    read(name, 'a positive integer', (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined));

  const { CREDENTIALS_KEY_ARN: arn, CREDENTIALS_KEY_FILE: file } = environment;
  const config: Config = {
    tables: perTable((id) => read(tableVariable(id), 'a table name', (text) => text || undefined)),
    uidQuota: count('UID_QUOTA'),
    ipQuota: count('IP_QUOTA'),
    windowSeconds: count('WINDOW_SECONDS'),
    requireLocale: read('REQUIRE_LOCALE', 'true or false', (text) =>
      text === 'true' || text === 'false' ? text === 'true' : undefined,
    ),
    entryRetentionDays: environment.ENTRY_RETENTION_DAYS === undefined ? undefined : count('ENTRY_RETENTION_DAYS'),
    credentialsKey: arn ? { arn } : { file: file ?? '' },
  };
  if (!arn === !file) problems.push('exactly one of CREDENTIALS_KEY_ARN (a KMS key) and CREDENTIALS_KEY_FILE (a path)');
  if (problems.length > 0) throw new Error(`Environment variables missing or wrong: ${problems.join(', ')}`);
  return config;
}
