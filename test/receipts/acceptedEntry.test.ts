import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { composeEntry } from '../../functions/ailog/entry.ts';
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

const zstd = (text: string) => zstdCompressSync(Buffer.from(text));

// biome-ignore format: several a line
test.each<[name: string, change: Record<string, unknown>]>([
  ['accessKey', { accessKey: 'ailog_other' }], ['timestamp', { timestamp: '1763103201301' }], ['signature', { signature: 'c2ln' }],
  ['query', { query: 'a=1' }], ['orderId', { orderId: 9007199254740992n }], ['orderId', { orderId: undefined }],
  // No upload stores a fraction, and a big integer cannot hold it.
  ['orderId', { orderId: 1.5 }],
  ['bodySha256', { bodySha256: 'ab'.repeat(32) }], ['bodyBytes', { bodyBytes: 1 }], ['bodyBytes', { bodyBytes: 'text' }],
  ['receivedAt', { receivedAt: entry.receivedAt + 0.5 }], ['receivedAt', { receivedAt: 1 }], ['receivedAt', { receivedAt: 'yesterday' }], ['receivedAt', { receivedAt: undefined }],
  ['body', { body: new Uint8Array(1) }], ['body', { body: zstd('{}') }], ['body', { body: zstd(' '.repeat(2 ** 21)) }], ['body', { body: 'text' }], ['body', { body: undefined }],
  ['stage', { stage: 'Other' }], ['model', { model: undefined }],
])('the error names what differs: %s, %o, also if the arrival is that of the edited row', (name, change) => {
  const edited = { ...entry, ...change };
  const message = `The stored entry ${entry.entryId} does not have the ${name} of its request.`;
  expect(() => acceptedEntry(entry, edited)).toThrow(message);
  if (typeof edited.receivedAt !== 'number') return;
  expect(() => acceptedEntry(entry, { ...edited, ...arrivalKeys(edited) })).toThrow(message);
});

// These may differ between two attempts, and the arrival has their hash.
test.each([{ locale: 'zh-CN' }, { sourceIp: '198.51.100.9' }, { arrival: Buffer.alloc(38) }, { arrival: undefined }])(
  'the arrival differs from the row with %o',
  (change) => {
    const edited = { ...entry, ...change };
    expect(() => acceptedEntry(entry, edited)).toThrow(`${entry.entryId} does not have the arrival of its request.`);
  },
);
