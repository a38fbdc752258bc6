import { TILE_WIDTH } from './tiles.ts';

const ENTRY_LIMIT_BYTES = 0xffff;

/**
 * Returns one entry as it stands in a bundle: its length as a big-endian uint16, then its bytes. Source: C2SP
 * tlog-tiles, "Log entries".
 */
export function bundledEntry(entry: Uint8Array): Buffer {
  if (entry.length > ENTRY_LIMIT_BYTES)
    throw new RangeError(`A log entry has at most ${ENTRY_LIMIT_BYTES} bytes, not ${entry.length}.`);
  const bytes = Buffer.alloc(2 + entry.length);
  bytes.writeUInt16BE(entry.length);
  bytes.set(entry, 2);
  return bytes;
}

/** Returns the entries of a bundle. @throws Error if it does not hold `width` entries, 1 to 256, or ends within one */
export function readBundle(bundle: Uint8Array, width: number): Buffer[] {
  const bytes = Buffer.from(bundle.buffer, bundle.byteOffset, bundle.length);
  const entries: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    if (offset + 2 > bytes.length) throw new Error('The entry bundle ends within the length of an entry.');
    const end = offset + 2 + bytes.readUInt16BE(offset);
    if (end > bytes.length) throw new Error('The entry bundle ends within an entry.');
    entries.push(bytes.subarray(offset + 2, end));
    offset = end;
  }
  if (width < 1 || width > TILE_WIDTH || entries.length !== width) {
    throw new Error(`The entry bundle holds ${entries.length} entries instead of ${width}.`);
  }
  return entries;
}
