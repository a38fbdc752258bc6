import { describe, expect, test } from 'vitest';
import { FEATURE_COLUMNS } from '../../functions/features/featureRow.ts';
import { readIndexerConfig } from '../../functions/indexer/config.ts';
import { allowed, nameOf, type Resource, synth } from './synth.ts';

const off = synth({ stage: 'prod' });
const on = synth({ stage: 'prod', analytics: 'true' });
const expiring = synth({ analytics: 'true', entryRetentionDays: '400' });

/** Returns the logical ids of a template, each with its type. */
const idsOf = ({ resources }: typeof on) => Object.entries(resources).map(([id, { Type }]) => `${Type} ${id}`);

describe('the setting analytics', () => {
  test('is off by default, and then only its bucket and its queue of failures are in the template, with what they have', () => {
    // The policies of people are always there.
    const parts = Object.entries(off.resources).filter(([id]) => !/^(Staff|AnalyticsFailures)/.test(id));
    expect(parts.filter((part) => /indexer|athena|glue|sqs/i.test(JSON.stringify(part)))).toEqual([]);
    expect(idsOf(off).filter((id) => / Analytics/.test(id))).toEqual(
      idsOf(on).filter((id) => / Analytics(Rows|Failures)/.test(id)),
    );
    for (const part of ['AnalyticsRowsBucket', 'AnalyticsFailures']) expect(off.part(part)).toEqual(on.part(part));
    const added = idsOf(on).filter((id) => !idsOf(off).includes(id));
    expect(added.filter((id) => !/ (Analytics|MonitoringAlarmsRows)/.test(id))).toEqual([]);
    expect(Object.keys(on.outputs).filter((key) => !(key in off.outputs))).toEqual([
      'AnalyticsDatabase',
      'AnalyticsWorkgroup',
      'IndexerFunction',
      'IndexerLogGroup',
    ]);
  });

  test('changes no table: the stream of entries is always there', () => {
    const tables = ({ all }: typeof on) => all('AWS::DynamoDB::GlobalTable').map(({ Properties }) => Properties);
    expect(tables(on)).toEqual(tables(off));
    expect(tables(off).flatMap(({ StreamSpecification }) => StreamSpecification ?? [])).toEqual([
      { StreamViewType: 'NEW_IMAGE' },
    ]);
  });
});

describe('the indexer', () => {
  test('has a role that reads the stream, writes rows and reports failures, and nothing else', () => {
    expect(allowed(on.policyOf('AnalyticsIndexerRole')).map((line) => line.replace('Allow ', ''))).toEqual([
      'logs:CreateLogStream AnalyticsIndexerLogs.Arn',
      'logs:PutLogEvents AnalyticsIndexerLogs.Arn',
      'sqs:GetQueueAttributes AnalyticsFailures.Arn',
      'sqs:GetQueueUrl AnalyticsFailures.Arn',
      'sqs:SendMessage AnalyticsFailures.Arn',
      ...['Delete', 'Get', 'Put'].flatMap((verb) =>
        ['entries', 'texts'].map((folder) => `s3:${verb}Object AnalyticsRowsBucket.Arn/${folder}/*`),
      ),
      's3:ListBucket AnalyticsRowsBucket.Arn',
      'dynamodb:DescribeStream TablesAiLogs.StreamArn',
      'dynamodb:GetRecords TablesAiLogs.StreamArn',
      'dynamodb:GetShardIterator TablesAiLogs.StreamArn',
      'dynamodb:ListStreams *',
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
    expect(nameOf(DestinationConfig.OnFailure.Destination)).toBe('AnalyticsFailures.Arn');
    const ofRuns = on
      .all('AWS::Lambda::EventInvokeConfig')
      .flatMap(({ Properties }) => Properties.DestinationConfig?.OnFailure.Destination ?? []);
    expect(ofRuns.map(nameOf)).toEqual(['AnalyticsFailures.Arn']);
  });
});

describe('the bucket of rows', () => {
  test('keeps results of queries for a week', () => {
    expect(on.part('AnalyticsRowsBucket', 'AWS::S3::Bucket').Properties.LifecycleConfiguration.Rules).toContainEqual({
      Prefix: 'results/',
      ExpirationInDays: 7,
      Status: 'Enabled',
    });
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
