import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { describeEntry, explanationOf, readBodyText } from '../../../../cli/store/entries/describeEntry.ts';
import { entryFormats } from '../../../../cli/store/exports/exportPage.ts';
import { bodyOf } from '../../../../functions/ailog/bodyOf.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { BODY_LIMIT_BYTES } from '../../../../functions/ailog/limits.ts';

const stored = (text: string) => zstdCompressSync(Buffer.from(text));

// biome-ignore format: one case a line
test.each([
  ['the body', { body: stored('{"explanation":"é\\n决"}') }, 'é\n决'],
  ['the body, with U+FFFD for half an emoji', { body: stored('{"explanation":"a\\ud83d"}') }, 'a\ufffd'],
  ['nowhere if the body is damaged', { body: Buffer.from('no zstd') }, undefined],
  ['nowhere if the body is missing', {}, undefined],
  ['nowhere if it is not text', { body: stored('{"explanation":["x"]}') }, undefined],
  ['nowhere if the body is not an object', { body: stored('null') }, undefined],
])('the explanation comes from %s', (_where, entry, expected) => {
  expect(explanationOf(entry)).toBe(expected);
});

test('a body that was read already is not read again', () => {
  expect(explanationOf({ body: Buffer.from('no zstd') }, '{"explanation":"x"}')).toBe('x');
});

test('a body that would be larger than any request is damaged, however small it is in the table', () => {
  const [longest, bomb] = [BODY_LIMIT_BYTES, BODY_LIMIT_BYTES + 1].map((bytes) =>
    zstdCompressSync(Buffer.alloc(bytes, ' ')),
  ) as [Buffer, Buffer];
  expect(bomb.length).toBeLessThan(1000);
  expect(bodyOf({ body: longest })).toHaveLength(BODY_LIMIT_BYTES);
  expect(() => bodyOf({ body: bomb })).toThrow('larger than');
  expect(readBodyText({ body: bomb })).toBeUndefined();
});

test('the recorded length of a body decides nothing', () => {
  const body = zstdCompressSync('{"a":1}');
  for (const bodyBytes of [7, 6, 8, 0, -1, 2 ** 40, 1.5, Number.NaN, '7', 7n, undefined]) {
    expect(bodyOf({ body, bodyBytes: bodyBytes as number }).toString()).toBe('{"a":1}');
  }
});

test('what an entry lacks is null', () => {
  const { uid, entryId, ...others } = describeEntry({ uid: '1', entryId: '2' });
  expect([uid, entryId, ...new Set(Object.values(others))]).toEqual(['1', '2', null]);
  // JSON has no such number.
  const line = entryFormats.jsonl.line({ uid: '1', entryId: '2', locale: 1n as unknown } as Entry, undefined);
  expect(JSON.parse(line)).toEqual({ uid, entryId, ...others, locale: '1', entry: null, body: null });
});
