import { expect, test } from 'vitest';
import { entriesReader } from '../../../../cli/store/entries/entriesReader.ts';
import { NOW, world } from '../../../setup/world.ts';

test('of many entries of an order, the newest are read, and the others counted, for each team', async () => {
  const tables = await world();
  const [one, other] = [await tables.oldTeam(), await tables.oldTeam()];
  const at = NOW;
  const ids: string[] = [];
  for (const ms of [2, 0, 3, 1]) ids[ms] = await tables.uploadAt(one, at + ms, { orderId: 7 });
  const single = await tables.uploadAt(other, at, { orderId: 7 });
  await tables.uploadAt(other, at + 1, { orderId: 8 });
  const found = await entriesReader({ db: tables.db, tables: tables.names }).newestOfOrder({ orderId: 7n }, 3);
  expect(found.map(({ uid, entries, more }) => [uid, entries.map(({ entryId }) => entryId).sort(), more])).toEqual([
    [one.uid, ids.slice(1), 1],
    [other.uid, [single], 0],
  ]);
});
