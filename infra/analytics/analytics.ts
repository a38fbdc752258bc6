import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acceptFindings } from '../acceptFindings.ts';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import { Catalog } from './catalog.ts';
import { IndexerFunction } from './indexerFunction.ts';
import { RowBucket } from './rowBucket.ts';

function createFailureQueue(scope: Construct): Queue {
  const queue = new Queue(scope, 'Failures', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  const reason = 'This queue holds what failed for good. An alarm watches it, and an operator empties it.';
  acceptFindings(queue, { 'AwsSolutions-SQS3': reason, 'Serverless-SQSRedrivePolicy': reason });
  return queue;
}

/**
 * The feature rows of a deployment: their files, and with the setting `analytics` the function that makes them and
 * their tables in Athena. Bucket and queue are always there, so the setting can be switched without losing files.
 */
export class Analytics extends Construct {
  readonly indexer: IndexerFunction | undefined;
  readonly failureQueueArn: string;
  readonly outputs: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, { settings, tables }: { settings: Settings; tables: Tables }) {
    super(scope, id);
    const rows = new RowBucket(this, 'Rows', { settings });
    const failures = createFailureQueue(this);
    this.failureQueueArn = failures.queueArn;
    this.outputs = { bucket: rows.bucket.bucketName, failureQueue: failures.queueUrl };
    if (!settings.analytics) return;
    this.indexer = new IndexerFunction(this, 'Indexer', { settings, tables, rows, failures });
    const { lambda } = this.indexer;
    const { database, workgroup } = new Catalog(this, 'Catalog', { rows });
    Object.assign(this.outputs, {
      database,
      workgroup,
      indexerFunction: lambda.functionName,
      indexerLogGroup: lambda.logGroup.logGroupName,
    });
  }
}
