import { afterEach, expect, test } from 'vitest';
import { collectRows, openCollector } from '../../../../cli/review/rows/collectRows.ts';
import { composeEntry, type Entry } from '../../../../functions/ailog/entry.ts';
import { received } from '../../../ailog/received.ts';

function entryOf(n: number): Entry {
  const log = { orderId: '590480926522704171', stage: 'Decision', model: 'GPT-5', input: { n }, output: { n } };
  const rawBody = Buffer.from(JSON.stringify(log));
  const times = { receivedAt: received.receivedAt + n * 3_600_000, timestamp: String(received.receivedAt + n) };
  return composeEntry(log, { ...received, ...times, rawBody });
}

let opened: { close: () => void } | undefined;
afterEach(() => opened?.close());

/** Opens a collector for so many entries that it has a thread. */
function openThread(partRows?: number) {
  const collector = openCollector(partRows, 20_000);
  opened = collector;
  return collector;
}

test('a thread makes the same files and names the same problems', async () => {
  const entries = Array.from({ length: 60 }, (_, n) => entryOf(n));
  const damaged = [
    { ...entryOf(60), bodySha256: '0'.repeat(64) },
    { ...entryOf(61), model: 'other' },
  ];
  const [here, there] = [collectRows(50), openThread(50)];
  for (const page of [entries.slice(0, 49), entries.slice(49), damaged, []]) {
    const isFull = here.add(page);
    expect(await there.add(page)).toBe(isFull);
  }
  const part = here.take();
  expect([part.days.length, part.keys.length, part.problems.length]).toEqual([3, 61, 2]);
  expect(await there.take()).toEqual(part);
  expect(await there.take()).toEqual({ days: [], keys: [], problems: [] });
});

test('an error of the thread is the one that the reader gets, and an unread one ends nothing', async () => {
  await expect(openThread().add([null as never])).rejects.toThrow(TypeError);
  openThread().add([null as never]);
  const third = openThread();
  expect(await third.add([entryOf(1)])).toBe(false);
});

test('a problem is told whole, whatever is in the id of its entry', () => {
  const collector = collectRows(50);
  collector.add([{ ...entryOf(1), entryId: 'one: two', bodySha256: '0'.repeat(64) }]);
  expect(collector.take().problems).toMatchObject([{ entryId: 'one: two', problem: 'its body has another SHA-256' }]);
});
