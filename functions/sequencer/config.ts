import { readFileSync } from 'node:fs';
import { parsePolicy } from '../c2sp/policy.ts';
import { requireKeyName } from '../c2sp/verifierKey.ts';
import { environmentReader } from '../environment.ts';
import { tableVariable } from '../tables.ts';

/**
 * Besides tables. `CHECKPOINT_KEY_ARNS`: one ARN, or two with a comma; `WITNESSES_FILE`: a path of a C2SP tlog-policy.
 */
export type SequencerEnvironment = Record<
  'TLOG_ORIGIN' | 'TLOG_BUCKET' | 'CHECKPOINT_KEY_ARNS' | 'RECEIPT_SEALING_KEY_ARN' | 'RECEIPT_KEY' | 'SERVICE_NAME',
  string
> & { WITNESSES_FILE?: string; ENTRY_RETENTION_DAYS?: string };

/** Reads and checks the environment. @throws Error that names every variable that is missing or wrong, all at once */
export function readSequencerConfig(environment: Readonly<Record<string, string | undefined>>) {
  const { read, text, requireAll } = environmentReader(environment);
  const config = {
    origin: read('TLOG_ORIGIN', 'a name without spaces and "+"', (value) => {
      requireKeyName(value);
      return value;
    }),
    bucket: text('TLOG_BUCKET', 'a bucket name'),
    tables: {
      aiLogs: text(tableVariable('aiLogs'), 'a table name'),
      receiptKeys: text(tableVariable('receiptKeys'), 'a table name'),
    },
    checkpointKeyArns: text('CHECKPOINT_KEY_ARNS', 'ARNs of KMS keys with commas between them')?.split(','),
    receiptSealingKeyArn: text('RECEIPT_SEALING_KEY_ARN', 'the ARN of a KMS key'),
    receiptKey: read('RECEIPT_KEY', 'a number from 1', (value) =>
      /^[1-9]\d{0,2}$/.test(value) ? Number(value) : undefined,
    ),
    /** The witnesses to ask; undefined: none. */
    witnesses: environment.WITNESSES_FILE
      ? read('WITNESSES_FILE', 'the path of a tlog-policy', (path) => parsePolicy(readFileSync(path, 'utf8')))
      : undefined,
    /** The days for which entries are kept; 0: for ever. */
    retentionDays: read('ENTRY_RETENTION_DAYS', 'a number of days', (value) =>
      /^\d{0,5}$/.test(value) ? Number(value) : undefined,
    ),
    serviceName: text('SERVICE_NAME', 'the name of the stack'),
  };
  requireAll();
  return config;
}
