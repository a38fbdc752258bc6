import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { allowlistEditor } from '../../../../cli/store/tables/allowlistEditor.ts';
import { localIdentity } from '../../../../cli/store/targets/data.ts';
import { noDeadline, world } from '../../../setup/world.ts';

test('an item that is put at the same time from several places keeps the changes of all', async () => {
  const { allowlist } = await world();
  const teams = ['Alpha', 'Beta', 'Gamma', 'Delta'];
  await Promise.all(teams.map((team) => allowlist.put({ uid: '1001', status: 'approved', team })));
  const entry = await allowlist.get('1001', noDeadline());
  expect(entry?.history?.map(({ team }) => team).sort()).toEqual(teams.sort());
});

test('an item that was deleted since it was read is not put back', async () => {
  const { db, names } = await world();
  const editor = allowlistEditor({ db, tables: names });
  const read = { uid: '1001', status: 'suspended' } as const;
  expect(await editor.replace(read, { ...read, status: 'approved' })).toEqual({ outcome: 'changed' });
  expect(await editor.get('1001')).toBeUndefined();
});

test('an item whose write and the look for it get no answer is not said to be stored', async () => {
  const { names } = await world();
  const client = new DynamoDBClient({ endpoint: process.env.DYNAMODB_ENDPOINT as string, ...localIdentity });
  let calls = 0;
  client.middlewareStack.add((next) => async (args) => {
    calls += 1;
    if (calls > 1) throw new Error('no answer');
    return next(args);
  });
  const editor = allowlistEditor({ db: DynamoDBDocumentClient.from(client), tables: names });
  await expect(editor.put({ uid: '1001', status: 'approved' })).rejects.toThrow('no answer');
  expect(calls).toBe(3);
});
