import pMap from 'p-map';
import { EMPTY_ROOT, leafHashOf, sameHash, treeHash } from '../../../functions/c2sp/hashing.ts';
import { TILE_WIDTH, tileOf } from '../../../functions/c2sp/tiles.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { lookUp } from '../log/lookUp.ts';
import type { OpenLog } from '../log/openLog.ts';
import type { Answer, Wanted } from './judge.ts';
import type { Trusted } from './verify.ts';

/** Reads all leaf hashes side by side. @returns undefined if they do not give the root that the log signed */
async function readLeaves({ readTile, checkpoint: { size, root } }: OpenLog): Promise<Buffer | undefined> {
  const indexes = Array.from({ length: Math.ceil(size / TILE_WIDTH) }, (_, index) => index * TILE_WIDTH);
  const tiles = await pMap(indexes, (at) => readTile(tileOf(0, at, size)), { concurrency: 16 });
  // A tree is split at whole tiles, so the tree over their roots has the same root.
  const roots = tiles.map((tile) => treeHash(tile));
  const own = roots.length === 0 ? EMPTY_ROOT : treeHash(Buffer.concat(roots));
  return sameHash(own, root) ? Buffer.concat(tiles) : undefined;
}

/**
 * Returns a log in which the entries of evidence are looked up.
 * @throws Failure if no commit has the tree of its checkpoint, or if it does not answer; so does `ask`
 */
export async function askLog(log: OpenLog): Promise<NonNullable<Trusted['log']>> {
  const { cursor } = await log.newest();
  const { time: began } = await log.commit(1);
  let leaves: ReturnType<typeof readLeaves> | undefined;
  const isAbsent = async (entryHash: Uint8Array) => {
    leaves ??= readLeaves(log);
    return (await leaves)?.indexOf(leafHashOf(entryHash)) === -1;
  };
  return {
    checkpoint: log.checkpoint,
    cursor,
    began,
    async ask({ entryHash, receivedAt, deadline }: Wanted): Promise<Answer> {
      try {
        const found = await lookUp(log, entryHash, receivedAt, deadline);
        if (!found) return { isAbsent: () => isAbsent(entryHash) };
        await log.prove(entryHash, found.index);
        return found;
      } catch (error) {
        if (error instanceof Failure && error.outcome === 'negative')
          return { wrong: error.message.replace(/\.$/, '') };
        throw error;
      }
    },
  };
}
