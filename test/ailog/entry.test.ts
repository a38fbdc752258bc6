import { zstdDecompressSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { readAiLog } from '../../cli/upload/readLog.ts';
import { composeEntry, type Entry, entryIdOf, itemBytes } from '../../functions/ailog/entry.ts';
import { ITEM_LIMIT_BYTES } from '../../functions/ailog/limits.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { corpus } from '../bench/corpus.ts';
import { type Tables, world } from '../setup/world.ts';
import { received } from './received.ts';

const log = { orderId: '9223372036854775807', stage: 's', model: 'm' };

describe('entryIdOf', () => {
  const id = entryIdOf(received);
  test('starts with the timestamp, so that ids sort by time', () => {
    expect(id).toMatch(/^1763103201300-[0-9a-f]{32}$/);
  });
  test.each([['accessKey'], ['timestamp'], ['signature']] as const)('depends on %s', (part) => {
    expect(entryIdOf({ ...received, [part]: `${received[part]}1` })).not.toBe(id);
  });
  test('changes if a character moves from one part to the next', () => {
    expect(entryIdOf({ ...received, accessKey: 'ke', timestamp: `y${received.timestamp}` }).slice(-32)).not.toBe(
      id.slice(-32),
    );
  });
});

test('a damaged stored body fails its checksum', () => {
  const { body } = composeEntry(log, received);
  expect(zstdDecompressSync(body)).toEqual(received.rawBody);
  const damaged = Buffer.from(body);
  damaged.writeUInt8((damaged.at(-1) as number) ^ 1, damaged.length - 1);
  expect(() => zstdDecompressSync(damaged)).toThrow(/checksum/);
});

test('a log of 10 KB takes four write units on average, and at most the five that warmThroughput assumes', () => {
  const entries = corpus(10_240).map(({ body }) => {
    const rawBody = Buffer.from(body);
    const entry = composeEntry(readAiLog(rawBody), { ...received, rawBody });
    expect(zstdDecompressSync(entry.body)).toEqual(rawBody);
    return { ...entry, ...arrivalKeys(entry) };
  });
  const writeUnits = entries.map((entry) => Math.ceil(itemBytes(entry) / 1024));
  expect(writeUnits.reduce((sum, units) => sum + units) / entries.length).toBeLessThanOrEqual(4);
  expect(Math.max(...writeUnits)).toBe(5);
});

describe('itemBytes', () => {
  let fixture: Tables;
  beforeAll(async () => {
    fixture = await world();
  });

  /** Returns an entry of the maximum item size plus some bytes. */
  const sized = (extra: number): Entry => {
    const entry = composeEntry(log, received);
    return { ...entry, model: 'm'.repeat(1 + ITEM_LIMIT_BYTES - itemBytes(entry) + extra) };
  };
  const put = (entry: Entry) => fixture.db.send(new PutCommand({ TableName: fixture.names.aiLogs, Item: entry }));

  test('an entry that counts as 400 KB fits into a DynamoDB item', async () => {
    expect(itemBytes(sized(0))).toBe(ITEM_LIMIT_BYTES);
    await expect(put(sized(0))).resolves.toBeDefined();
  });

  test('an entry that counts as 64 bytes more does not fit', async () => {
    await expect(put(sized(64))).rejects.toThrow(/size/);
  });
});
