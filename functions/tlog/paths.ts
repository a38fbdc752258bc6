/**
 * The paths of the files of a transparency log, in a bucket or in a folder. `tilePath` (functions/c2sp/tiles.ts)
 * returns those of tiles and entry bundles. docs/proof.md says what the files contain.
 */

/** The newest checkpoint, the only file that is ever replaced. */
export const CHECKPOINT = 'checkpoint';

/** Returns the permanent path of the checkpoint of a size. */
export const checkpointPath = (size: number): string => `checkpoints/${size}`;

/**
 * Returns the path of a staged batch: the entry hashes of one append, side by side.
 * @param batch the number of leaves before and after the append, and the root after it
 */
export const stagingPath = ({ fromSize, size, root }: { fromSize: number; size: number; root: Uint8Array }): string =>
  `staging/${fromSize}-${size}-${Buffer.from(root).toString('hex')}`;

/** Returns the path of a file with entries that a reconciliation found missing. @param sha256 of its content, in hex */
export const missingEntriesPath = (sha256: string): string => `staging/missing-${sha256}`;
