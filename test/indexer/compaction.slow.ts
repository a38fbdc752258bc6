import { expect, test } from 'vitest';
import { recordWritten, s3Error } from '../setup/world.ts';
import { entryOf, openIndexer, streamed } from './indexerFixture.ts';

recordWritten();
const { cloud, bucket, idsBelow, index, compact, wait, reset } = await openIndexer();

async function fill(): Promise<void> {
  reset();
  for (const number of [1, 2, 3]) await index(streamed([entryOf(number)], number));
  wait();
  cloud.calls();
}

test('whichever request of a compaction fails, no row is missing at any time, and the next run ends it', async () => {
  await fill();
  await compact();
  const requests = cloud.calls().length;
  expect(requests).toBeGreaterThan(10);
  for (let failing = 0; failing < requests; failing += 1) {
    for (const fault of [s3Error(503, 'SlowDown'), 'lose the answer'] as const) {
      await fill();
      cloud.way.plan(...Array(failing).fill('pass'), fault);
      await compact().catch(() => undefined);
      cloud.way.plan();
      for (const folder of ['entries/', 'texts/']) expect(new Set(await idsBelow(folder)).size).toBe(3);
      await compact();
      expect(await bucket.list('')).toHaveLength(2);
      for (const folder of ['entries/', 'texts/']) expect(await idsBelow(folder)).toHaveLength(3);
    }
  }
});
