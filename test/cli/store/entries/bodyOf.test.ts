import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBodyText } from '../../../../cli/store/entries/describeEntry.ts';
import { bodyOf } from '../../../../functions/ailog/bodyOf.ts';
import { BODY_LIMIT_BYTES } from '../../../../functions/ailog/limits.ts';

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
