import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Manifest, rowStore } from '../../../../cli/review/rows/rowStore.ts';
import { openTables } from '../../../../cli/review/rows/rowTables.ts';
import { localPaths } from '../../../../cli/store/targets/data.ts';
import { localWorld } from '../../../setup/world.ts';

const OFTEN = fileURLToPath(new URL('./syncOften.ts', import.meta.url));

/** A text of many different words, which is long enough to be compared with texts that are nearly the same. */
export const LONG_TEXT = Array.from(
  { length: 90 },
  (_, n) => `${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10)]}moves`,
).join(' ');

export function flipBit(path: string, bit: number): void {
  const bytes = readFileSync(path);
  const at = (bit >> 3) % bytes.length;
  bytes[at] = (bytes[at] as number) ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
}

/** Opens local data with a transparency log, and access to its rows. */
export async function openRowsData() {
  const data = await localWorld().sequenced({ isLive: true });
  const rowsFolder = join(data.folder, localPaths.rows);
  const store = rowStore(rowsFolder);
  return {
    ...data,
    rowsFolder,
    store,
    /** The command line of a sync that stores parts of so many rows, in the engine of these data, and its options. */
    often: (partRows: number) => [process.execPath, OFTEN, String(partRows), 'data', 'sync', '--local'],
    options: (endpoint = data.endpoint) => ({
      cwd: data.folder,
      env: { PATH: process.env.PATH, DYNAMODB_ENDPOINT: endpoint },
    }),
    manifest: () => store.read() as Manifest,
    changeManifest(change: Partial<Manifest>): void {
      store.commit({ ...this.manifest(), ...change });
    },
    /** Returns the ids of the entries that have a row, sorted. */
    async ids(): Promise<string[]> {
      const engine = await openTables(store, this.manifest());
      const rows = await Array.fromAsync(engine.read<{ entry_id: string }>('SELECT entry_id FROM entries ORDER BY 1'));
      engine.close();
      return rows.map(({ entry_id }) => entry_id);
    },
  };
}
