/** The rows of a chunk as a power of two. */
const CHUNK_BITS = 14;
const CHUNK = 2 ** CHUNK_BITS;

/**
 * Rows of bytes of equal length, without an object per row. They grow chunk by chunk: a single buffer would have to be
 * copied as it grows, and would need its memory twice meanwhile.
 * @param width the bytes of a row
 */
export function growingRows(width: number) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let count = 0;
  return {
    /** Appends a row. @param from where it begins in the bytes */
    push(bytes: Uint8Array, from = 0): void {
      if (count % CHUNK === 0) chunks.push(new Uint8Array(CHUNK * width));
      const chunk = chunks[count >>> CHUNK_BITS] as Uint8Array;
      const start = (count % CHUNK) * width;
      // To make views and copy between them takes several times as long.
      for (let place = 0; place < width; place += 1) chunk[start + place] = bytes[from + place] as number;
      count += 1;
    },
    /** Returns a row as a view. */
    row(index: number): Uint8Array<ArrayBuffer> {
      const start = (index % CHUNK) * width;
      return (chunks[index >>> CHUNK_BITS] as Uint8Array<ArrayBuffer>).subarray(start, start + width);
    },
    /** Returns all rows in one buffer, and drops them here: in both places, they would need their memory twice. */
    take(): Uint8Array<ArrayBuffer> {
      const rows = new Uint8Array(count * width);
      for (let start = 0; start < rows.length; start += CHUNK * width) {
        rows.set((chunks.shift() as Uint8Array).subarray(0, rows.length - start), start);
      }
      count = 0;
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
