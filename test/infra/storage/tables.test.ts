import { describe, expect, test } from 'vitest';
import type { TableShape } from '../../../functions/tables.ts';
import { warmThroughputOf } from '../../../infra/storage/tables.ts';
import { tables } from '../../../infra/tables.ts';
import { existingKey as credentialsKeyArn, type Resource, synth } from '../synth.ts';

const dev = synth();
const prod = synth({ stage: 'prod' });

const keySchema = ({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' },
  ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' }] : []),
];

test.each(Object.entries<TableShape>(tables))('%s matches its declaration in functions/tables.ts', (id, shape) => {
  const table = dev.part(`Tables${id.charAt(0).toUpperCase()}${id.slice(1)}`);
  const indexes = Object.entries(shape.indexes ?? {});
  const keys = [shape, ...indexes.map(([, index]) => index)].flatMap(({ partitionKey, sortKey }) =>
    sortKey ? [partitionKey, sortKey] : [partitionKey],
  );

  expect(table.Properties.KeySchema).toEqual(keySchema(shape));
  expect(table.Properties.AttributeDefinitions).toEqual(
    keys.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
  );
  expect(table.Properties.GlobalSecondaryIndexes ?? []).toEqual(
    indexes.map(([IndexName, index]) => ({
      IndexName,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'KEYS_ONLY' },
    })),
  );
  expect(table.Properties.TimeToLiveSpecification).toEqual(
    shape.timeToLive && { AttributeName: shape.timeToLive, Enabled: true },
  );
});

test.each([
  ['dev', dev, false],
  ['prod', prod, true],
])('%s: on demand, recoverable, and protected from deletion where data is kept', (_, { all }, isProtected) => {
  expect(all('AWS::DynamoDB::GlobalTable')).toHaveLength(Object.keys(tables).length);
  for (const table of all('AWS::DynamoDB::GlobalTable')) {
    expect(table.Properties.BillingMode).toBe('PAY_PER_REQUEST');
    expect(table.Properties.Replicas).toMatchObject([
      {
        DeletionProtectionEnabled: isProtected,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        Region: { Ref: 'AWS::Region' },
      },
    ]);
  }
});

describe('warmThroughput', () => {
  test('sets what exceeds a new table, at the tables and at the indexes', () => {
    const warm = (uploads: string) =>
      Object.entries(synth({ warmThroughput: uploads, apiRateLimit: '20000' }).resources)
        .filter(([, resource]) => JSON.stringify(resource).includes('WarmThroughput'))
        .map(([id, { Properties }]) => [
          id.slice('Tables'.length, -8),
          Properties.WarmThroughput,
          Properties.GlobalSecondaryIndexes?.map(({ WarmThroughput }: Resource['Properties']) => WarmThroughput),
        ]);
    const units = (WriteUnitsPerSecond: number) => ({ WriteUnitsPerSecond });
    expect(warm('801')).toEqual([['AiLogs', units(4005), [units(4005), units(4005)]]]);
    expect(warm('5000')).toEqual([
      ['Weights', units(10_000), undefined],
      ['AiLogs', units(25_000), [units(25_000), units(25_000)]],
    ]);
  });

  test('at its most keeps every table within the quota of an account', () => {
    const apiRateLimit = '20000';
    const writes = synth({ warmThroughput: '8000', apiRateLimit })
      .all('AWS::DynamoDB::GlobalTable')
      .map(({ Properties }) => Properties.WarmThroughput?.WriteUnitsPerSecond ?? 0);
    expect(Math.max(...writes)).toBe(40_000);
  });

  test('is left out where it would not exceed a new table', () => {
    expect(warmThroughputOf('aiLogs', 800)).toEqual({});
    expect(warmThroughputOf('weights', 2000)).toEqual({});
    expect(warmThroughputOf('weights', 2001)).toEqual({ warmThroughput: { writeUnitsPerSecond: 4002 } });
    expect(warmThroughputOf('apiKeys', 10_000)).toEqual({});
  });

  test('is off by default', () => {
    expect(JSON.stringify(prod.resources)).not.toContain('WarmThroughput');
  });
});

test('adoptTables and credentialsKeyArn use what exists, and create only the rest', () => {
  const adoptTables = 'AiLogs=old-logs,ApiKeys=old-keys';
  const settings = { adoptTables, credentialsKeyArn, tlogOrigin: 'logs.example.com/ailog-2' };
  const { all, environmentOf, policyOf, outputs: found } = synth(settings);
  const policy = JSON.stringify(policyOf('UploadRole').Properties);

  expect(all('AWS::DynamoDB::GlobalTable')).toHaveLength(Object.keys(tables).length - 2);
  expect(all('AWS::KMS::Key')).toHaveLength(dev.all('AWS::KMS::Key').length - 1);
  expect(environmentOf('Upload')).toMatchObject({
    AI_LOGS_TABLE: 'old-logs',
    API_KEYS_TABLE: 'old-keys',
    CREDENTIALS_KEY_ARN: credentialsKeyArn,
  });
  expect(policy).toContain(':table/old-logs');
  expect(policy).toContain(':table/old-keys');
  expect(policy).toContain(credentialsKeyArn);
  expect(found).toMatchObject({ AiLogsTable: 'old-logs', CredentialsKeyArn: credentialsKeyArn });
});
