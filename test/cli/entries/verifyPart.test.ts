import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { PART_BYTES } from '../../../cli/entries/pageTask.ts';
import { entriesOf, readPart } from '../../../cli/entries/verifyPart.ts';
import type { Entry } from '../../../functions/ailog/entry.ts';

test('each entry of a page gets its own body, in every part and behind a damaged one', () => {
  const lengths = [PART_BYTES / 4 - 1, 7, undefined, 0, ...Array<number>(4).fill(PART_BYTES / 4), 9];
  const entries = lengths.map((length, index) => ({
    uid: '1',
    entryId: String(index),
    body: length === undefined ? Buffer.from('no zstd') : zstdCompressSync(Buffer.alloc(length, ' ')),
  })) as unknown as Entry[];
  const found: unknown[] = [];
  let parts = 0;
  for (let from = 0; from < entries.length; parts += 1) {
    const { part, next } = readPart(entries, from, undefined);
    for (const { entry, read } of entriesOf(structuredClone(part))) found.push([entry.entryId, read?.body.length]);
    from = next;
  }
  expect(parts).toBe(2);
  expect(found).toEqual(lengths.map((length, index) => [String(index), length]));
});
