import { expect, test } from 'vitest';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { acceptedEntry } from '../../functions/receipts/acceptedEntry.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { shortLog } from '../../infra/openapi/exampleLog.ts';
import { received } from '../ailog/received.ts';

const rawBody = Buffer.from('{"a":1}');
const log = { ...shortLog, orderId: '9007199254740993' };
const receivedBefore = (change: object) => {
  const entry = composeEntry(log, { ...received, rawBody, ...change });
  return { ...entry, ...arrivalKeys(entry) };
};
const entry = receivedBefore({});

test('of two attempts, the entry of the first one is accepted, with what is not signed', () => {
  const stored = receivedBefore({ locale: 'zh-CN', sourceIp: '198.51.100.7', receivedAt: entry.receivedAt - 1 });
  expect(acceptedEntry(entry, stored)).toBe(stored);
  expect(acceptedEntry(entry, { ...stored, expiresAt: 1, slot: undefined })).toBeTruthy();
});

test.each([
  [-30_001, false],
  [-30_000, true],
  [30_000, true],
  [30_001, false],
])('a stored entry received %i ms after its timestamp is accepted: %s', (after, accepted) => {
  const stored = receivedBefore({ receivedAt: Number(entry.timestamp) + after });
  const accept = () => acceptedEntry(entry, stored);
  if (accepted) expect(accept()).toBe(stored);
  else expect(accept).toThrow(`The stored entry ${entry.entryId} does not have the receivedAt of its request.`);
});

test.each<[name: string, change: Partial<Entry>]>([
  ['query', { query: 'a=1' }],
  ['orderId', { orderId: 9007199254740992n }],
  ['bodySha256', { bodySha256: 'ab'.repeat(32) }],
  ['receivedAt', { receivedAt: entry.receivedAt + 0.5 }],
  ['body', { body: new Uint8Array(1) }],
  ['arrival', { locale: 'zh-CN' }],
])('the error names what differs: %s, also if the arrival is that of the edited row', (name, change) => {
  const edited = { ...entry, ...change };
  const message = `The stored entry ${entry.entryId} does not have the ${name} of its request.`;
  expect(() => acceptedEntry(entry, edited)).toThrow(message);
  if (name !== 'arrival') expect(() => acceptedEntry(entry, { ...edited, ...arrivalKeys(edited) })).toThrow(message);
});
