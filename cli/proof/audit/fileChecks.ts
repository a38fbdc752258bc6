import { HASH_BYTES, leafHashOf, sameHash, splitHashes } from '../../../functions/c2sp/hashing.ts';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { appendHashes, rootOfEdge } from '../../../functions/c2sp/rightEdge.ts';
import { TILE_WIDTH } from '../../../functions/c2sp/tiles.ts';
import type { GrownTree, ReadCheck } from './auditTree.ts';
import type { Report } from './findings.ts';
import { BUNDLES } from './listFiles.ts';
import { openOrReport } from './newest.ts';

/** The length of an entry in a bundle: its length in two bytes, and a hash. */
const BUNDLED_BYTES = 2 + HASH_BYTES;

/** The counts of the checks of files, besides findings. */
export interface FileCounts {
  /** Checkpoints of which the signature was verified and the root computed again. */
  checkpoints: number;
  staged: number;
  /** Staged batches that no head was claimed with: a sequencer lost a race. */
  unclaimed: number;
}

/**
 * Creates the check of the content of a file, at its position in the growing tree.
 * @param claim takes the number of leaves after a staged batch that is in the log
 */
export function fileChecks(
  { policy, origin, claim }: { policy: Policy; origin: string; claim: (position: number) => Promise<void> },
  counts: FileCounts,
  report: Report,
) {
  const checkTile = ({ path, bytes, level, hashes }: ReadCheck, { edge, bundle }: GrownTree) => {
    const width = (hashes as number) % TILE_WIDTH;
    const expected = level === BUNDLES ? bundle?.subarray(0, width * BUNDLED_BYTES) : edge.hashes[level as number];
    if (!bytes) report({ kind: 'file', path, problem: `${path} was listed, and is not there.` });
    else if (expected && !sameHash(bytes, expected)) {
      const below = level === BUNDLES ? 'entries' : 'tiles below it';
      report({
        kind: level === BUNDLES ? 'bundle' : 'tile',
        path,
        problem: `${path} does not follow from the ${below}.`,
      });
    }
  };

  const checkSigned = ({ check, path, bytes, position }: ReadCheck, { root }: GrownTree) => {
    const opened = openOrReport(path, bytes, policy, report);
    if (!opened) return;
    counts.checkpoints += 1;
    const wrong = (problem: string) => report({ kind: 'checkpoint', path, problem: `${path} ${problem}` });
    if (opened.origin !== origin) wrong(`is of another log, ${opened.origin}.`);
    if (check === 'cosigned' && !opened.quorum) wrong('misses the quorum of witnesses that the policy requires.');
    if (opened.size !== position) wrong(`is that of size ${opened.size}.`);
    else if (!sameHash(opened.root, root)) {
      const problem = `${path} is signed, and its root is not that of the first ${position} entries: the log was forked or changed before entry ${position}.`;
      report({ kind: 'root', path, problem });
    }
  };

  const checkStaged = ({ path, bytes, position, ends, root }: ReadCheck, { edge }: GrownTree) => {
    const wrong = (problem: string) => report({ kind: 'staging', path, problem: `${path} ${problem}` });
    counts.staged += 1;
    const entries = (ends as number) - position;
    if (bytes?.length !== entries * HASH_BYTES) return wrong(`does not hold ${entries} entries.`);
    const grown = appendHashes(edge, splitHashes(bytes).map(leafHashOf));
    if (!sameHash(rootOfEdge(grown.edge), root as Uint8Array))
      wrong('does not hold the entries that lead to the root in its name.');
  };

  return async (one: ReadCheck, tree: GrownTree): Promise<void> => {
    const { check, path, position, root } = one;
    if (check === 'tile') checkTile(one, tree);
    else if (check === 'staging') checkStaged(one, tree);
    else if (check === 'claim') {
      if (sameHash(root as Uint8Array, tree.root)) await claim(position);
      else counts.unclaimed += 1;
    } else if (check === 'previous') {
      const problem = `${path} was signed for the first ${position} entries, and the log has others now: it was forked or rewritten.`;
      if (!sameHash(root as Uint8Array, tree.root)) report({ kind: 'previous', path, problem });
    } else checkSigned(one, tree);
  };
}
