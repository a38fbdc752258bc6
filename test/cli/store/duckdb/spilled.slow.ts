import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

test.each([
  ['its folder', (folder: string) => ({ folder })],
  ['a folder among the temporary ones', (folder: string) => vi.stubEnv('TMPDIR', folder) && {}],
])('what does not fit into its memory goes to %s, and alone goes with it', async (_name, optionsIn) => {
  const folder = temporaryFolder();
  const options = { ...optionsIn(folder), memory: 60 };
  const [small, other] = [await openEngine(options), await openEngine(options)];
  for (const { run } of [small, other])
    await run('CREATE TABLE numbers AS SELECT range AS n, hash(range) AS h, hash(range + 1) AS k FROM range(4000000)');
  const spilled = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'));
  const all = spilled();
  expect(all).not.toEqual([]);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o700);
  small.close();
  const left = spilled();
  expect([left.length > 0, left.length < all.length]).toEqual([true, true]);
  const [found] = await Array.fromAsync(other.read<{ n: number }>('SELECT count(DISTINCT h) AS n FROM numbers'));
  expect(found).toEqual({ n: 4_000_000 });
  other.close();
  expect(spilled()).toEqual([]);
  vi.unstubAllEnvs();
});
