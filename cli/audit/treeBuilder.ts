import { EMPTY_ROOT, nodeHash } from '../../functions/c2sp/hashing.ts';

/** A subtree of 2^height leaves, which never changes any more. */
export interface Subtree {
  readonly height: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

/**
 * Builds a tree leaf by leaf, in memory that does not grow with it: the full subtrees of its right edge.
 * @param subtrees those of the tree to continue, larger ones before smaller ones
 */
export function treeBuilder(subtrees: readonly Subtree[] = []) {
  const stack = [...subtrees];
  return {
    /** The full subtrees, larger ones before smaller ones. */
    subtrees: (): readonly Subtree[] => [...stack],

    /** Adds the hash of a leaf. @returns the subtrees that are full now, smaller ones before larger ones */
    push(hash: Uint8Array): Subtree[] {
      const full: Subtree[] = [];
      let subtree: Subtree = { height: 0, hash };
      for (;;) {
        full.push(subtree);
        const before = stack.at(-1);
        if (before?.height !== subtree.height) break;
        stack.pop();
        subtree = { height: subtree.height + 1, hash: nodeHash(before.hash, subtree.hash) };
      }
      stack.push(subtree);
      return full;
    },

    /** Returns the root over all leaves so far. */
    root: (): Uint8Array =>
      stack
        .map(({ hash }) => hash)
        .reduceRight<Uint8Array | undefined>((right, left) => (right ? nodeHash(left, right) : left), undefined) ??
      EMPTY_ROOT,
  };
}

/** A tree that is being built. */
export type TreeBuilder = ReturnType<typeof treeBuilder>;
