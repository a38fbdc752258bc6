import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { explanationOf } from '../../../../cli/store/entries/describeEntry.ts';

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
