import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openBodyReader } from '../../../../cli/review/rows/bodyReader.ts';
import { bodyOf } from '../../../../functions/ailog/bodyOf.ts';
import { BODY_LIMIT_BYTES } from '../../../../functions/ailog/limits.ts';

const TEXT = Buffer.from('{"stage":"Decision","explanation":"决定 to buy"}'.repeat(9));
const body = zstdCompressSync(TEXT);

/** Returns a frame that says that its content has 4 GB. */
const huge = () => Buffer.concat([body.subarray(0, 4), Buffer.from([0xa0, 0, 0, 0, 0xf0]), body.subarray(6)]);

const readBody = await openBodyReader();
const attempt = (read: typeof bodyOf, entry: Parameters<typeof bodyOf>[0]) => {
  try {
    return read(entry).toString();
  } catch (error) {
    return `error: ${error}`;
  }
};

describe('the reader of many bodies returns and throws what bodyOf does', () => {
  test.each([
    ['an empty body', { body: zstdCompressSync(Buffer.alloc(0)), bodyBytes: 0 }],
    ['a body of a byte', { body: zstdCompressSync(Buffer.from('x')), bodyBytes: 1 }],
    [
      'a body of the largest size',
      { body: zstdCompressSync(Buffer.alloc(BODY_LIMIT_BYTES, 'ab')), bodyBytes: BODY_LIMIT_BYTES },
    ],
    ['a length that is missing', { body }],
    ['a length that is too small', { body, bodyBytes: TEXT.length - 1 }],
    ['a length that is too large', { body, bodyBytes: TEXT.length + 1 }],
    ['a length of 4 GB', { body, bodyBytes: 2 ** 32 }],
    ['a negative length', { body, bodyBytes: -1 }],
    ['a length that is a fraction', { body, bodyBytes: TEXT.length + 0.5 }],
    ['content of 4 GB', { body: huge(), bodyBytes: TEXT.length }],
    ['half of the bytes', { body: body.subarray(0, body.length / 2), bodyBytes: TEXT.length }],
    ['no bytes', { body: body.subarray(0, 0), bodyBytes: TEXT.length }],
    ['another format', { body: TEXT, bodyBytes: TEXT.length }],
  ])('%s', (_, entry) => {
    expect(attempt(readBody, entry)).toBe(attempt(bodyOf, entry));
    expect(readBody({ body, bodyBytes: TEXT.length }).toString()).toBe(TEXT.toString());
  });

  test('every flipped bit', () => {
    for (let bit = 0; bit < body.length * 8; bit += 1) {
      const flipped = Uint8Array.from(body);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      const entry = { body: flipped, bodyBytes: TEXT.length };
      expect(attempt(readBody, entry)).toBe(attempt(bodyOf, entry));
    }
  });
});
