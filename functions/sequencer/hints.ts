import { hintsPath } from '../tlog/paths.ts';
import type { Mark } from '../tlog/tlogTable.ts';
import type { TlogStorage } from './storage.ts';

const MINUTE_MS = 60_000;

/** Returns the first minute that is not before a mark, such as `2025-11-14T09:31Z`. */
const minuteOf = ({ cursor }: Mark): string =>
  `${new Date(Math.ceil(cursor / MINUTE_MS) * MINUTE_MS).toISOString().slice(0, 16)}Z`;

const dayOf = (mark: Mark): string => minuteOf(mark).slice(0, 10);

/**
 * Writes the hints of the day of the newest mark: a line for each mark, with a minute and the size of the log at that
 * time. Entries that were received from that minute on come after as many leaves. Nothing depends on hints, so they are
 * not signed, and one that another sequencer writes at the same time is as good.
 */
export async function writeHints(storage: TlogStorage, marks: readonly Mark[], abortSignal: AbortSignal) {
  const newest = marks.at(-1);
  if (!newest) return;
  const day = dayOf(newest);
  const lines = marks.filter((mark) => dayOf(mark) === day).map((mark) => `${minuteOf(mark)} ${mark.size}\n`);
  const path = hintsPath(day);
  const before = await storage.get(path, abortSignal);
  await storage.replace(path, Buffer.from(lines.join('')), before?.etag, abortSignal);
}
