import { isDependencyFailure } from '../../../functions/dependencyFailure.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Target } from '../../store/targets/target.ts';
import { type Place, placeFinder, type RowKeys } from './place.ts';
import type { Judgement } from './publication.ts';
import { judgeEntry, readPublishedLog } from './publishedLog.ts';

/**
 * Reads the transparency log for a command that works without it too.
 * @returns undefined if it cannot be read; a note says why. If it contradicts itself, the result of the command is
 * negative
 */
export async function orNoLog<Result>(
  terminal: Surroundings,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDependencyFailure(error)) throw error;
    if (error instanceof Failure && error.outcome === 'negative') terminal.reportNegative();
    const { message, advice = '' } = error as Failure;
    terminal.note(`The transparency log was not read: ${message} ${advice}`.trimEnd());
    return undefined;
  }
}

/**
 * Opens the transparency log for a command that shows entries, see `orNoLog`.
 * @returns the log and a lookup of rows in it; undefined if there is no log
 */
export async function openLocator(terminal: Surroundings, target: Target) {
  const log = await orNoLog(terminal, () => readPublishedLog(target));
  if (!log) return undefined;
  const placeOf = placeFinder(log);
  let isReadable = true;
  return {
    log,
    async locate(row: RowKeys): Promise<Place | undefined> {
      const place = isReadable ? await orNoLog(terminal, () => placeOf(row)) : undefined;
      isReadable = place !== undefined;
      return place;
    },
    /** Says when an entry came into the log; undefined if it is not there, or if nothing can be read. */
    whenOf: (place: Place | undefined, entry: Pick<RowKeys, 'receivedAt'>): Promise<Judgement | undefined> =>
      orNoLog(terminal, async () => (place?.status === 'logged' ? judgeEntry(log, place.index, entry) : undefined)),
  };
}
