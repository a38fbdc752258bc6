import type { Entry } from '../../functions/ailog/entry.ts';

/** A part of what a task makes of a page, as it passes from one thread to another. */
interface PagePart<Part> {
  readonly part: Part;
  /** The index of the first entry that is not in this part. It ends the page if it is the number of entries. */
  readonly next: number;
  /** The buffers of the part, which are moved to the other thread instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/**
 * The work of a command on each page of entries, in any thread. Its module exports it as `readPart`. The bodies of a
 * page can have a gigabyte in total, so a task ends a part at about `PART_BYTES`.
 * @param from the index of the first entry to read
 */
export type ReadPart<Options, Part> = (entries: readonly Entry[], from: number, options: Options) => PagePart<Part>;

/** The size in bytes at which a task ends a part. */
export const PART_BYTES = 4 * 1024 * 1024;

/** A request for the next part of a page. The first one brings the response that contains the page. */
export interface PartRequest {
  readonly page: number;
  readonly response?: Uint8Array;
}

/**
 * The places of the memory that a worker and the main thread share: 1 while the worker reads, and 1 when it must not.
 */
export const [BUSY, STOP] = [0, 1];

/** The data with which a worker starts. */
export interface PageWorkerData {
  readonly task: string;
  readonly options: unknown;
  readonly state: Int32Array<SharedArrayBuffer>;
}
