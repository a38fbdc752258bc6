import { setTimeout as sleep } from 'node:timers/promises';
import { isThrottlingError } from '@smithy/core/retry';
import pLimit from 'p-limit';

/** The number of times that a throttled read is sent again, in addition to the retries of the SDK. */
const MAX_RETRIES = 8;

/** The first and the longest pause after a throttled read, in milliseconds. */
const [PAUSE_MS, LONGEST_PAUSE_MS] = [100, 5000];

/** The number of reads after which another one may run at the same time. */
const STEADY_READS = 20;

const isThrottled = (error: unknown) =>
  error instanceof Error && isThrottlingError(error as Parameters<typeof isThrottlingError>[0]);

/**
 * Runs at most `most` reads at the same time, and fewer while DynamoDB throttles: half as many after each throttled
 * read, one more after each twenty that succeed. @param firstPause milliseconds; each further one is twice as long
 * @returns a function that runs a read. It throws the error of a read that is throttled again and again
 */
export function createPace(most: number, firstPause = PAUSE_MS) {
  const limit = pLimit(most);
  let steady = 0;
  const attempt = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    const result = await read();
    steady += 1;
    if (steady >= STEADY_READS && limit.concurrency < most) {
      limit.concurrency += 1;
      steady = 0;
    }
    return result;
  };
  return async <Result>(read: () => Promise<Result>): Promise<Result> => {
    for (let retry = 0; ; retry += 1) {
      try {
        return await limit(() => attempt(read));
      } catch (error) {
        if (!isThrottled(error) || retry === MAX_RETRIES) throw error;
        limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2));
        steady = 0;
        await sleep(Math.min(LONGEST_PAUSE_MS, firstPause * 2 ** retry) * (0.5 + Math.random() / 2));
      }
    }
  };
}
