import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import { execute, temporaryFolder } from '../../../setup/world.ts';

const ENGINE = new URL('../../../../cli/store/duckdb/duckdb.ts', import.meta.url).href;
const NUMBERS = 'CREATE TABLE numbers AS SELECT range AS n, hash(range) AS h, hash(range + 1) AS k FROM range(4000000)';

const spilledIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'));

test.each([
  ['its folder', (folder: string) => ({ folder })],
  ['a folder among the temporary ones', (folder: string) => vi.stubEnv('TMPDIR', folder) && {}],
])('what does not fit into its memory goes to %s, and alone goes with it', async (_name, optionsIn) => {
  const folder = temporaryFolder();
  const options = { ...optionsIn(folder), memory: 60 };
  const [small, other] = [await openEngine(options), await openEngine(options)];
  for (const { run } of [small, other]) await run(NUMBERS);
  const spilled = () => spilledIn(folder);
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

test.each([
  ['is interrupted, goes with it', 'process.exit()', false],
  ['is killed, goes when the next one opens the folder', "process.kill(process.pid, 'SIGKILL')", true],
])('what an engine has spilled whose process %s', async (_name, end, isLeft) => {
  const folder = temporaryFolder();
  const program = `const { openEngine } = await import(${JSON.stringify(ENGINE)});
    const { run } = await openEngine(${JSON.stringify({ folder, memory: 60 })});
    await run(${JSON.stringify(NUMBERS)});
    const { readdirSync } = await import('node:fs');
    console.log(readdirSync(${JSON.stringify(folder)}, { recursive: true }).some((name) => name.endsWith('.tmp')));
    ${end}`;
  const { stdout } = await execute([process.execPath, '--input-type=module', '-e', program]);
  expect([stdout, spilledIn(folder).length > 0]).toEqual(['true\n', isLeft]);
  (await openEngine({ folder })).close();
  expect(spilledIn(folder)).toEqual([]);
});
