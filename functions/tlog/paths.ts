/**
 * The paths of the files of a transparency log, in a bucket or in a folder. `tilePath` (functions/c2sp/tiles.ts)
 * returns those of tiles and entry bundles. docs/proof.md says what the files contain.
 */

/** The newest checkpoint. */
export const CHECKPOINT = 'checkpoint';

/** Returns the permanent path of the checkpoint of a size. */
export const checkpointPath = (size: number): string => `checkpoints/${size}`;

/**
 * Returns the path of a staged batch: the entry hashes of one append, side by side.
 * @param batch the number of leaves before and after the append, and the root after it
 */
export const stagingPath = ({ fromSize, size, root }: { fromSize: number; size: number; root: Uint8Array }): string =>
  `staging/${fromSize}-${size}-${Buffer.from(root).toString('hex')}`;

/** Returns the path of the first checkpoint of a size that the quorum of witnesses has cosigned. */
export const cosignedPath = (size: number): string => `cosigned/${size}`;

const HINTS = 'hints/';

/** Returns the path of the hints of a day, such as `hints/2025-11-14`. They help to find an entry quickly. */
export const hintsPath = (day: string): string => `${HINTS}${day}`;

/** Returns the headers with which a file is served. Source: C2SP tlog-tiles, "APIs". */
export function headersOf(path: string) {
  // Hints and the newest checkpoint are replaced while the log grows. All other files are only ever created.
  const isReplaced = path === CHECKPOINT || path.startsWith(HINTS);
  return {
    contentType: /^(checkpoint|cosigned|hints)/.test(path) ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    cacheControl: isReplaced ? 'no-cache' : 'public, max-age=31536000, immutable',
  };
}
