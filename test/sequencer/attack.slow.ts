import { expect, test } from 'vitest';
import { folderStorage } from '../../cli/local/tlogFolder.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { attack } from './attack.ts';

const WORLDS = 24;

const total: Record<string, number> = {};

test.each(Array.from({ length: WORLDS }, (_, world) => world))('world %i ends whole', async (world) => {
  const folder = temporaryFolder();
  const counts = await attack({
    seed: world + 1,
    open: () => folderStorage(folder),
    rounds: 25,
    kills: [0, 0.003, 0.01, 0.03][world % 4] as number,
    sleeps: [0, 0.02, 0.05][Math.floor(world / 4) % 3] as number,
    parallel: 1 + (world % 3),
    rushes: 0.03,
    jumps: 0.04,
  });
  for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
});

test('there was enough of everything', () => {
  expect(total.kills).toBeGreaterThanOrEqual(300);
  for (const name of ['sleeps', 'superseded', 'stopped', 'late']) expect(total[name], name).toBeGreaterThan(10);
});
