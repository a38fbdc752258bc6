import { afterAll, expect, test } from 'vitest';
import { placesOf } from '../../../../cli/review/rows/compareRows.ts';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';

const engine = await openEngine({ threads: 1 });
afterAll(() => engine.close());

test('at most a thousand entries that the log does not have are read again', async () => {
  // Batches of a thousand rows, of which the log has 400 of the first.
  const rows = `SELECT '1' AS uid, n :: VARCHAR AS entry_id, n AS received_at, 'x' :: BLOB AS leaf FROM range(3000) AS numbers(n)`;
  const readAgain: number[] = [];
  const locate = async ({ receivedAt }: { receivedAt: number }) =>
    receivedAt < 400 ? ({ status: 'logged' } as never) : undefined;
  const readAll = async (keys: readonly unknown[]) => {
    readAgain.push(keys.length);
    return [];
  };
  const places = await Array.fromAsync(placesOf(engine, rows, locate, { readAll }));
  expect([places.length, places.filter(({ place }) => place === undefined).length]).toEqual([3000, 2600]);
  expect(readAgain.filter((count) => count > 0)).toEqual([600, 400]);
});
