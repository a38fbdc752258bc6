import { Duration, Stack } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { IndexerEnvironment } from '../../functions/indexer/config.ts';
import { acceptFindings } from '../acceptFindings.ts';
import { createFunction } from '../build/createFunction.ts';
import type { Settings } from '../settings.ts';
import { allow } from '../storage/allow.ts';
import type { Tables } from '../storage/tables.ts';
import type { RowBucket } from './rowBucket.ts';

/** The memory of the function in MB. Compacting a day needs the most: docs/evidence.md has the measured figures. */
const MEMORY_MB = 3008;

/** The function that stores a row of each new entry, and compacts the rows of a day at night. */
export class IndexerFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly failures: Queue;

  constructor(
    scope: Construct,
    id: string,
    { settings, tables, rows, failures }: { settings: Settings; tables: Tables; rows: RowBucket; failures: Queue },
  ) {
    super(scope, id);
    this.failures = failures;
    const environment: IndexerEnvironment = {
      ANALYTICS_BUCKET: rows.bucket.bucketName,
      SERVICE_NAME: Stack.of(this).stackName,
    };
    const { lambda, role } = createFunction(this, 'indexer', {
      settings,
      description: 'Keeps a feature row of each stored AI log',
      purpose: 'Indexer: reads new entries from their stream, stores rows of them',
      memorySize: MEMORY_MB,
      timeout: Duration.minutes(15),
      environment: { ...environment },
      onFailure: new SqsDestination(failures),
    });
    this.lambda = lambda;
    rows.grantIndex(role);
    this.#readStream(tables.aiLogsStreamArn as string);

    const nightly = new Rule(this, 'Nightly', {
      description: 'Compacts the rows of closed days',
      schedule: Schedule.cron({ hour: '2', minute: '10' }),
      targets: [new LambdaTarget(lambda)],
    });
    acceptFindings(nightly, {
      'Serverless-EventBusDLQ':
        'The next night compacts what a missed run left, and readers take files that are not compacted too.',
    });
    acceptFindings(lambda, {
      'Serverless-LambdaDLQ':
        'The failure destination of the function is the queue of failures, which an alarm watches.',
    });
    const bucketId = Stack.of(this).getLogicalId(rows.bucket.node.defaultChild as never);
    const onlyRows =
      'The function makes, compacts and removes all files of rows in this folder, and the folder holds nothing else.';
    acceptFindings(role, {
      'AwsSolutions-IAM5[Resource::*]':
        'ListStreams has no resource-level permissions: IAM takes only the resource * for it.',
      [`AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/entries/*]`]: onlyRows,
      [`AwsSolutions-IAM5[Resource::<${bucketId}.Arn>/texts/*]`]: onlyRows,
    });
  }

  /** Invokes the function for new entries. A later change of an entry makes no row: the first one keeps its leaf. */
  #readStream(eventSourceArn: string): void {
    const { lambda, failures } = this;
    const actions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
    allow(lambda, actions, [eventSourceArn]);
    // It has no resource-level permissions.
    allow(lambda, ['dynamodb:ListStreams'], ['*']);
    new EventSourceMapping(this, 'NewEntries', {
      target: lambda,
      eventSourceArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      // A file for each batch: few large files, and rows that are a minute old.
      batchSize: 1000,
      maxBatchingWindow: Duration.minutes(1),
      filters: [FilterCriteria.filter({ eventName: FilterRule.isEqual('INSERT') })],
      reportBatchItemFailures: true,
      // A batch that fails as a whole, such as for lack of memory, is halved until one entry is left.
      bisectBatchOnError: true,
      retryAttempts: 10,
      onFailure: new SqsDlq(failures),
    });
  }
}
