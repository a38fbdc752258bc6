/** The rows of a chunk as a power of two. */
const CHUNK_BITS = 14;
const CHUNK = 2 ** CHUNK_BITS;

/**
 * Rows of bytes of equal length, without an object per row. They grow chunk by chunk: a single buffer would have to be copied
 * as it grows, and would need its memory twice meanwhile.
 * @param width the bytes of a row
 */
export function growingRows(width: number) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let count = 0;
  return {
    push(row: Uint8Array): void {
      if (count % CHUNK === 0) chunks.push(new Uint8Array(CHUNK * width));
      chunks.at(-1)?.set(row, (count % CHUNK) * width);
      count += 1;
    },
    /** Returns a row as a view. */
    row(index: number): Uint8Array<ArrayBuffer> {
      const start = (index % CHUNK) * width;
      return (chunks[index >>> CHUNK_BITS] as Uint8Array<ArrayBuffer>).subarray(start, start + width);
    },
    /** Returns a copy of all rows in one buffer. */
    all(): Uint8Array<ArrayBuffer> {
      const rows = new Uint8Array(count * width);
      for (const [index, chunk] of chunks.entries()) {
        const start = index * CHUNK * width;
        rows.set(chunk.subarray(0, Math.min(chunk.length, rows.length - start)), start);
      }
      return rows;
    },
    /** Returns a function that reads 32 bits of a row. The width must be a multiple of four. */
    words(): (index: number, place: number) => number {
      const views = chunks.map(({ buffer }) => new Uint32Array(buffer));
      return (index, place) =>
        (views[index >>> CHUNK_BITS] as Uint32Array)[(index & (CHUNK - 1)) * (width / 4) + place] as number;
    },
  };
}

/** Rows that grow. */
export type GrowingRows = ReturnType<typeof growingRows>;
