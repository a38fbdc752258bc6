import { afterEach, expect, test } from 'vitest';
import { collectRows, openCollector } from '../../../../cli/review/rows/collectRows.ts';
import { composeEntry, type Entry } from '../../../../functions/ailog/entry.ts';
import type { FeatureRow } from '../../../../functions/features/featureRow.ts';
import { readRows } from '../../../../functions/features/readRows.ts';
import { received } from '../../../ailog/received.ts';

function entryOf(n: number): Entry {
  const log = { orderId: '590480926522704171', stage: 'Decision', model: 'GPT-5', input: { n }, output: { n } };
  const rawBody = Buffer.from(JSON.stringify(log));
  const times = { receivedAt: received.receivedAt + n * 3_600_000, timestamp: String(received.receivedAt + n) };
  return composeEntry(log, { ...received, ...times, rawBody });
}

let opened: { close: () => void } | undefined;
afterEach(() => opened?.close());

/** Opens a collector for so many entries that it has threads. */
function openThread(partRows?: number, threads?: number) {
  const collector = openCollector(partRows, 20_000, threads);
  opened = collector;
  return collector;
}

test('a thread makes the same files and names the same problems', async () => {
  const entries = Array.from({ length: 60 }, (_, n) => entryOf(n));
  const damaged = [
    { ...entryOf(60), bodySha256: '0'.repeat(64) },
    { ...entryOf(61), model: 'other' },
  ];
  const [here, there] = [collectRows(50), openThread(50, 1)];
  for (const page of [entries.slice(0, 49), entries.slice(49), damaged, []]) {
    const isFull = here.add(page);
    expect(await there.add(page)).toBe(isFull);
  }
  const part = here.take();
  expect([part.days.length, part.keys.length, part.problems.length]).toEqual([3, 61, 2]);
  expect(await there.take()).toEqual(part);
  expect(await there.take()).toEqual({ days: [], keys: [], problems: [] });
});

test('several threads make the same rows between them', async () => {
  const entries = Array.from({ length: 60 }, (_, n) => entryOf(n));
  const [here, there] = [collectRows(50), openThread(60, 3)];
  here.add(entries);
  const adding = [0, 20, 40].map((start) => there.add(entries.slice(start, start + 20)));
  expect([there.atOnce, await Promise.all(adding)]).toEqual([3, [true, true, true]]);
  const rowsOf = async ({ days }: ReturnType<typeof here.take>) =>
    (await Promise.all(days.map(({ entries }) => readRows<FeatureRow>(entries))))
      .flat()
      .sort((one, other) => Number(one.signed_at - other.signed_at));
  expect(await rowsOf(await there.take())).toEqual(await rowsOf(here.take()));
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

test('a part is full with 12 Mi characters of text, and the next one starts without any', () => {
  const text = Array.from({ length: 1000 }, (_, n) => `word ${n} `).join('');
  const rawBody = Buffer.from(JSON.stringify({ stage: 'a', model: 'b', input: { text }, output: {} }));
  const entry = composeEntry(JSON.parse(String(rawBody)), { ...received, rawBody });
  const collector = collectRows();
  const isFull = (entries: number) => collector.add(Array<Entry>(entries).fill(entry));
  expect([isFull(1536), isFull(1)]).toEqual([false, true]);
  collector.take();
  expect(isFull(1)).toBe(false);
});
