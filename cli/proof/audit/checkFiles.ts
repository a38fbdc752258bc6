import { HASH_BYTES, sameHash } from '../../../functions/c2sp/hashing.ts';
import { TILE_WIDTH } from '../../../functions/c2sp/tiles.ts';
import { type OpenedCheckpoint, openCheckpoint } from '../../../functions/tlog/openCheckpoint.ts';
import { CHECKPOINT, checkpointPath } from '../../../functions/tlog/paths.ts';
import { quorumTime } from '../inclusion/publication.ts';
import type { Audit } from './auditData.ts';
import type { GrownTree, ReadCheck } from './auditTree.ts';
import { BUNDLES } from './listFiles.ts';

function openOrReport(path: string, signed: Uint8Array | undefined, { policy, report }: Audit) {
  try {
    if (signed) return openCheckpoint(Buffer.from(signed).toString(), policy);
    report({ kind: 'checkpoint', path, problem: `${path} is missing.` });
  } catch (error) {
    report({ kind: 'checkpoint', path, problem: `${path} cannot be trusted: ${(error as Error).message}` });
  }
  return undefined;
}

/**
 * Reads the newest checkpoint, after the files were listed. The last step of a sequencer is to publish it, so the list
 * may have a larger one that is used.
 * @param largest the size of the largest checkpoint in the list, and whether a sequencer may be about to publish it
 */
export async function readNewest(
  largest: { size: number; isFresh: boolean },
  audit: Audit,
): Promise<OpenedCheckpoint | undefined> {
  const { files, report } = audit;
  const opened = openOrReport(CHECKPOINT, await files.read(CHECKPOINT), audit);
  if (opened && opened.size >= largest.size) {
    const problem = `${CHECKPOINT} of size ${opened.size} misses the quorum of witnesses that the policy requires.`;
    if (!opened.quorum) report({ kind: 'checkpoint', path: CHECKPOINT, problem });
    return opened;
  }
  const path = checkpointPath(largest.size);
  if (opened && !largest.isFresh) {
    const problem = `${CHECKPOINT} has the size ${opened.size}, and there is ${path}: an older one was put back, or the copy was made while the log grew.`;
    report({ kind: 'checkpoint', path: CHECKPOINT, problem });
  }
  const kept = await files.read(path);
  return (kept && openOrReport(path, kept, audit)) ?? opened;
}

/** The length of an entry in a bundle: its length in two bytes, and a hash. */
const BUNDLED_BYTES = 2 + HASH_BYTES;

/**
 * Creates the check of the content of a file, at its position in the growing tree.
 * @param counts `checkpoints`: of how many the signature was verified and the root computed again
 */
export function fileChecks(origin: string, counts: { checkpoints: number }, audit: Audit) {
  const { policy, data, report } = audit;
  const checkTile = ({ path, bytes, level, hashes }: ReadCheck, { edge, bundle }: GrownTree) => {
    const width = (hashes as number) % TILE_WIDTH;
    const expected = level === BUNDLES ? bundle?.subarray(0, width * BUNDLED_BYTES) : edge.hashes[level as number];
    if (!bytes) report({ kind: 'file', path, problem: `${path} was listed, and is not there.` });
    else if (expected && !sameHash(bytes, expected)) {
      const below = level === BUNDLES ? 'entries' : 'tiles below it';
      const kind = level === BUNDLES ? 'bundle' : 'tile';
      report({ kind, path, problem: `${path} does not follow from the ${below}.` });
    }
  };

  const checkSigned = async ({ check, path, bytes, position }: ReadCheck, { root }: GrownTree) => {
    const opened = openOrReport(path, bytes, audit);
    if (!opened) return;
    counts.checkpoints += 1;
    const wrong = (problem: string) => report({ kind: 'checkpoint', path, problem: `${path} ${problem}` });
    if (opened.origin !== origin) wrong(`is of another log, ${opened.origin}.`);
    if (check === 'cosigned' && !opened.quorum) wrong('misses the quorum of witnesses that the policy requires.');
    if (opened.size !== position) wrong(`is that of size ${opened.size}.`);
    else if (!sameHash(opened.root, root)) {
      const problem = `${path} is signed, and its root is not that of the first ${position} entries: the log was forked or changed before entry ${position}.`;
      report({ kind: 'root', path, problem });
    } else {
      const cosignedAt = quorumTime(opened, policy);
      if (cosignedAt !== undefined) await data.cosigned({ size: position, cosigned_at: cosignedAt });
    }
  };

  const checkPrevious = ({ path, position, root }: ReadCheck, tree: GrownTree) => {
    const problem = `${path} was signed for the first ${position} entries, and the log has others now: it was forked or rewritten.`;
    if (!sameHash(root as Uint8Array, tree.root)) report({ kind: 'previous', path, problem });
  };

  return async (one: ReadCheck, tree: GrownTree): Promise<void> => {
    if (one.check === 'tile') checkTile(one, tree);
    else if (one.check === 'previous') checkPrevious(one, tree);
    else await checkSigned(one, tree);
  };
}
