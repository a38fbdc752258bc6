import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { queryRaw } from '../../../../cli/store/entries/rawItems.ts';
import { world } from '../../../setup/world.ts';

const { db, names } = await world();
const query = (change: object = {}) =>
  new QueryCommand({
    ...{ TableName: names.aiLogs, KeyConditionExpression: 'uid = :uid', ExpressionAttributeValues: { ':uid': '7' } },
    ...change,
  });

test('items are read as the document client reads them, whatever somebody wrote into them', async () => {
  const odd = {
    ...{ text: 'ψ "quoted" \u0000', empty: '', number: 1.5, large: 590480926522704171n, bytes: Uint8Array.of(0, 255) },
    ...{ yes: true, nothing: null, list: [1, ['a', Uint8Array.of(1)], {}], map: { deep: { n: 2n ** 60n } } },
    ...{
      texts: new Set(['a', 'b']),
      numbers: new Set([1, 2]),
      binaries: new Set([Uint8Array.of(1), Uint8Array.of(2)]),
    },
    ...{ __proto: 'x', S: 'S', N: '1' },
  };
  for (const entryId of ['1', '2', '3'])
    await db.send(new PutCommand({ TableName: names.aiLogs, Item: { uid: '7', entryId, ...odd } }));
  for (const change of [{}, { Limit: 2 }, { Limit: 2, ExclusiveStartKey: { uid: '7', entryId: '2' } }]) {
    const { Items, ScannedCount, LastEvaluatedKey } = await db.send(query(change));
    expect(Items?.length).toBeGreaterThan(0);
    expect(await queryRaw(db, query(change))).toEqual({ items: Items, scanned: ScannedCount, last: LastEvaluatedKey });
  }
});

test('an error is that of the SDK', async () => {
  await expect(queryRaw(db, query({ TableName: 'none' }))).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
