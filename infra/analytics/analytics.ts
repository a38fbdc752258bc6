import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import { Catalog } from './catalog.ts';
import { IndexerFunction } from './indexerFunction.ts';
import { RowBucket } from './rowBucket.ts';

/**
 * The feature rows of a deployment: their files, and with the setting `analytics` the function that makes them and
 * their tables in Athena. The bucket is always there, so the setting can be switched off and on with the same files.
 */
export class Analytics extends Construct {
  readonly indexer: IndexerFunction | undefined;
  /** The values of the stack's outputs of this part, by their names in infra/outputs.ts. */
  readonly outputs: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, { settings, tables }: { settings: Settings; tables: Tables }) {
    super(scope, id);
    const rows = new RowBucket(this, 'Rows', { settings });
    this.outputs = { bucket: rows.bucket.bucketName };
    if (!settings.analytics) return;
    this.indexer = new IndexerFunction(this, 'Indexer', { settings, tables, rows });
    const { lambda, failures } = this.indexer;
    const { database, workgroup } = new Catalog(this, 'Catalog', { rows });
    Object.assign(this.outputs, {
      database,
      workgroup,
      indexerFunction: lambda.functionName,
      indexerLogGroup: lambda.logGroup.logGroupName,
      failureQueue: failures.queueUrl,
    });
  }
}
