import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { composeEntry } from '../../functions/ailog/entry.ts';
import { arrivalsOf } from '../../functions/sequencer/arrivals.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { received } from '../ailog/received.ts';
import { MINUTE_MS, noDeadline, world } from '../setup/world.ts';

test('all entries of a minute are read, however many pages they take', async () => {
  const { db, names } = await world();
  const minute = Math.floor(received.receivedAt / MINUTE_MS) * MINUTE_MS;
  // More entries than the minute has partitions, in its first and last millisecond and beside them.
  const times = [minute - 1, ...Array<number>(10).fill(minute), minute + MINUTE_MS - 1, minute + MINUTE_MS];
  const hashes: string[] = [];
  for (const [index, receivedAt] of times.entries()) {
    const entry = composeEntry({ stage: 's', model: 'm' }, { ...received, receivedAt, uid: String(index) });
    const keys = arrivalKeys(entry);
    hashes.push(Buffer.from(keys.arrival).toString('hex').slice(-64));
    await db.send(new PutCommand({ TableName: names.aiLogs, Item: { ...entry, ...keys } }));
  }
  let pages = 0;
  db.middlewareStack.add(
    (next) => (args) => {
      pages += 1;
      Object.assign(args.input, { Limit: 1 });
      return next(args);
    },
    { step: 'initialize' },
  );
  const found = await arrivalsOf(db, names.aiLogs).between([minute, minute + MINUTE_MS], noDeadline());
  expect(found.map(({ entryHash }) => entryHash.toString('hex')).sort()).toEqual(hashes.slice(1, -1).sort());
  expect(new Set(found.map(({ receivedAt }) => receivedAt))).toEqual(new Set([minute, minute + MINUTE_MS - 1]));
  expect(pages).toBeGreaterThan(11);
});
