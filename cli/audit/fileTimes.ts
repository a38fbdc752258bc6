import { checkpointPath } from '../../functions/tlog/paths.ts';
import type { TlogFiles } from '../target/tlogFiles.ts';
import { positionFrom } from '../text/numbers.ts';
import { formatTime } from '../text/time.ts';

/** The most files whose time is asked for. Further answers have no times. */
const MAX_TIMES = 2000;

/**
 * Creates lookups of when leaves were logged, by the times at which checkpoints were stored. Nobody can set them back
 * in a bucket with Object Lock: a checkpoint that is stored again has a later time.
 * @param sizes the sizes of the checkpoints, in ascending order
 */
export function fileTimes({ modifiedAt }: TlogFiles, sizes: readonly number[]) {
  const times = new Map<number, Promise<number | undefined>>();
  const timeOf = (size: number): Promise<number | undefined> => {
    const known =
      times.get(size) ?? (times.size < MAX_TIMES ? modifiedAt(checkpointPath(size)) : Promise.resolve(undefined));
    times.set(size, known);
    return known;
  };
  const describe = async (size: number): Promise<string> => {
    const time = await timeOf(size);
    return time === undefined ? checkpointPath(size) : `${checkpointPath(size)} (${formatTime(time)})`;
  };

  return {
    /** Describes the checkpoints between which a leaf was logged. */
    async whenLogged(index: number): Promise<string> {
      const at = positionFrom(sizes, index + 1);
      const [before, after] = [sizes[at - 1], sizes[at]];
      if (after === undefined) return 'in no checkpoint that is left';
      if (before === undefined) return `by ${await describe(after)}`;
      return `between ${await describe(before)} and ${await describe(after)}`;
    },

    /** Returns the largest size that the log had at a time. @param time milliseconds since 1970 */
    async sizeAt(time: number): Promise<number> {
      let [low, high] = [0, sizes.length];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const stored = await modifiedAt(checkpointPath(sizes[middle] as number));
        if (stored !== undefined && stored <= time) low = middle + 1;
        else high = middle;
      }
      return low === 0 ? 0 : (sizes[low - 1] as number);
    },
  };
}
