import { zstdDecompressSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { composeEntry, type Entry, entryIdOf, itemBytes, type Received } from '../../functions/ailog/entry.ts';
import { ITEM_LIMIT } from '../../functions/ailog/limits.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';
import { type Fixture, openFixture } from '../setup/fixture.ts';

const log: AiLog = { orderId: '9223372036854775807', stage: 's', model: 'm', input: {}, output: {}, explanation: 'e' };
const received: Received = {
  uid: '42',
  accessKey: 'key',
  timestamp: '1763103201300',
  signature: 'c2lnbmF0dXJl',
  receivedAt: 1763103201400,
  locale: 'en-US',
  sourceIp: '192.0.2.1',
  query: '',
  rawBody: Buffer.from('{}'),
};

describe('the name of an entry', () => {
  const name = entryIdOf(received);
  test('starts with the timestamp, so that names sort by time', () => {
    expect(name).toMatch(/^1763103201300-[0-9a-f]{32}$/);
  });
  test.each([['accessKey'], ['timestamp'], ['signature']] as const)('depends on %s', (part) => {
    expect(entryIdOf({ ...received, [part]: `${received[part]}1` })).not.toBe(name);
  });
  test('cannot be met by moving a character from one part to the next', () => {
    expect(entryIdOf({ ...received, accessKey: 'ke', timestamp: `y${received.timestamp}` }).slice(-32)).not.toBe(
      name.slice(-32),
    );
  });
});

test('the stored body tells when it was damaged', () => {
  const { body } = composeEntry(log, received);
  expect(zstdDecompressSync(body)).toEqual(received.rawBody);
  const damaged = Buffer.from(body);
  damaged.writeUInt8((damaged.at(-1) as number) ^ 1, damaged.length - 1);
  expect(() => zstdDecompressSync(damaged)).toThrow(/checksum/);
});

describe('the size of an entry', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture();
  });

  /** An entry that is as large as an item may be, plus some bytes. */
  const sized = (extra: number): Entry => {
    const entry = composeEntry(log, received);
    return { ...entry, model: 'm'.repeat(1 + ITEM_LIMIT - itemBytes(entry) + extra) };
  };
  const put = (entry: Entry) => fixture.db.send(new PutCommand({ TableName: fixture.names.aiLogs, Item: entry }));

  test('that counts as 400 KB fits an item of a DynamoDB table', async () => {
    expect(itemBytes(sized(0))).toBe(ITEM_LIMIT);
    await expect(put(sized(0))).resolves.toBeDefined();
  });

  test('is not counted much larger than it is: little more than that no longer fits', async () => {
    await expect(put(sized(64))).rejects.toThrow(/size/);
  });
});
