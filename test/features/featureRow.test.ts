import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { composeEntry, type Entry } from '../../functions/ailog/entry.ts';
import { FEATURE_COLUMNS, featureRow, PoisonedEntry, ROW_VERSION } from '../../functions/features/featureRow.ts';
import { CUT } from '../../functions/features/searchText.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import { exampleLog } from '../../infra/openapi/exampleLog.ts';
import { received } from '../ailog/received.ts';

const prose = 'The spread narrows while open interest falls, so a short position pays before the funding hour.';

/** Returns the entry of a log that was changed in some fields. */
function entryOf(change: object = {}, rest: Partial<typeof received> = {}): Entry {
  const log = { ...exampleLog, stage: 'Decision', model: 'GPT-5', output: { text: prose }, ...change };
  return composeEntry(log, { ...received, ...rest, rawBody: Buffer.from(JSON.stringify(log)) });
}

/** The digests that two logs have in common if their outputs differ in digits only. */
const SAME_OUTPUT = { data_digest: false, output_digest: true, text_digest: true };

const rowOf = (change?: object, rest?: Partial<typeof received>) => featureRow(entryOf(change, rest)).row;

test('a row has the columns in their order, every digit of the order, and the leaf of its entry', () => {
  const entry = entryOf();
  const { row } = featureRow(entry);
  expect(Object.keys(row)).toEqual(Object.keys(FEATURE_COLUMNS));
  expect(row).toMatchObject({
    ...{ uid: '42', entry_id: entry.entryId, signed_at: 1763103201300n, received_at: 1763103201400n },
    ...{ order_id: 590480926522704171n, stage: 'Decision', model: 'GPT-5', body_bytes: entry.bodyBytes },
    ...{ comparable: true, has_data: true, has_version: true, hidden_characters: false, text_cut: false },
    ...{ leaf: entryHashOf(entryPreimage(entry)), row_version: ROW_VERSION },
  });
  const types = { VARCHAR: 'string', BIGINT: 'bigint', INTEGER: 'number', BOOLEAN: 'boolean', BINARY: 'object' };
  expect(Object.values(row).map((value) => typeof value)).toEqual(
    // The log states no coin.
    Object.entries(FEATURE_COLUMNS).map(([name, type]) => (name === 'trade_coin' ? 'object' : types[type])),
  );
  expect(rowOf({ orderId: '0' }).order_id).toBeNull();
});

// biome-ignore format: one case a line
test.each<[string, object, object, object]>([
  ['the data, whatever else differs', { explanation: 'a' }, { explanation: 'b', model: 'm' }, { data_digest: true }],
  ['the output but for digits', { output: { text: `${prose} 1` } }, { output: { text: `${prose} 22 3` } }, SAME_OUTPUT],
  ['a short output of one team counts with its explanation only', { output: { a: 'no' } }, { output: { a: 'no' } }, { output_digest: false, text_digest: true }],
])('equal digests: %s', (_name, one, other, expected) => {
  const [a, b] = [rowOf(one), rowOf(other, { timestamp: '1763103201301' })];
  for (const [name, isEqual] of Object.entries(expected)) expect(a[name as 'uid'] === b[name as 'uid']).toBe(isEqual);
});

test('short texts are equal within a team only, empty ones never', () => {
  const short = { output: { a: 'Hold.' } };
  expect(rowOf(short).text_digest).not.toBe(rowOf(short, { uid: '43' }).text_digest);
  const empty = { output: {}, explanation: '!' };
  expect(rowOf(empty).text_digest).not.toBe(rowOf(empty, { timestamp: '1763103201301' }).text_digest);
  expect(rowOf(short)).toMatchObject({ comparable: false });
});

test.each([
  [11, false],
  [12, true],
])('a text of %i pieces is compared with those of other teams: %s', (count, isCompared) => {
  const log = { output: { 1: '过去一小时比特币放量跌破'.slice(0, count) }, explanation: '!' };
  const [one, other] = [rowOf(log), rowOf(log, { uid: '43', timestamp: '1763103201301' })];
  expect([one.comparable, one.output_digest === other.output_digest, one.text_digest === other.text_digest]).toEqual(
    Array(3).fill(isCompared),
  );
});

describe('an entry that cannot have been stored like this gets no row', () => {
  // biome-ignore format: one case a line
  test.each<[string, (entry: Entry) => object, string]>([
    ['a body as base64 text, as in a stream image', ({ body }) => ({ body: Buffer.from(body).toString('base64') }), 'decompressed'],
    ['the bytes of that text', ({ body }) => ({ body: Buffer.from(Buffer.from(body).toString('base64')) }), 'decompressed'],
    ['no body', () => ({ body: undefined }), 'decompressed'],
    ['another body', () => ({ body: zstdCompressSync('{}') }), 'SHA-256'],
    ['another digest', () => ({ bodySha256: '00'.repeat(32) }), 'SHA-256'],
    ['no timestamp', () => ({ timestamp: undefined }), 'timestamp'],
    ['a timestamp with 14 digits', ({ timestamp }) => ({ timestamp: `${timestamp}0` }), 'timestamp'],
    ['a timestamp after a letter', ({ timestamp }) => ({ timestamp: `x${timestamp}` }), 'timestamp'],
    ['an order beyond 2^63', () => ({ orderId: 2n ** 63n }), 'orderId'],
    ['an order of 0', () => ({ orderId: 0n }), 'orderId'],
    ['an order as text', ({ orderId }) => ({ orderId: String(orderId) }), 'orderId'],
    ['a model that is no text', () => ({ model: 5n }), 'text attribute'],
    ['a time that is none', () => ({ receivedAt: 1e16 }), 'receivedAt'],
    ['a time that JavaScript does not have', () => ({ receivedAt: 8_640_000_000_000_001 }), 'receivedAt'],
    ['half a millisecond', () => ({ receivedAt: 0.5 }), 'receivedAt'],
    ['an address that is a large number', () => ({ sourceIp: 5n }), 'entry hash'],
  ])('%s', (_name, change, message) => {
    const entry = entryOf();
    const poisoned = { ...entry, ...change(entry) } as Entry;
    expect(() => featureRow(poisoned)).toThrow(PoisonedEntry);
    expect(() => featureRow(poisoned)).toThrow(message);
    expect(() => featureRow(poisoned)).toThrow(expect.objectContaining({ name: 'PoisonedEntry' }));
  });
});

test('the latest time of JavaScript is one, and the reason of a problem is kept', () => {
  expect(featureRow({ ...entryOf(), receivedAt: 8.64e15 }).row.received_at).toBe(8_640_000_000_000_000n);
  expect(() => featureRow({ ...entryOf(), sourceIp: 5n } as unknown as Entry)).toThrow(
    expect.objectContaining({ cause: expect.any(Error) }),
  );
});

describe('order id, stage and model are those of the body, whatever the entry says', () => {
  test.each<[string, object]>([
    ['an order as a number', { orderId: 42 }],
    ['no order', { orderId: null }],
    ['an empty order', { orderId: '' }],
    ['texts that are cut, with halves of characters', { stage: '\ud83d'.repeat(300), model: '😀'.repeat(257) }],
    ['texts with escapes', { stage: '"\\u0041"', model: '\n\u0000' }],
  ])('%s: as the service copies them', (_name, change) => {
    const entry = entryOf(change);
    const { row, changed } = featureRow(entry);
    const { orderId = null, stage, model } = entry;
    expect([changed, row]).toMatchObject([[], { order_id: orderId, stage, model }]);
  });

  test.each<[object, string]>([
    [{ orderId: 7n }, 'orderId'],
    [{ orderId: undefined }, 'orderId'],
    [{ stage: 'Idea' }, 'stage'],
    [{ model: 'GPT-6' }, 'model'],
  ])('%o in the entry was changed', (edit, name) => {
    const { row, changed } = featureRow({ ...entryOf(), ...edit } as Entry);
    expect([row, changed]).toEqual([rowOf(), [name]]);
  });

  test('the last one counts of names that occur twice, and a body without stage or model is no log', () => {
    const entry = entryOf();
    const withBody = (body: string) => {
      const bytes = Buffer.from(body);
      const bodySha256 = createHash('sha256').update(bytes).digest('hex');
      return { ...entry, body: zstdCompressSync(bytes), bodySha256 };
    };
    const twice = '{"orderId":1,"stage":1,"model":"GPT-5","stage":"Decision","orderId":590480926522704171}';
    const { row, changed } = featureRow(withBody(twice));
    expect([row.order_id, changed]).toEqual([590480926522704171n, []]);
    for (const body of ['[]', 'no', '{"stage":"a"}', '{"stage":["a"],"model":"b"}'])
      expect(() => featureRow(withBody(body))).toThrow('its body is no log');
  });

  test('in a body that is nested too deeply to be compared too, which counts as compared in part', () => {
    const input = JSON.parse(`{"a":${'['.repeat(1001)}${']'.repeat(1001)}}`);
    const { row, changed } = featureRow({ ...entryOf({ input }), stage: 'Idea' });
    expect([changed, row]).toMatchObject([
      ['stage'],
      { stage: 'Decision', has_data: false, comparable: false, text_cut: true },
    ]);
  });
});

test('the search text has what people read, folded, and at most 8 KiB', () => {
  const { search } = featureRow(entryOf({ explanation: 'Größe \u{1d400} 决', input: { prompt: 'ＢＴＣ' } }));
  for (const text of ['decision', 'gpt-5', 'große a 决', 'btc', prose.toLowerCase()]) expect(search).toContain(text);
  expect(search).not.toContain(CUT);
  for (const long of ['决'.repeat(5000), '\u00ad'.repeat(70_000), 'a\u0301'.repeat(40_000), '😀'.repeat(3000)]) {
    const cut = featureRow(entryOf({ input: { long } })).search;
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(8192);
    expect(cut.endsWith(CUT)).toBe(true);
    expect(cut).not.toContain('\ufffd');
  }
  expect(featureRow(entryOf({ input: { text: '…' } })).search).not.toContain(CUT);
  const ofBytes = (bytes: number) => {
    const spare = bytes - Buffer.byteLength(featureRow(entryOf({ input: { text: '' } })).search);
    return featureRow(entryOf({ input: { text: 'x'.repeat(spare) } })).search;
  };
  expect([ofBytes(8192), ofBytes(8193)].map((text) => [Buffer.byteLength(text), text.endsWith(CUT)])).toEqual([
    [8192, false],
    [8192, true],
  ]);
});
