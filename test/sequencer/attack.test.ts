import { expect, test } from 'vitest';
import { folderStorage } from '../../cli/local/tlogFolder.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { attack } from './attack.ts';

test('nothing is lost, doubled, forked or gone back, whatever kills and delays the runs', async () => {
  const folder = temporaryFolder();
  const plan = { rounds: 12, kills: 0.01, sleeps: 0.03, parallel: 3, rushes: 0, jumps: 0.05 };
  const counts = await attack({ seed: 1, open: () => folderStorage(folder), ...plan });
  expect(counts.kills).toBeGreaterThan(0);
});
