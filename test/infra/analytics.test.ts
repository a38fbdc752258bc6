import { describe, expect, test } from 'vitest';
import { FEATURE_COLUMNS } from '../../functions/features/featureRow.ts';
import { readIndexerConfig } from '../../functions/indexer/config.ts';
import { readSettings } from '../../infra/readSettings.ts';
import { allowed, nameOf, type Resource, synth } from './synth.ts';

const off = synth({ stage: 'prod' });
const on = synth({ stage: 'prod', analytics: 'true' });
const adopted = { analytics: 'true', adoptTables: 'AiLogs=old-logs' };
const aiLogsStreamArn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/old-logs/stream/2025-11-17T08:00:00.000';
const expiring = synth({ ...adopted, aiLogsStreamArn, entryRetentionDays: '400' });

/** Returns the logical ids of a template, each with its type. */
const idsOf = ({ resources }: typeof on) => Object.entries(resources).map(([id, { Type }]) => `${Type} ${id}`);

describe('the setting analytics', () => {
  test('is off by default, and then only the bucket of it is in the template, which keeps what it has', () => {
    expect(JSON.stringify(off.artifact.template)).not.toMatch(/indexer|athena|glue|sqs/i);
    expect(idsOf(off).filter((id) => / Analytics/.test(id))).toEqual(
      idsOf(on).filter((id) => / AnalyticsRows/.test(id)),
    );
    expect(off.part('AnalyticsRowsBucket')).toEqual(on.part('AnalyticsRowsBucket'));
    const added = idsOf(on).filter((id) => !idsOf(off).includes(id));
    expect(added.filter((id) => !/ (Analytics|MonitoringAlarmsRows)/.test(id))).toEqual([]);
    expect(Object.keys(on.outputs).filter((key) => !(key in off.outputs))).toEqual([
      'AnalyticsDatabase',
      'AnalyticsWorkgroup',
      'IndexerFunction',
      'IndexerLogGroup',
      'IndexerFailureQueue',
    ]);
  });

  test('changes no table: the stream of entries is always there', () => {
    const tables = ({ all }: typeof on) => all('AWS::DynamoDB::GlobalTable').map(({ Properties }) => Properties);
    expect(tables(on)).toEqual(tables(off));
    expect(tables(off).flatMap(({ StreamSpecification }) => StreamSpecification ?? [])).toEqual([
      { StreamViewType: 'NEW_IMAGE' },
    ]);
  });

  test('takes the stream of an adopted table, and names what is missing without it', () => {
    expect(() => readSettings(adopted)).toThrow('analytics needs aiLogsStreamArn');
    expect(expiring.one('AWS::Lambda::EventSourceMapping').Properties.EventSourceArn).toBe(aiLogsStreamArn);
  });
});

describe('the indexer', () => {
  test('has a role that reads the stream, writes rows and reports failures, and nothing else', () => {
    expect(allowed(on.policyOf('AnalyticsIndexerRole')).map((line) => line.replace('Allow ', ''))).toEqual([
      'logs:CreateLogStream AnalyticsIndexerLogs.Arn',
      'logs:PutLogEvents AnalyticsIndexerLogs.Arn',
      'dynamodb:ListStreams *',
      'xray:PutTelemetryRecords *',
      'xray:PutTraceSegments *',
      'sqs:GetQueueAttributes AnalyticsIndexerFailures.Arn',
      'sqs:GetQueueUrl AnalyticsIndexerFailures.Arn',
      'sqs:SendMessage AnalyticsIndexerFailures.Arn',
      ...['Delete', 'Get', 'Put'].flatMap((verb) =>
        ['entries', 'texts'].map((folder) => `s3:${verb}Object AnalyticsRowsBucket.Arn/${folder}/*`),
      ),
      's3:ListBucket AnalyticsRowsBucket.Arn',
      'dynamodb:DescribeStream TablesAiLogs.StreamArn',
      'dynamodb:GetRecords TablesAiLogs.StreamArn',
      'dynamodb:GetShardIterator TablesAiLogs.StreamArn',
    ]);
  });

  test('reads its configuration from the environment', () => {
    expect(readIndexerConfig(on.environmentOf('AnalyticsIndexer'))).toEqual({
      bucket: 'AnalyticsRowsBucket',
      serviceName: 'AiLogUpload-prod',
    });
    expect(on.lambda('AnalyticsIndexer').Properties.Architectures).toEqual(['arm64']);
  });

  test('gets new entries only, halves a batch that fails, and gives up to the queue', () => {
    const { FilterCriteria, DestinationConfig, ...mapping } = on.one('AWS::Lambda::EventSourceMapping').Properties;
    expect(mapping).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRetryAttempts: 10,
    });
    expect(FilterCriteria.Filters).toEqual([{ Pattern: '{"eventName":["INSERT"]}' }]);
    expect(nameOf(DestinationConfig.OnFailure.Destination)).toBe('AnalyticsIndexerFailures.Arn');
    const ofRuns = on
      .all('AWS::Lambda::EventInvokeConfig')
      .flatMap(({ Properties }) => Properties.DestinationConfig?.OnFailure.Destination ?? []);
    expect(ofRuns.map(nameOf)).toEqual(['AnalyticsIndexerFailures.Arn']);
  });
});

describe('the bucket of rows', () => {
  test('is private, encrypted, TLS only, and kept in prod; results of queries are not', () => {
    const bucket = on.part('AnalyticsRowsBucket', 'AWS::S3::Bucket');
    expect(bucket.DeletionPolicy).toBe('RetainExceptOnCreate');
    expect(bucket.Properties.BucketEncryption).toBeDefined();
    expect(Object.values(bucket.Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    expect(bucket.Properties.LifecycleConfiguration.Rules).toContainEqual({
      Prefix: 'results/',
      ExpirationInDays: 7,
      Status: 'Enabled',
    });
    expect(JSON.stringify(on.part('AnalyticsRowsBucketPolicy'))).toContain('{"Bool":{"aws:SecureTransport":"false"}}');
  });

  test('keeps rows no longer than entries', () => {
    const rules = expiring
      .all('AWS::S3::Bucket')
      .flatMap(({ Properties }) => Properties.LifecycleConfiguration?.Rules ?? []);
    expect(rules.filter(({ ExpirationInDays }) => ExpirationInDays === 400).map(({ Prefix }) => Prefix)).toEqual([
      'entries/',
      'texts/',
    ]);
  });
});

describe('Athena', () => {
  test('has the columns of a row, and computes the partition of a day', () => {
    const { TableInput } = (on.all('AWS::Glue::Table') as [Resource, Resource])[0].Properties;
    expect(TableInput.StorageDescriptor.Columns.map(({ Name }: { Name: string }) => Name)).toEqual(
      Object.keys(FEATURE_COLUMNS),
    );
    expect(TableInput.Parameters).toMatchObject({
      'projection.enabled': 'true',
      'projection.received_day.range': '2025-01-01,NOW',
    });
    expect(nameOf(TableInput.Parameters['storage.location.template'])).toBe(
      `s3://AnalyticsRowsBucket/entries/received_day=\${received_day}/`,
    );
  });

  test('limits the bytes of a query, and puts its result into the bucket, encrypted', () => {
    const { WorkGroupConfiguration } = on.one('AWS::Athena::WorkGroup').Properties;
    expect(WorkGroupConfiguration).toMatchObject({
      BytesScannedCutoffPerQuery: 100 * 2 ** 30,
      EnforceWorkGroupConfiguration: true,
    });
    const { OutputLocation, EncryptionConfiguration } = WorkGroupConfiguration.ResultConfiguration;
    expect(nameOf(OutputLocation)).toBe('s3://AnalyticsRowsBucket/results/');
    expect(EncryptionConfiguration).toEqual({ EncryptionOption: 'SSE_S3' });
  });
});

test('alarms watch the age of the stream, the queue of failures, and rows that lag the transparency log', () => {
  const alarms = Object.entries(on.resources).filter(([id]) => id.startsWith('MonitoringAlarmsRows'));
  const watched = ({ MetricName, Period, Metrics = [] }: Resource['Properties']): unknown[] =>
    MetricName
      ? [`${MetricName}, ${Period} s`]
      : Metrics.map(({ Expression, MetricStat: { Metric, Period } = {} as never }: Resource['Properties']) =>
          Expression ? Expression : `${Metric.MetricName}, ${Period} s`,
        );
  expect(
    alarms.map(([id, { Properties }]) => {
      expect(Properties.AlarmActions).toHaveLength(1);
      return [id.slice(16, -8), Properties.Threshold, Properties.EvaluationPeriods, ...watched(Properties)];
    }),
  ).toEqual([
    ['RowsLate', 3_600_000, 3, 'IteratorAge, 300 s'],
    ['RowsFailed', 1, 1, 'ApproximateNumberOfMessagesVisible, 300 s'],
    [
      ...['RowsStopped', 1, 2, 'IF(FILL(appended, 0) > 0 AND FILL(indexed, 0) == 0, 1, 0)'],
      ...['TlogAppended, 900 s', 'RowsIndexed, 900 s'],
    ],
    [
      ...['RowsBehind', 5, 1, 'IF(appended >= 1000, 100 * (appended - FILL(indexed, 0)) / appended, 0)'],
      ...['TlogAppended, 21600 s', 'RowsIndexed, 21600 s'],
    ],
  ]);
});
