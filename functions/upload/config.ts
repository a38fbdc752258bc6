/** The function's environment variables. The stack and the local run set them; only `readConfig` reads them. */
import { LOG_LEVELS, type LogLevel } from '../logLine.ts';
import { perTable, type TableId, tableVariable } from '../tables.ts';

/**
 * The environment variables of the upload function, except the table names (`tableVariable`). The keys are two KMS
 * keys, or one key file. Without `ENTRY_RETENTION_DAYS`, entries are kept forever.
 */
export type Environment = Record<
  'UID_QUOTA' | 'IP_QUOTA' | 'WINDOW_SECONDS' | 'REQUIRE_LOCALE' | 'TLOG_ORIGIN' | 'SERVICE_NAME',
  string
> & {
  ENTRY_RETENTION_DAYS?: string;
  LOG_LEVEL?: LogLevel;
} & ({ CREDENTIALS_KEY_ARN: string; RECEIPT_SEALING_KEY_ARN: string } | { CREDENTIALS_KEY_FILE: string });

/** The configuration of the function. */
export interface Config {
  /** Physical table names. */
  readonly tables: Readonly<Record<TableId, string>>;
  /** The weight that a UID may consume per window. */
  readonly uidQuota: number;
  /** The weight that an IP address (IPv6: a /64) may consume per window. */
  readonly ipQuota: number;
  /** The length of a window in seconds. */
  readonly windowSeconds: number;
  /** If true, a request without a locale header is rejected. */
  readonly requireLocale: boolean;
  /** The number of days after which a stored entry may be deleted. Undefined: never. */
  readonly entryRetentionDays: number | undefined;
  /** The key that decrypts credentials: the ARN of a KMS key, or the path of a key file for the local run. */
  readonly credentialsKey: { readonly arn: string } | { readonly file: string };
  /** The name of the transparency log, for which receipts promise their entries. */
  readonly origin: string;
  /** The key that decrypts the receipt key. In the local run, it is the key file of the credentials. */
  readonly receiptSealingKey: { readonly arn: string } | { readonly file: string };
  /** The name of the stack, which its metrics have as a dimension. */
  readonly serviceName: string;
  /** The log lines to write. The default is all of them; the local run and the tests write fewer. */
  readonly logLevel: LogLevel;
}

/**
 * Reads and checks the environment. There are no defaults, so that a missing variable cannot go unnoticed.
 * @throws Error that names every missing or wrong variable
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const read = <T>(name: string, expected: string, parse: (text: string) => T | undefined): T => {
    const value = parse(environment[name] ?? '');
    if (value === undefined) problems.push(`${name} (${expected})`);
    return value as T;
  };
  const count = (name: string) =>
    read(name, 'a positive integer', (text) => (/^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined));

  const { CREDENTIALS_KEY_ARN: arn, CREDENTIALS_KEY_FILE: file, RECEIPT_SEALING_KEY_ARN: sealingArn } = environment;
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
    origin: read('TLOG_ORIGIN', 'a name without spaces and "+"', (text) =>
      /^[^\s+\p{Cc}]+$/u.test(text) ? text : undefined,
    ),
    receiptSealingKey: arn ? { arn: sealingArn ?? '' } : { file: file ?? '' },
    serviceName: read('SERVICE_NAME', 'the name of the stack', (text) => text || undefined),
    logLevel: read('LOG_LEVEL', LOG_LEVELS.join(' or '), (text) =>
      text === '' ? 'INFO' : LOG_LEVELS.find((level) => level === text),
    ),
  };
  if (!arn === !file) problems.push('exactly one of CREDENTIALS_KEY_ARN (a KMS key) and CREDENTIALS_KEY_FILE (a path)');
  if (arn && !sealingArn) problems.push('RECEIPT_SEALING_KEY_ARN (a KMS key)');
  if (problems.length > 0) throw new Error(`Environment variables missing or wrong: ${problems.join(', ')}`);
  return config;
}
