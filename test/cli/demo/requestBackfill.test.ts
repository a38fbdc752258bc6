import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { requestBackfill } from '../../../cli/demo/requestBackfill.ts';
import { openFixture } from '../../setup/fixture.ts';

test('a log that exists compares the whole table again; without a log, nothing is written', async () => {
  const { db, names } = await openFixture();
  const head = async () => (await db.send(new GetCommand({ TableName: names.tlog, Key: { id: 'head' } }))).Item;
  await requestBackfill(db, names.tlog);
  expect(await head()).toBeUndefined();

  const stored = { id: 'head', version: 7, size: 3, daily: { begunAt: 5, doneAt: 6 } };
  await db.send(new PutCommand({ TableName: names.tlog, Item: stored }));
  await requestBackfill(db, names.tlog);
  expect(await head()).toEqual({ ...stored, version: 8, daily: { begunAt: 0, doneAt: 0 } });

  await expect(requestBackfill(db, 'Missing')).rejects.toThrow('Requested resource not found');
});
