import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTables } from '../../../../cli/review/rows/rowTables.ts';
import { flipBit, openRowsData } from './rowsData.ts';

/** The bits that are flipped, one at a time, in all files of the rows. */
const BITS = 270;

const data = await openRowsData();
afterAll(() => data.engine.stop());
for (let entry = 0; entry < 3; entry += 1) await data.upload();
await data.sequence();
await data.ailog(['data', 'sync']);

test('no flipped bit is read as another value', async () => {
  const { files } = data.manifest();
  const silent: string[] = [];
  for (let place = 0; place < BITS; place += 1) {
    const { name, bytes } = files[place % files.length] as (typeof files)[number];
    const path = join(data.rowsFolder, name);
    const bit = Math.floor((place / BITS) * bytes * 8);
    flipBit(path, bit);
    const opened = await openTables(data.store, data.manifest()).then(
      (engine) => engine.close(),
      ({ message }) => message,
    );
    if (opened !== `Files of the rows are damaged or gone: ${name}.`) silent.push(`${name}, bit ${bit}: ${opened}`);
    flipBit(path, bit);
  }
  expect(silent).toEqual([]);
  (await openTables(data.store, data.manifest())).close();
});
