/**
 * Stands in for `node:zlib` in the packed command line. Versions of Node before 22.15 have no zstd, and importing it by
 * name would end the program there.
 */
import { createRequire } from 'node:module';

const zlib = createRequire(import.meta.url)('node:zlib') as typeof import('node:zlib');

export const { constants } = zlib;

/**
 * Compresses bytes. Without zstd, the result is empty: only the service can then tell whether an entry is too large.
 */
export const zstdCompressSync: typeof zlib.zstdCompressSync = zlib.zstdCompressSync ?? (() => Buffer.alloc(0));
