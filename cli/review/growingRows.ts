/** The factor by which the memory of rows grows. The rows that are not used yet take memory too. */
const GROWTH = 1.25;

/** Rows of bytes of equal length in one buffer, without an object per row. @param width the bytes of a row */
export function growingRows(width: number) {
  let bytes = new Uint8Array(1024 * width);
  let count = 0;
  return {
    push(row: Uint8Array): void {
      // `transfer` releases the old buffer at once.
      if ((count + 1) * width > bytes.length) {
        bytes = new Uint8Array(bytes.buffer.transfer(Math.ceil((bytes.length / width) * GROWTH) * width));
      }
      bytes.set(row, count * width);
      count += 1;
    },
    /** Returns a row as a view. */
    row: (index: number): Uint8Array => bytes.subarray(index * width, (index + 1) * width),
    /** Returns all rows as one view. */
    all: (): Uint8Array<ArrayBuffer> => bytes.subarray(0, count * width),
  };
}
