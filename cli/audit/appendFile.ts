import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { writeFully } from '../files/write.ts';

/** The length of a file, and a checksum over it. */
export interface FileMark {
  readonly bytes: number;
  readonly crc: number;
}

/** The bytes that are collected before a write. */
const BUFFER_BYTES = 32_768;

/** The bytes that are read at a time. */
const CHUNK_BYTES = 256 * 1024;

/** Reads an open file from its start, up to a length. Each chunk is read into the memory of the one before. */
function* chunksOf(file: number, bytes: number): Generator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, bytes));
  for (let done = 0; done < bytes; ) {
    const read = readSync(file, chunk, 0, Math.min(chunk.length, bytes - done), done);
    if (read === 0) return;
    done += read;
    yield chunk.subarray(0, read);
  }
}

/**
 * Opens a file that only grows.
 * @param mark the part of an existing file to keep; what was written after it is cut off
 * @throws Error if the file does not hold that part any more
 */
export function openAppendFile(path: string, mark: FileMark = { bytes: 0, crc: 0 }) {
  const file = openSync(path, mark.bytes > 0 ? 'r+' : 'w+', 0o600);
  let kept = 0;
  for (const chunk of chunksOf(file, mark.bytes)) kept = crc32(chunk, kept);
  if (fstatSync(file).size < mark.bytes || kept !== mark.crc) {
    closeSync(file);
    throw new Error(`${path} was changed.`);
  }
  ftruncateSync(file, mark.bytes);
  let { bytes, crc } = mark;
  let pending: Buffer | undefined;
  let pendingBytes = 0;

  const write = (chunk: Uint8Array): void => {
    writeFully(file, chunk, bytes);
    crc = crc32(chunk, crc);
    bytes += chunk.length;
  };
  const flush = (): void => {
    if (pending && pendingBytes > 0) write(pending.subarray(0, pendingBytes));
    pendingBytes = 0;
  };

  return {
    append(...parts: readonly Uint8Array[]): void {
      for (const part of parts) {
        if (pendingBytes + part.length > BUFFER_BYTES) flush();
        if (part.length > BUFFER_BYTES) write(part);
        else {
          // Copied, because a part is often a view of something larger.
          pending ??= Buffer.allocUnsafeSlow(BUFFER_BYTES);
          pending.set(part, pendingBytes);
          pendingBytes += part.length;
        }
      }
    },
    /** Writes what was appended, and returns the length of the file. */
    mark(): FileMark {
      flush();
      return { bytes, crc };
    },
    /** Cuts everything off. */
    clear(): void {
      pendingBytes = 0;
      bytes = 0;
      crc = 0;
      ftruncateSync(file, 0);
    },
    /** Reads all that was appended, in chunks. Each holds until the next one is read. */
    *chunks(): Generator<Buffer> {
      flush();
      yield* chunksOf(file, bytes);
    },
    close: () => closeSync(file),
  };
}

/** A file that only grows. */
export type AppendFile = ReturnType<typeof openAppendFile>;
