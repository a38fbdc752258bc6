import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct, type IDependable } from 'constructs';
import type { SequencerEnvironment } from '../../functions/sequencer/config.ts';
import { tableVariable } from '../../functions/tables.ts';
import { acceptFindings } from '../acceptFindings.ts';
import { createFunction } from '../build/createFunction.ts';
import { sequencerReservation } from '../contradictions.ts';
import { readWitnesses, type Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import type { CheckpointKey, ReceiptSealingKey } from './keys.ts';
import type { TlogBucket } from './tlogBucket.ts';

/**
 * In MB, for 2000 uploads a second: 200 MB of Node and SDK, and 100 bytes of each entry of an hour, for the second
 * look.
 */
const MEMORY_MB = 1024;

/** The name of the file with the policy of witnesses, beside the code: environment variables have 4 KB together. */
const WITNESSES_FILE = 'witnesses.policy';

interface SequencerFunctionProps {
  readonly settings: Settings;
  readonly origin: string;
  readonly tables: Tables;
  readonly bucket: TlogBucket;
  readonly checkpointKeys: readonly CheckpointKey[];
  readonly receiptSealingKey: ReceiptSealingKey;
}

/** The function that appends entries to the transparency log, every minute. Its role reads no body of an entry. */
export class SequencerFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly #everyMinute: Rule;

  constructor(scope: Construct, id: string, props: SequencerFunctionProps) {
    super(scope, id);
    const { settings, origin, tables, bucket, checkpointKeys, receiptSealingKey } = props;
    const reserved = sequencerReservation(settings);
    const witnesses = settings.witnesses && readWitnesses(settings.witnesses);
    const environment: SequencerEnvironment = {
      TLOG_ORIGIN: origin,
      TLOG_BUCKET: bucket.name,
      CHECKPOINT_KEY_ARNS: checkpointKeys.map(({ arn }) => arn).join(','),
      RECEIPT_SEALING_KEY_ARN: receiptSealingKey.arn,
      RECEIPT_KEY: String(settings.receiptKey),
      SERVICE_NAME: Stack.of(this).stackName,
      ...(witnesses && { WITNESSES_FILE }),
      ...(settings.entryRetentionDays !== undefined && { ENTRY_RETENTION_DAYS: String(settings.entryRetentionDays) }),
    };
    const { lambda, role } = createFunction(this, 'sequencer', {
      settings,
      description: 'Appends stored AI logs to the transparency log',
      files: witnesses ? { [WITNESSES_FILE]: witnesses } : {},
      purpose: 'Sequencer: appends entries to the transparency log, and signs it',
      memorySize: MEMORY_MB,
      // A minute's entries take seconds; after a standstill, a run has hours of them.
      timeout: Duration.minutes(15),
      // Two at once are safe: one of them loses its claim, and its work is wasted. An account that can reserve no
      // execution does without.
      ...(reserved > 0 && { reservedConcurrentExecutions: reserved }),
      // The next run does what a failed one left undone.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      environment: {
        [tableVariable('aiLogs')]: tables.names.aiLogs,
        [tableVariable('receiptKeys')]: tables.names.receiptKeys,
        ...environment,
      },
    });
    this.lambda = lambda;
    tables.grantSequence(role);
    bucket.grantReadCreate(role);
    for (const key of checkpointKeys) key.grantSign(role);
    receiptSealingKey.grantGenerate(role);
    this.#everyMinute = new Rule(this, 'EveryMinute', {
      description: 'Runs the sequencer',
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new LambdaTarget(lambda, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
    const nextRun = 'The next run, a minute later, does what a failed one left undone. An alarm watches the lag.';
    acceptFindings(lambda, { 'Serverless-LambdaDLQ': nextRun, 'Serverless-LambdaAsyncFailureDestination': nextRun });
    acceptFindings(this.#everyMinute, { 'Serverless-EventBusDLQ': nextRun });
    acceptFindings(role, {
      [`AwsSolutions-IAM5[Resource::${bucket.filesInFindings}]`]:
        'The files of the transparency log have no common prefix, and the bucket holds nothing else. Its policy denies the replacement of any file.',
    });
  }

  /** Starts the runs only when a part of the stack exists. A deployment that fails before has written no file then. */
  startAfter(part: IDependable): void {
    this.#everyMinute.node.addDependency(part);
  }
}
