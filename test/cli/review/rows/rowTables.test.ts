import { expect, onTestFinished, test } from 'vitest';
import { emptyManifest, rowStore } from '../../../../cli/review/rows/rowStore.ts';
import { compactFiles, openTables } from '../../../../cli/review/rows/rowTables.ts';
import { featureRow } from '../../../../functions/features/featureRow.ts';
import { dayFiles } from '../../../../functions/indexer/rowFolders.ts';
import { DAY_MS, entryOf, NOON } from '../../../indexer/indexerFixture.ts';
import { HOUR_MS, temporaryFolder } from '../../../setup/world.ts';

test('two files of a day become one when the day ended more than an hour ago, and keep their rows', async () => {
  const store = rowStore(temporaryFolder());
  const files = [1, 2].flatMap((number) =>
    [...dayFiles([featureRow(entryOf(number))])].flatMap(({ folder, entries, texts }) => [
      store.add('entries', entries, 1, folder),
      store.add('texts', texts, 1, folder),
    ]),
  );
  const manifest = { ...emptyManifest('table'), files };
  const engine = await openTables(store, manifest);
  onTestFinished(() => engine.close());
  const closes = NOON + DAY_MS / 2 + HOUR_MS;
  expect(await compactFiles(engine, store, manifest, closes)).toEqual(manifest);
  const { files: compacted, retired } = await compactFiles(engine, store, manifest, closes + 1);
  expect(compacted.map(({ name, rows }) => [name.split('/')[0], rows])).toEqual([
    ['entries', 2],
    ['texts', 2],
  ]);
  expect(retired.map(({ name }) => name).sort()).toEqual(files.map(({ name }) => name).sort());
});
