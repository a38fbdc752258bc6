import { type Policy, parsePolicy } from '../c2sp/policy.ts';
import { requireKeyName } from '../c2sp/verifierKey.ts';
import { tableVariable } from '../tables.ts';

/**
 * The environment variables of the sequencer, besides those of the tables `aiLogs` and `log` (`tableVariable`).
 * `CHECKPOINT_KEY_ARNS` is the ARN of one KMS key, or of two with a comma between them during a rotation. `WITNESSES`,
 * the text of a C2SP tlog-policy, is optional.
 */
export type SequencerEnvironment = Record<
  'TLOG_ORIGIN' | 'TLOG_BUCKET' | 'CHECKPOINT_KEY_ARNS' | 'RECEIPT_SEALING_KEY_ARN' | 'SERVICE_NAME',
  string
> & { WITNESSES?: string };

/** The configuration of the sequencer. */
export interface SequencerConfig {
  /** The log's name, such as `logs.example.com/ailog`. */
  readonly origin: string;
  readonly bucket: string;
  /** Physical table names. */
  readonly tables: { readonly aiLogs: string; readonly tlog: string };
  readonly checkpointKeyArns: readonly string[];
  /** The key that seals the private half of the receipt key. */
  readonly receiptSealingKeyArn: string;
  /** The witnesses to ask; undefined: none. */
  readonly witnesses: Policy | undefined;
  /** The name of the stack, by which its metrics are told from those of others. */
  readonly serviceName: string;
}

/** Reads and checks the environment. @throws Error that names every variable that is missing or wrong, all at once */
export function readSequencerConfig(environment: Readonly<Record<string, string | undefined>>): SequencerConfig {
  const problems: string[] = [];
  const read = <T>(name: string, wanted: string, parse: (text: string) => T): T => {
    try {
      return parse(environment[name] ?? '');
    } catch (error) {
      problems.push(`${name} (${wanted}${environment[name] ? `: ${(error as Error).message}` : ''})`);
      return undefined as T;
    }
  };
  const text = (name: string, wanted: string) =>
    read(name, wanted, (value) => {
      if (value === '') throw new Error('empty');
      return value;
    });
  const config: SequencerConfig = {
    origin: read('TLOG_ORIGIN', 'a name without spaces and "+"', (value) => {
      requireKeyName(value);
      return value;
    }),
    bucket: text('TLOG_BUCKET', 'a bucket name'),
    tables: {
      aiLogs: text(tableVariable('aiLogs'), 'a table name'),
      tlog: text(tableVariable('tlog'), 'a table name'),
    },
    checkpointKeyArns: text('CHECKPOINT_KEY_ARNS', 'ARNs of KMS keys with commas between them')?.split(','),
    receiptSealingKeyArn: text('RECEIPT_SEALING_KEY_ARN', 'the ARN of a KMS key'),
    witnesses: environment.WITNESSES ? read('WITNESSES', 'a tlog-policy', parsePolicy) : undefined,
    serviceName: text('SERVICE_NAME', 'the name of the stack'),
  };
  if (problems.length > 0) throw new Error(`Environment variables missing or wrong: ${problems.join(', ')}`);
  return config;
}
