import { BoundedMap } from '../../../functions/boundedMap.ts';
import { leafHashOf } from '../../../functions/c2sp/hashing.ts';
import { verifyInclusion } from '../../../functions/c2sp/proofs.ts';
import { type ReadTile, tilePath } from '../../../functions/c2sp/tiles.ts';
import { treeReader } from '../../../functions/c2sp/treeReader.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { PublishedLog } from './publishedLog.ts';

/** Tiles that are kept for the next proof, of 8 KB each. Proofs of neighbours share most of theirs. */
const MAX_TILES_KEPT = 512;

export function inclusionProver({
  checkpoint,
  readTile,
  files,
}: Pick<PublishedLog, 'checkpoint' | 'readTile' | 'files'>) {
  const kept = new BoundedMap<string, Promise<Uint8Array>>(MAX_TILES_KEPT);
  const read: ReadTile = (tile) => {
    const path = tilePath(tile);
    const bytes = kept.get(path) ?? readTile(tile);
    kept.set(path, bytes);
    return bytes;
  };

  /**
   * Returns the inclusion proof of an entry hash. It was verified against the checkpoint.
   * @throws Failure if the files of the log do not prove it
   */
  return async (entryHash: Uint8Array, index: number): Promise<Buffer[]> => {
    const { size, root } = checkpoint;
    const proof = await treeReader(read, size).inclusionProof(index);
    if (verifyInclusion(proof, { index, size, leafHash: leafHashOf(entryHash), root })) return proof;
    throw new Failure('negative', `The tiles in ${files.location} do not match the checkpoint of size ${size}.`, {
      advice: 'Somebody changed a file of the log. ailog tlog audit names it.',
    });
  };
}
