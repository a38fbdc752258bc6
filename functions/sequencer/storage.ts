import { FatalTlogError } from './fatal.ts';

/** A file of the log. */
export interface StoredFile {
  readonly bytes: Uint8Array;
  /** Identifies this version of the file. */
  readonly etag: string;
}

/** Stores the files of one log. A write is durable when the call returns, and every later read sees it. */
export interface TlogStorage {
  /** Returns a file; undefined if there is none. */
  get(path: string, abortSignal: AbortSignal): Promise<StoredFile | undefined>;
  /** Creates a file and never overwrites one. If the file exists, returns whether its bytes are the same. */
  create(path: string, bytes: Uint8Array, abortSignal: AbortSignal): Promise<'created' | 'same' | 'different'>;
  /**
   * Replaces a file.
   * @param etag the version to replace; undefined: the file does not exist yet
   * @returns false if the file has another version, which is kept
   */
  replace(path: string, bytes: Uint8Array, etag: string | undefined, abortSignal: AbortSignal): Promise<boolean>;
}

/** Reads a file that must exist. @throws FatalTlogError if it does not */
export async function requireFile(storage: TlogStorage, path: string, abortSignal: AbortSignal): Promise<Uint8Array> {
  const file = await storage.get(path, abortSignal);
  if (!file) throw new FatalTlogError('file-missing', `The log has no ${path}.`);
  return file.bytes;
}

/** Creates a file, or accepts an existing one with the same bytes. @throws FatalTlogError if the bytes differ */
export async function createFile(
  storage: TlogStorage,
  { path, bytes }: { path: string; bytes: Uint8Array },
  abortSignal: AbortSignal,
): Promise<void> {
  const result = await storage.create(path, bytes, abortSignal);
  if (result === 'different') throw new FatalTlogError('file-differs', `${path} exists with other bytes.`);
}
