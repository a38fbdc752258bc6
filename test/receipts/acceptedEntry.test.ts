import { expect, test } from 'vitest';
import { acceptedEntry } from '../../functions/receipts/acceptedEntry.ts';
import { entry } from './receiptEntry.ts';

test('of two attempts, the entry of the first one is accepted, with what is not signed', () => {
  expect(acceptedEntry(entry, undefined)).toBe(entry);
  const earlier = { ...entry, locale: 'zh-CN', sourceIp: '198.51.100.7', receivedAt: entry.receivedAt - 1 };
  expect(acceptedEntry(entry, earlier)).toBe(earlier);
});

test.each([
  [-30_001, false],
  [-30_000, true],
  [30_000, true],
  [30_001, false],
])('a stored entry received %i ms after its timestamp is accepted: %s', (after, accepted) => {
  const earlier = { ...entry, receivedAt: Number(entry.timestamp) + after };
  const accept = () => acceptedEntry(entry, earlier);
  if (accepted) expect(accept()).toBe(earlier);
  else {
    expect(accept).toThrow(
      new Error(`The stored entry ${entry.entryId} has a receivedAt at which its request was not valid.`),
    );
  }
});

test('the error names the signed attribute that differs', () => {
  expect(() => acceptedEntry(entry, { ...entry, query: 'a=1' })).toThrow(
    new Error(`The stored entry ${entry.entryId} has another query than its request.`),
  );
});
