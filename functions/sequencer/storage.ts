import { FatalLogError } from './fatal.ts';

/** A file of the log. */
export interface StoredFile {
  readonly bytes: Uint8Array;
  /** Names this version of it. */
  readonly etag: string;
}

/** Where the files of one log are. What a call has stored is durable when it returns, and every later read sees it. */
export interface LogStorage {
  /** Returns a file; undefined if there is none. */
  get(path: string, abortSignal: AbortSignal): Promise<StoredFile | undefined>;
  /** Stores a file unless there is one, and tells whether that has the same bytes. It never overwrites. */
  create(path: string, bytes: Uint8Array, abortSignal: AbortSignal): Promise<'created' | 'same' | 'different'>;
  /**
   * Replaces a file.
   * @param etag the version to replace; undefined: there is none yet
   * @returns false if another version is there, which stays
   */
  replace(path: string, bytes: Uint8Array, etag: string | undefined, abortSignal: AbortSignal): Promise<boolean>;
}

/** The newest checkpoint: the only file that is ever replaced. */
export const CHECKPOINT = 'checkpoint';

/** Returns the path at which the checkpoint of a size stays. */
export const checkpointPath = (size: number): string => `checkpoints/${size}`;

/** Returns the path of the entries that an append adds, one after the other. They are stored before the head is claimed. */
export const stagingPath = ({ fromSize, size, root }: { fromSize: number; size: number; root: Uint8Array }): string =>
  `staging/${fromSize}-${size}-${Buffer.from(root).toString('hex')}`;

/** Reads a file that must be there. @throws FatalLogError if it is not */
export async function requireFile(storage: LogStorage, path: string, abortSignal: AbortSignal): Promise<Uint8Array> {
  const file = await storage.get(path, abortSignal);
  if (!file) throw new FatalLogError('file-missing', `The log has no ${path}.`);
  return file.bytes;
}

/** Stores a file that no one may have stored with other bytes. @throws FatalLogError if someone did */
export async function createFile(
  storage: LogStorage,
  { path, bytes }: { path: string; bytes: Uint8Array },
  abortSignal: AbortSignal,
): Promise<void> {
  const result = await storage.create(path, bytes, abortSignal);
  if (result === 'different') throw new FatalLogError('file-differs', `${path} exists with other bytes.`);
}
