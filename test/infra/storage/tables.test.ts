import { expect, test } from 'vitest';
import { type TableShape, tables } from '../../../functions/tables.ts';
import { type Resource, synth } from '../synth.ts';

const dev = synth();
const prod = synth({ stage: 'prod' });

const keySchema = ({ partitionKey, sortKey }: Pick<TableShape, 'partitionKey' | 'sortKey'>) => [
  { AttributeName: partitionKey.name, KeyType: 'HASH' },
  ...(sortKey ? [{ AttributeName: sortKey.name, KeyType: 'RANGE' }] : []),
];

test.each(Object.entries<TableShape>(tables))('%s matches its declaration in functions/tables.ts', (id, shape) => {
  const [, table] = Object.entries(dev.resources).find(([logicalId]) =>
    logicalId.toLowerCase().startsWith(`tables${id.toLowerCase()}`),
  ) as [string, Resource];
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
  ['dev', dev, 'Delete', false],
  ['prod', prod, 'Retain', true],
])('%s: on demand, recoverable, with the deletion policy of the stage', (_, { all }, policy, isProtected) => {
  expect(all('AWS::DynamoDB::GlobalTable')).toHaveLength(Object.keys(tables).length);
  for (const table of all('AWS::DynamoDB::GlobalTable')) {
    expect(table).toMatchObject({ DeletionPolicy: policy, UpdateReplacePolicy: policy });
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
