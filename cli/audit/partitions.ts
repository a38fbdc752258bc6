import type { AppendFile } from './appendFile.ts';

/** The leaves of a partition, on average. */
const LEAVES_PER_PARTITION = 16_384;

/** Every partition has an open file, of which a process has few. */
const MAX_PARTITIONS = 256;

/** Returns the number of partitions for a log. @param size the number of leaves */
export const partitionsFor = (size: number): number =>
  Math.min(MAX_PARTITIONS, Math.ceil((size + 1) / LEAVES_PER_PARTITION));

/** The first bytes of a record: its leaf, and the length of the rest. */
const HEADER_BYTES = 36;

/** Returns the partition of a leaf. @param count the number of partitions */
export const partitionOf = (leaf: Uint8Array, count: number): number => (leaf[0] as number) % count;

/** Returns the first bytes of a record. @param leaf 32 bytes @param length that of the rest */
export function recordHeader(leaf: Uint8Array, length: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.set(leaf);
  header.writeUInt32BE(length, leaf.length);
  return header;
}

/** A record about a leaf. */
export interface LeafRecord {
  /** 32 bytes. */
  readonly leaf: Buffer;
  readonly data: Buffer;
}

/**
 * Records by the first bits of their leaf, in a file per partition: what is compared with each other is in the same
 * partition, and one partition fits into memory.
 * @param name the name of the records
 * @param count the number of partitions
 */
export const partitions = (fileOf: (name: string) => AppendFile, name: string, count: number) => {
  const file = (partition: number) => fileOf(`${name}-${partition}`);
  return {
    count,
    add(leaf: Uint8Array, data: Uint8Array): void {
      file(partitionOf(leaf, count)).append(recordHeader(leaf, data.length), data);
    },
    /** Adds whole records of a partition, one after the other. */
    addAll(partition: number, records: Uint8Array): void {
      if (records.length > 0) file(partition).append(records);
    },
    /** Reads the records of a partition. Each holds until the next one is read. */
    *records(partition: number): Generator<LeafRecord> {
      let rest: Buffer = Buffer.alloc(0);
      for (const chunk of file(partition).chunks()) {
        const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
        let offset = 0;
        while (bytes.length - offset >= HEADER_BYTES) {
          const end = offset + HEADER_BYTES + bytes.readUInt32BE(offset + 32);
          if (end > bytes.length) break;
          yield { leaf: bytes.subarray(offset, offset + 32), data: bytes.subarray(offset + HEADER_BYTES, end) };
          offset = end;
        }
        rest = Buffer.from(bytes.subarray(offset));
      }
    },
  };
};

/** Records by partition. */
export type Partitions = ReturnType<typeof partitions>;
