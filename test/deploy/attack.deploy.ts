import { CreateBucketCommand, DeleteObjectCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { s3Storage } from '../../functions/sequencer/s3Storage.ts';
import { COMMITS } from '../../functions/tlog/paths.ts';
import { attack } from '../sequencer/attack.ts';
import { clientsOf } from './clients.ts';
import { type Emulator, emulatorHome, startEmulator } from './emulator.ts';

/** The attack on the sequencer, with the files of the log in a versioned bucket of the emulator. */
const ministack = inject('ministack');
const home = await emulatorHome();
let emulator: Emulator;
let s3: ReturnType<typeof clientsOf>['s3'];
beforeAll(async () => {
  if (!('programs' in ministack)) return;
  emulator = await startEmulator(home);
  ({ s3 } = clientsOf(emulator.client));
});
beforeEach(({ skip }) => {
  if (!('programs' in ministack)) skip(ministack.missing);
});
afterAll(async () => {
  await emulator?.stop();
  home.remove();
});

async function openBucket(Bucket: string) {
  await s3.send(new CreateBucketCommand({ Bucket }));
  await s3.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
  return () => s3Storage(s3, Bucket, 'x/log');
}

const plan = { rounds: 15, kills: 0.01, sleeps: 0.03, parallel: 3, rushes: 0.05, jumps: 0.04 };

test.each([1, 2, 3])('nothing is lost, doubled, forked or gone back: world %i', async (seed) => {
  const counts = await attack({ ...plan, seed, open: await openBucket(`attack-${seed}`) });
  expect(counts.kills).toBeGreaterThan(0);
});

test('a delete marker over the newest commit stops the log, and no other commit takes its name', async () => {
  const open = await openBucket('marker');
  const signal = AbortSignal.timeout(60_000);
  const hide = async () => {
    const newest = (await open().list(COMMITS, '', signal)).at(-1);
    await s3.send(new DeleteObjectCommand({ Bucket: 'marker', Key: `x/log/${newest}` }));
  };
  const attacked = attack({ ...plan, seed: 4, kills: 0, open, tamper: hide });
  await expect(attacked).rejects.toMatchObject({ name: 'FatalError', condition: 'rolled-back' });
});
