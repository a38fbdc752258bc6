/** Stands in for `node:zlib` in the packed commands: before Node 22.15, importing zstd by name ends the program. */
import { createRequire } from 'node:module';

const zlib = createRequire(import.meta.url)('node:zlib') as typeof import('node:zlib');

export const { constants } = zlib;

/** Compresses bytes, to none without zstd: then only the service can tell whether an entry is too large. */
export const zstdCompressSync: typeof zlib.zstdCompressSync = zlib.zstdCompressSync ?? (() => Buffer.alloc(0));
