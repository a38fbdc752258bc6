/**
 * Missing entries as records, packed side by side: millions of them take little memory. A record sorts by time, then by
 * entry hash, which is the order of the log.
 */
import { hash } from 'node:crypto';
import { missingEntriesPath } from '../tlog/paths.ts';
import type { Arrival } from './arrivals.ts';
import { FatalError } from './fatalError.ts';
import { createFile, requireFile, type TlogStorage } from './storage.ts';

/** The length of a record in bytes: 8 of the time, big-endian, and 32 of the entry hash. */
const RECORD_BYTES = 40;
const TIME_BYTES = 8;

/** Returns the record of an entry. */
export function recordOf({ receivedAt, entryHash }: Arrival): Buffer {
  const record = Buffer.allocUnsafe(RECORD_BYTES);
  record.writeBigUInt64BE(BigInt(receivedAt));
  record.set(entryHash, TIME_BYTES);
  return record;
}

/** Returns the entry hashes of packed records. */
export const entryHashesOf = (records: Uint8Array): Uint8Array[] =>
  Array.from({ length: records.length / RECORD_BYTES }, (_, index) =>
    records.subarray(index * RECORD_BYTES + TIME_BYTES, (index + 1) * RECORD_BYTES),
  );

/** Splits packed records into parts of a number of records, the last one shorter. */
export function* partsOf(records: Uint8Array, count: number): Generator<Uint8Array> {
  for (let start = 0; start < records.length; start += count * RECORD_BYTES) {
    yield records.subarray(start, start + count * RECORD_BYTES);
  }
}

/** Returns a copy of the last of packed records; undefined if there is none. */
export const lastOf = (records: Uint8Array): Uint8Array | undefined =>
  records.length > 0 ? Uint8Array.from(records.subarray(-RECORD_BYTES)) : undefined;

/** Returns packed records in their order, without repetitions. */
export function inOrder(records: Buffer): Buffer {
  const starts = Uint32Array.from({ length: records.length / RECORD_BYTES }, (_, index) => index * RECORD_BYTES);
  const compare = (one: number, other: number) =>
    records.compare(records, other, other + RECORD_BYTES, one, one + RECORD_BYTES);
  const sorted = Buffer.allocUnsafe(records.length);
  let length = 0;
  let before: number | undefined;
  for (const start of starts.sort(compare)) {
    if (before === undefined || compare(before, start) !== 0) {
      length += records.copy(sorted, length, start, start + RECORD_BYTES);
    }
    before = start;
  }
  return sorted.subarray(0, length);
}

const pathOf = (bytes: Uint8Array): string => missingEntriesPath(hash('sha256', bytes));

/** Stores records in a file, in their order. @returns its path, which names its content */
export async function storeMissing(
  storage: TlogStorage,
  records: readonly Uint8Array[],
  abortSignal: AbortSignal,
): Promise<string> {
  const bytes = inOrder(Buffer.concat(records));
  const path = pathOf(bytes);
  await createFile(storage, { path, bytes }, abortSignal);
  return path;
}

/** Reads a file of `storeMissing`. @throws FatalError if it is missing or was changed */
async function readMissing(storage: TlogStorage, path: string, abortSignal: AbortSignal): Promise<Buffer> {
  const bytes = await requireFile(storage, path, abortSignal);
  if (pathOf(bytes) !== path) throw new FatalError('file-differs', `${path} has other bytes than its name says.`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Returns where the records after another one begin, in a file that is in order. */
function startAfter(bytes: Buffer, record: Uint8Array): number {
  let from = 0;
  let to = bytes.length / RECORD_BYTES;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const start = middle * RECORD_BYTES;
    if (bytes.compare(record, 0, RECORD_BYTES, start, start + RECORD_BYTES) <= 0) from = middle + 1;
    else to = middle;
  }
  return from * RECORD_BYTES;
}

/**
 * Returns the next records of several files in the order of the log. It keeps twice as many in memory, and one file.
 * @param after the last record before; undefined: from the first on
 * @param count the number of records; fewer only if there are no more
 */
export async function nextMissing(
  storage: TlogStorage,
  { files, after, count }: { files: readonly string[]; after: Uint8Array | undefined; count: number },
  abortSignal: AbortSignal,
): Promise<Buffer> {
  const next = Buffer.allocUnsafe(count * 2 * RECORD_BYTES);
  let length = 0;
  /** The last record that can be among the next ones. */
  let last: Uint8Array | undefined;
  const smallest = () => inOrder(next.subarray(0, length)).subarray(0, count * RECORD_BYTES);
  for (const path of files) {
    const bytes = await readMissing(storage, path, abortSignal);
    let start = after ? startAfter(bytes, after) : 0;
    for (;;) {
      const end = last ? startAfter(bytes, last) : bytes.length;
      if (start >= end) break;
      const copied = bytes.copy(next, length, start, end);
      start += copied;
      length += copied;
      if (length < next.length) break;
      length = smallest().copy(next);
      last = length === count * RECORD_BYTES ? lastOf(next.subarray(0, length)) : undefined;
    }
  }
  return smallest();
}
