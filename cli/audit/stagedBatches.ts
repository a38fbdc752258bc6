import { HASH_BYTES } from '../../functions/c2sp/hashing.ts';
import { stagingPath } from '../../functions/tlog/paths.ts';
import { ascending, positionFrom } from '../text/numbers.ts';

/** A staged batch of entries. */
export interface StagedBatch {
  readonly path: string;
  readonly fromSize: number;
  readonly size: number;
  /** The root after the batch, 32 bytes. */
  readonly root: Uint8Array;
}

/** Staged batches, in memory that is small: a log can have one for each checkpoint. */
export interface StagedBatches {
  /** The sizes at which the batches begin, in ascending order. */
  readonly starts: readonly number[];
  /** The sizes at which they end, in ascending order. */
  readonly ends: readonly number[];
  /** Returns the batch whose start has this position in `starts`. */
  readonly at: (position: number) => StagedBatch;
}

/** Collects staged batches. */
export function collectBatches() {
  const [starts, ends]: [number[], number[]] = [[], []];
  let roots = Buffer.alloc(0);
  return {
    add({ fromSize, size, root }: StagedBatch): void {
      const at = starts.length * HASH_BYTES;
      if (at === roots.length) roots = Buffer.concat([roots], Math.max(HASH_BYTES, 2 * roots.length));
      roots.set(root, at);
      starts.push(fromSize);
      ends.push(size);
    },
    sorted(): StagedBatches {
      const order = Uint32Array.from(starts.keys()).sort(
        (one, other) => (starts[one] as number) - (starts[other] as number) || one - other,
      );
      return {
        starts: starts.toSorted(ascending),
        ends: ends.toSorted(ascending),
        at(position) {
          const one = order[position] as number;
          const root = roots.subarray(one * HASH_BYTES, (one + 1) * HASH_BYTES);
          const batch = { fromSize: starts[one] as number, size: ends[one] as number, root };
          return { path: stagingPath(batch), ...batch };
        },
      };
    },
  };
}

/** Yields the batches that begin at a size. */
export function* batchesFrom({ starts, at }: StagedBatches, fromSize: number): Generator<StagedBatch> {
  for (let position = positionFrom(starts, fromSize); starts[position] === fromSize; position += 1) yield at(position);
}
