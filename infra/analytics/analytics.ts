import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import { Catalog } from './catalog.ts';
import { IndexerFunction } from './indexerFunction.ts';
import { RowBucket } from './rowBucket.ts';

/** The feature rows of a deployment: the function that makes them, their files, and their tables in Athena. */
export class Analytics extends Construct {
  readonly indexer: IndexerFunction;
  /** The values of the stack's outputs of this part, by their names in infra/outputs.ts. */
  readonly outputs: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, { settings, tables }: { settings: Settings; tables: Tables }) {
    super(scope, id);
    const rows = new RowBucket(this, 'Rows', { settings });
    this.indexer = new IndexerFunction(this, 'Indexer', { settings, tables, rows });
    const catalog = new Catalog(this, 'Catalog', { rows });
    this.outputs = {
      bucket: rows.bucket.bucketName,
      database: catalog.database,
      workgroup: catalog.workgroup,
      indexerFunction: this.indexer.lambda.functionName,
      indexerLogGroup: this.indexer.lambda.logGroup.logGroupName,
      failureQueue: this.indexer.failures.queueUrl,
    };
  }
}
