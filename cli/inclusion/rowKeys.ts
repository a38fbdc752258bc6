import type { Entry } from '../../functions/ailog/entry.ts';
import { leafOfRow, type RowKeys } from './locateEntry.ts';

/** The offsets of a row: its leaf, its arrival key, its time of receipt. */
const [LEAF, ARRIVAL, RECEIVED, ROW_BYTES] = [0, 32, 70, 78];

/** Returns what locates rows in the transparency log, as bytes that can be moved to another thread. */
export function packRowKeys(entries: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(entries.length * ROW_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, entry] of entries.entries()) {
    const start = index * ROW_BYTES;
    const { arrival } = entry;
    bytes.set(leafOfRow(entry) ?? [], start + LEAF);
    if (arrival instanceof Uint8Array && arrival.length === RECEIVED - ARRIVAL) bytes.set(arrival, start + ARRIVAL);
    view.setFloat64(start + RECEIVED, Number(entry.receivedAt));
  }
  return bytes;
}

/** Returns the keys of one row. No leaf and no arrival key is all zeros. */
export function unpackRowKeys(bytes: Uint8Array, index: number): RowKeys {
  const row = bytes.subarray(index * ROW_BYTES, (index + 1) * ROW_BYTES);
  const part = (start: number, end: number) => {
    const found = Buffer.from(row.buffer, row.byteOffset + start, end - start);
    return found.every((byte) => byte === 0) ? undefined : found;
  };
  const receivedAt = new DataView(row.buffer, row.byteOffset, ROW_BYTES).getFloat64(RECEIVED);
  return { leaf: part(LEAF, ARRIVAL), arrival: part(ARRIVAL, RECEIVED), receivedAt };
}
