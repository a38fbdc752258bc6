import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { folderStorage } from '../../cli/local/sequenceFolder.ts';
import {
  entryHashesOf,
  lastOf,
  nextMissing,
  partsOf,
  recordOf,
  storeMissing,
} from '../../functions/sequencer/missingEntries.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { randomFrom } from './intercept.ts';

const signal = AbortSignal.timeout(60_000);

test('records of several files are read in order, part by part, each once', async () => {
  const storage = folderStorage(temporaryFolder());
  const random = randomFrom(11);
  const records = Array.from({ length: 150 }, () =>
    recordOf({ receivedAt: 1_763_112_660_000 + Math.floor(random() * 30), entryHash: randomBytes(32) }),
  );
  const files: string[] = [];
  for (let start = 0; start < records.length; start += 20) {
    // Some records are in two files.
    files.push(await storeMissing(storage, records.slice(Math.max(0, start - 7), start + 20), signal));
  }
  const wanted = Buffer.concat(records.toSorted(Buffer.compare));
  for (const count of [1, 7, 19, 80, 200]) {
    const read: Uint8Array[] = [];
    for (let after: Uint8Array | undefined; ; ) {
      const next = await nextMissing(storage, { files, after, count }, signal);
      if (next.length === 0) break;
      expect(next.length / 40).toBeLessThanOrEqual(count);
      read.push(next);
      after = lastOf(next);
    }
    expect(Buffer.concat(read)).toEqual(wanted);
  }
});

test('packed records are split into parts and into their leaves', () => {
  const leaves = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
  const packed = Buffer.concat(leaves.map((leaf, receivedAt) => recordOf({ receivedAt, entryHash: leaf })));
  expect([...partsOf(packed, 2)].map((part) => part.length / 40)).toEqual([2, 1]);
  expect(entryHashesOf(packed).map((leaf) => Buffer.from(leaf))).toEqual(leaves);
  expect(lastOf(packed)).toEqual(Uint8Array.from(packed.subarray(80)));
  expect(lastOf(new Uint8Array())).toBeUndefined();
});
