import { Duration, type RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Construct, type IDependable } from 'constructs';
import type { SequencerEnvironment } from '../../functions/sequencer/config.ts';
import { tableVariable } from '../../functions/tables.ts';
import { createFunction } from '../build/createFunction.ts';
import { sequencerReservation } from '../contradictions.ts';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import type { CheckpointKey } from './checkpointKey.ts';
import type { ReceiptSealingKey } from './receiptSealingKey.ts';
import type { TlogBucket } from './tlogBucket.ts';

/**
 * The memory of the function in MB. The daily reconciliation needs the most: about 300 MB for Node, the SDK, pages of
 * the table and missing entries, and the entry hashes of the transparency log (`entryHashSetBytes`), which are 134 MB
 * for 10 million entries and 537 MB for 40 million. So this is enough for 40 million.
 */
const MEMORY_MB = 1024;

interface SequencerFunctionProps {
  readonly settings: Settings;
  /** The name of the transparency log. */
  readonly origin: string;
  readonly tables: Tables;
  readonly bucket: TlogBucket;
  readonly checkpointKeys: readonly CheckpointKey[];
  readonly receiptSealingKey: ReceiptSealingKey;
  readonly removalPolicy: RemovalPolicy;
}

/** The function that appends entries to the transparency log, every minute. Its role reads no body of an entry. */
export class SequencerFunction extends Construct {
  readonly name: string;
  readonly logGroupName: string;
  readonly #everyMinute: Rule;

  constructor(scope: Construct, id: string, props: SequencerFunctionProps) {
    super(scope, id);
    const { settings, origin, tables, bucket, checkpointKeys, receiptSealingKey, removalPolicy } = props;
    const reserved = sequencerReservation(settings);
    const environment: SequencerEnvironment = {
      TLOG_ORIGIN: origin,
      TLOG_BUCKET: bucket.name,
      CHECKPOINT_KEY_ARNS: checkpointKeys.map(({ arn }) => arn).join(','),
      RECEIPT_SEALING_KEY_ARN: receiptSealingKey.arn,
      SERVICE_NAME: Stack.of(this).stackName,
      ...(settings.witnesses !== undefined && { WITNESSES: settings.witnesses }),
    };
    const { lambda, role, logGroup } = createFunction(this, 'sequencer', {
      settings,
      removalPolicy,
      description: 'Appends stored AI logs to the transparency log',
      purpose: 'Sequencer: appends entries to the transparency log, and signs it',
      memorySize: MEMORY_MB,
      // A minute's entries take seconds, a run with a part of the daily reconciliation two to three minutes.
      timeout: Duration.minutes(15),
      // Two at once are safe: one of them loses its claim, and its work is wasted. An account that can reserve no
      // execution does without.
      ...(reserved > 0 && { reservedConcurrentExecutions: reserved }),
      // The next run does what a failed one left undone.
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      environment: {
        [tableVariable('aiLogs')]: tables.names.aiLogs,
        [tableVariable('tlog')]: tables.names.tlog,
        ...environment,
      },
    });
    this.name = lambda.functionName;
    this.logGroupName = logGroup.logGroupName;
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
    Validations.of(lambda).acknowledge({ id: 'Serverless-LambdaDLQ', reason: nextRun });
    Validations.of(this.#everyMinute).acknowledge({ id: 'Serverless-EventBusDLQ', reason: nextRun });
    Validations.of(lambda).acknowledge({ id: 'Serverless-LambdaAsyncFailureDestination', reason: nextRun });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${bucket.filesInFindings}]`,
      reason:
        'The files of the transparency log have no common prefix, and the bucket holds nothing else. Its policy denies the replacement of any file.',
    });
  }

  /**
   * Starts the runs only when this part of the stack exists. A first deployment that fails before has then written no
   * file, and CloudFormation can remove its bucket.
   */
  startAfter(part: IDependable): void {
    this.#everyMinute.node.addDependency(part);
  }
}
