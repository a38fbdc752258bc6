import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Entry } from '../../functions/ailog/entry.ts';
import { arrivalKeys, arrivalSlot, arrivalTime, parseArrival, SHARDS } from '../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';

const entry = {
  uid: '1001',
  entryId: '1763112660000-0123456789abcdef0123456789abcdef',
  receivedAt: 1_763_112_660_123,
  accessKey: 'ailog_k',
  timestamp: '1763112660000',
  signature: 'c2lnbmF0dXJl',
  locale: 'en-US',
  sourceIp: '192.0.2.1',
  bodySha256: 'ab'.repeat(32),
  bodyBytes: 321,
};

test('the preimage is a header line and the attributes in their order; what is absent is an empty string', () => {
  expect(entryPreimage(entry)).toBe(
    'ai-log-entry/v1\n["1001","1763112660000-0123456789abcdef0123456789abcdef",1763112660123,"ailog_k","1763112660000","c2lnbmF0dXJl","","en-US","192.0.2.1",' +
      `"${'ab'.repeat(32)}",321]`,
  );
  expect(entryPreimage({ ...entry, query: 'a=1&b="' })).toContain('"c2lnbmF0dXJl","a=1&b=\\"","en-US"');
  expect(entryHashOf(entryPreimage(entry))).toEqual(createHash('sha256').update(entryPreimage(entry)).digest());
});

test('every attribute of the entry hash changes it, and no other does', () => {
  const entryHash = entryHashOf(entryPreimage(entry)).toString('hex');
  const hashes = Object.entries({ ...entry, query: '' }).map(([name, value]) =>
    entryHashOf(entryPreimage({ ...entry, [name]: typeof value === 'number' ? value + 1 : `${value}x` })).toString(
      'hex',
    ),
  );
  expect(new Set([entryHash, ...hashes]).size).toBe(12);
  const more: Partial<Entry> = { stage: 's', model: 'm', expiresAt: 1, orderId: 1n };
  expect(entryHashOf(entryPreimage({ ...entry, ...more })).toString('hex')).toBe(entryHash);
});

test('arrival keys sort by time and name the entry hash', () => {
  const { slot, arrival } = arrivalKeys(entry);
  const entryHash = entryHashOf(entryPreimage(entry));
  expect(slot).toBe(`2025-11-14T09:31#${(entryHash[0] as number) % SHARDS}`);
  expect(Buffer.from(arrival).toString('hex')).toBe(`019a81b42c9b${entryHash.toString('hex')}`);
  expect(parseArrival(arrival)).toEqual({ receivedAt: entry.receivedAt, entryHash });
  expect(arrivalSlot(0, 7)).toBe('1970-01-01T00:00#7');
});

test('the times of arrival keys sort as bytes', () => {
  const times = [0, 255, 256, 1_763_112_660_123, 1_763_112_660_124, 253_402_300_799_999];
  expect(times.map(arrivalTime).sort(Buffer.compare)).toEqual(times.map(arrivalTime));
});

test.each([undefined, '', 'a'.repeat(38), Buffer.alloc(0), Buffer.alloc(6), Buffer.alloc(37), Buffer.alloc(39)])(
  'the sort key %j was not made by the service',
  (key) => {
    expect(parseArrival(key)).toBeUndefined();
  },
);
