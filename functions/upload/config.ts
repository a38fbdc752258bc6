import { environmentReader } from '../environment.ts';
import { LOG_LEVELS, type LogLevel } from '../logLine.ts';
import { functionTables, mapKeys, tableVariable } from '../tables.ts';

/** The variables of the upload function without the table names: two KMS keys, or a key file; no retention: forever. */
export type Environment = Record<
  'UID_QUOTA' | 'IP_QUOTA' | 'WINDOW_SECONDS' | 'REQUIRE_LOCALE' | 'TLOG_ORIGIN' | 'RECEIPT_KEY' | 'SERVICE_NAME',
  string
> & {
  ENTRY_RETENTION_DAYS?: string;
  LOG_LEVEL?: LogLevel;
} & ({ CREDENTIALS_KEY_ARN: string; RECEIPT_SEALING_KEY_ARN: string } | { CREDENTIALS_KEY_FILE: string });

/** The configuration of the function. docs/settings.md explains each value. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

type KeySource = { readonly arn: string } | { readonly file: string };

/** Reads and checks the environment, without defaults. @throws Error that names every missing or wrong variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>>) {
  const { problems, read, text, requireAll } = environmentReader(environment);
  const count = (name: string) =>
    read(name, 'a positive integer', (value) => (/^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined));

  const { CREDENTIALS_KEY_ARN: arn, CREDENTIALS_KEY_FILE: file, RECEIPT_SEALING_KEY_ARN: sealingArn } = environment;
  const config = {
    tables: mapKeys(functionTables, (id) => text(tableVariable(id), 'a table name')),
    uidQuota: count('UID_QUOTA'),
    ipQuota: count('IP_QUOTA'),
    windowSeconds: count('WINDOW_SECONDS'),
    requireLocale: read('REQUIRE_LOCALE', 'true or false', (value) =>
      value === 'true' || value === 'false' ? value === 'true' : undefined,
    ),
    entryRetentionDays: environment.ENTRY_RETENTION_DAYS === undefined ? undefined : count('ENTRY_RETENTION_DAYS'),
    credentialsKey: (arn ? { arn } : { file: file ?? '' }) as KeySource,
    origin: read('TLOG_ORIGIN', 'a name without spaces and "+"', (value) =>
      /^[^\s+\p{Cc}]+$/u.test(value) ? value : undefined,
    ),
    receiptKey: count('RECEIPT_KEY'),
    receiptSealingKey: (arn ? { arn: sealingArn ?? '' } : { file: file ?? '' }) as KeySource,
    serviceName: text('SERVICE_NAME', 'the name of the stack'),
    logLevel: read('LOG_LEVEL', LOG_LEVELS.join(' or '), (value) =>
      value === '' ? 'INFO' : LOG_LEVELS.find((level) => level === value),
    ),
  };
  if (!arn === !file) problems.push('exactly one of CREDENTIALS_KEY_ARN (a KMS key) and CREDENTIALS_KEY_FILE (a path)');
  if (arn && !sealingArn) problems.push('RECEIPT_SEALING_KEY_ARN (a KMS key)');
  requireAll();
  return config;
}
