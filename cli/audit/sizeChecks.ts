import { HASH_BYTES, leafHashOf, sameHash } from '../../functions/c2sp/hashing.ts';
import type { Policy } from '../../functions/c2sp/policy.ts';
import { partialTiles } from '../../functions/c2sp/rightEdge.ts';
import { tilePath } from '../../functions/c2sp/tiles.ts';
import { CHECKPOINT, checkpointPath } from '../../functions/tlog/paths.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import { includes, positionFrom } from '../text/numbers.ts';
import type { SizeCheck } from './auditTree.ts';
import type { Finding } from './findings.ts';
import { hasPartial, type Listing, partialsOf, sizesOf } from './listing.ts';
import { openOrReport, rootIn } from './snapshot.ts';
import type { StagedBatch } from './stagedBatches.ts';
import { treeBuilder } from './treeBuilder.ts';

/** A checkpoint that somebody kept. */
export interface KeptCheckpoint {
  readonly file: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** The counts of the checks of checkpoints and staged batches, besides findings. */
export interface CheckCounts {
  /** Checkpoints of which the signature was verified and the root computed again. */
  checkpoints: number;
  staged: number;
  /** Staged batches that no head was claimed with: a sequencer lost a race. */
  unclaimed: number;
}

interface Context {
  readonly files: TlogFiles;
  readonly origin: string;
  readonly policy: Policy;
  readonly listing: Listing;
  readonly previous: readonly KeptCheckpoint[];
  readonly report: (finding: Finding) => void;
  readonly counts: CheckCounts;
}

/** Returns the check of a checkpoint against the entries before it. */
const checkpointCheck = ({ files, origin, policy, report, counts }: Context, size: number): SizeCheck<unknown> => {
  const path = checkpointPath(size);
  const check = (signed: Uint8Array | undefined, root: Uint8Array) => {
    const opened = openOrReport(path, signed, policy, report);
    if (!opened) return;
    counts.checkpoints += 1;
    const wrong = (problem: string) => report({ kind: 'checkpoint', path, problem: `${path} ${problem}` });
    if (opened.origin !== origin) wrong(`is of another log, ${opened.origin}.`);
    if (opened.size !== size) wrong(`is that of size ${opened.size}.`);
    else if (!sameHash(opened.root, root)) {
      const problem = `${path} is signed, and its root is not that of the first ${size} entries: the log was forked or changed before entry ${size}.`;
      report({ kind: 'root', path, problem });
    }
  };
  return {
    size,
    read: () => files.read(path),
    check: (signed, tree) => check(signed as Uint8Array | undefined, tree.root()),
  };
};

/** Returns the check of a staged batch against the entries after it begins. */
const stagedCheck = ({ files, listing, report, counts }: Context, batch: StagedBatch): SizeCheck<unknown> => {
  const { path, fromSize, size, root } = batch;
  const wrong = (problem: string) => report({ kind: 'staging', path, problem: `${path} ${problem}` });
  return {
    size: fromSize,
    read: async () => {
      const [bytes, checkpoint] = await Promise.all([
        files.read(path),
        includes(listing.sizes, size) ? files.read(checkpointPath(size)) : undefined,
      ]);
      return { bytes, claimed: rootIn(checkpoint) };
    },
    check: (read, tree) => {
      const { bytes, claimed } = read as { bytes?: Uint8Array; claimed?: Uint8Array };
      counts.staged += 1;
      if (!claimed || !sameHash(claimed, root)) counts.unclaimed += 1;
      if (bytes?.length !== (size - fromSize) * HASH_BYTES) return wrong(`does not hold ${size - fromSize} entries.`);
      const after = treeBuilder(tree.subtrees());
      for (let at = 0; at < bytes.length; at += HASH_BYTES) after.push(leafHashOf(bytes.subarray(at, at + HASH_BYTES)));
      if (!sameHash(after.root(), root)) wrong('does not hold the entries that lead to the root in its name.');
    },
  };
};

/** Returns the check of a checkpoint that somebody kept. */
const previousCheck = ({ report }: Context, { file, size, root }: KeptCheckpoint): SizeCheck<unknown> => ({
  size,
  read: async () => undefined,
  check: (_read, tree) => {
    if (sameHash(tree.root(), root)) return;
    const problem = `${file} was signed for the first ${size} entries, and the log has others now: it was forked or rewritten.`;
    report({ kind: 'previous', path: file, problem });
  },
});

/** Creates a lookup of the checks at the sizes after `from` up to `until`, in ascending order. */
export function sizeChecksOf(context: Context): (from: number, until: number) => readonly SizeCheck<unknown>[] {
  const { listing, previous } = context;
  // At size 0 there is no leaf after which a check could run; the first batch is checked before the first leaf.
  const { starts, at: batchAt } = listing.staged;
  return (from, until) => {
    const checks: SizeCheck<unknown>[] = [];
    for (
      let at = positionFrom(listing.sizes, from + 1);
      (listing.sizes[at] ?? Number.POSITIVE_INFINITY) <= until;
      at += 1
    ) {
      checks.push(checkpointCheck(context, listing.sizes[at] as number));
    }
    const first = from === 0 ? 0 : from + 1;
    for (let at = positionFrom(starts, first); (starts[at] ?? Number.POSITIVE_INFINITY) <= until; at += 1) {
      checks.push(stagedCheck(context, batchAt(at)));
    }
    for (const kept of previous) if (kept.size > from && kept.size <= until) checks.push(previousCheck(context, kept));
    return checks.sort((one, other) => one.size - other.size);
  };
}

/** Reports partial tiles that no checkpoint explains, and checkpoints that files belong to and that are missing. */
export function auditListing(listing: Listing, size: number, report: (finding: Finding) => void): void {
  /** The sizes of missing checkpoints, and a file that belongs to each. */
  const missing = new Map<number, string>();
  for (const level of listing.partials.keys()) {
    for (const tile of partialsOf(listing, level)) {
      const [from, until] = sizesOf(tile);
      const explained = listing.sizes[positionFrom(listing.sizes, from)];
      if ((explained !== undefined && explained < until) || (from <= size && size < until)) continue;
      const path = tilePath(tile);
      if (until - from > 1) report({ kind: 'file', path, problem: `${path} belongs to no checkpoint.` });
      else missing.set(from, path);
    }
  }
  for (const [at, one] of listing.sizes.entries()) {
    if (one === 0 || one > size) continue;
    const { hashes, bundle } = partialTiles(one);
    for (const tile of [...hashes, bundle]) {
      if (!tile || hasPartial(listing, tile)) continue;
      const path = tilePath(tile);
      // A tile above level 0 is the same in several trees.
      if (sizesOf(tile)[0] <= (listing.sizes[at - 1] ?? 0)) continue;
      report({ kind: tile.level === 'entries' ? 'bundle' : 'tile', path, problem: `${path} is missing.` });
    }
  }
  for (const one of listing.sizes) {
    if (one === 0 || one > size || includes(listing.staged.ends, one)) continue;
    report({ kind: 'staging', path: checkpointPath(one), problem: `No staged batch leads to ${checkpointPath(one)}.` });
  }
  // A sequencer only appends to a tree whose checkpoint is published.
  for (const [at, fromSize] of listing.staged.starts.entries()) {
    if (fromSize > 0 && !includes(listing.sizes, fromSize)) missing.set(fromSize, listing.staged.at(at).path);
  }
  if (size > 0 && !includes(listing.sizes, size)) missing.set(size, CHECKPOINT);
  for (const [missed, by] of missing) {
    const path = checkpointPath(missed);
    report({ kind: 'checkpoint', path, problem: `${path} is missing: ${by} belongs to it.` });
  }
}
