import { isDependencyFailure } from '../../functions/dependencyFailure.ts';
import type { Target } from '../target/target.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { leafFinder } from './leafFinder.ts';
import { type Location, type RowKeys, rowLocator } from './locateEntry.ts';
import { readPublishedLog } from './publishedLog.ts';

/**
 * Opens the transparency log for a command that shows entries, and works without the log too.
 * @returns the log and a function that locates rows in it; undefined if there is no log. If the log cannot be read, a
 * note says why. If it contradicts itself, the result of the command is negative too
 */
export async function openLocator(terminal: Terminal, target: Target) {
  let isReadable = true;
  const orNote = async <Result>(read: () => Promise<Result>): Promise<Result | undefined> => {
    if (!isReadable) return undefined;
    try {
      return await read();
    } catch (error) {
      if (isDependencyFailure(error)) throw error;
      isReadable = false;
      if (error instanceof Failure && error.outcome === 'negative') terminal.reportNegative();
      terminal.note(`The transparency log was not read: ${(error as Error).message}`);
      return undefined;
    }
  };
  const log = await orNote(() => readPublishedLog(target));
  if (!log) return undefined;
  const locate = rowLocator(log, leafFinder(log));
  return { log, locate: (row: RowKeys): Promise<Location | undefined> => orNote(() => locate(row)) };
}
