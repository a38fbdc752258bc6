import { Stack } from 'aws-cdk-lib';
import { CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import { Construct } from 'constructs';
import { ATHENA_TYPES, ENTRY_COLUMNS, TEXT_COLUMNS } from '../../functions/features/rowFile.ts';
import { RESULTS, type RowBucket } from './rowBucket.ts';

/** The bytes that one query may scan, which cost half a dollar. The rows of 15 million entries have 3 GB. */
const SCAN_LIMIT_BYTES = 100 * 2 ** 30;

const PARQUET = 'org.apache.hadoop.hive.ql.io.parquet';

/** The tables of rows and texts as Athena sees them, and the workgroup whose queries read them. */
export class Catalog extends Construct {
  readonly database: string;
  readonly workgroup: string;

  constructor(scope: Construct, id: string, { rows }: { rows: RowBucket }) {
    super(scope, id);
    const { stackName, account } = Stack.of(this);
    const location = `s3://${rows.bucket.bucketName}`;
    // Athena takes only lower case, digits and underscores without quotes.
    this.database = stackName.toLowerCase().replaceAll('-', '_');
    const database = new CfnDatabase(this, 'Database', {
      catalogId: account,
      databaseInput: { name: this.database, description: 'Feature rows of stored AI logs' },
    });
    for (const [name, { types }] of Object.entries({ entries: ENTRY_COLUMNS, texts: TEXT_COLUMNS })) {
      const folder = `${location}/${name}/`;
      const table = new CfnTable(this, name === 'entries' ? 'Entries' : 'Texts', {
        catalogId: account,
        databaseName: this.database,
        tableInput: {
          name,
          tableType: 'EXTERNAL_TABLE',
          partitionKeys: [{ name: 'received_day', type: 'string' }],
          // Athena computes the partitions, so that none has to be added when a day begins.
          parameters: {
            classification: 'parquet',
            'projection.enabled': 'true',
            'projection.received_day.type': 'date',
            'projection.received_day.format': 'yyyy-MM-dd',
            'projection.received_day.range': '2025-01-01,NOW',
            'storage.location.template': `${folder}received_day=\${received_day}/`,
          },
          storageDescriptor: {
            location: folder,
            columns: Object.entries(types).map(([column, type]) => ({ name: column, type: ATHENA_TYPES[type] })),
            inputFormat: `${PARQUET}.MapredParquetInputFormat`,
            outputFormat: `${PARQUET}.MapredParquetOutputFormat`,
            serdeInfo: { serializationLibrary: `${PARQUET}.serde.ParquetHiveSerDe` },
          },
        },
      });
      table.addResourceDependency(database);
    }
    this.workgroup = stackName;
    new CfnWorkGroup(this, 'Workgroup', {
      name: this.workgroup,
      description: `Queries of feature rows, ${stackName}`,
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        bytesScannedCutoffPerQuery: SCAN_LIMIT_BYTES,
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: false,
        resultConfiguration: {
          outputLocation: `${location}/${RESULTS}`,
          encryptionConfiguration: { encryptionOption: 'SSE_S3' },
        },
      },
    });
  }
}
