import type { Head } from '../../functions/tlog/tlogTable.ts';
import { formatTime } from '../text/time.ts';
import type { Location } from './locateEntry.ts';
import type { PublishedLog } from './publishedLog.ts';

/**
 * Returns a time at which an entry was in the log, as early as the marks of the head say: they note the size of the log
 * every ten minutes. It usually was in the log long before.
 */
const loggedBefore = ({ marks, cursor }: Head, index: number): number =>
  marks.find(({ size }) => size > index)?.cursor ?? cursor;

/** Describes the place of an entry in the log for `--json`. */
export function describeLocation(location: Location, { head, checkpoint }: Pick<PublishedLog, 'head' | 'checkpoint'>) {
  if (location.status !== 'logged') return { status: location.status };
  const { index, status } = location;
  return { status, index, size: checkpoint.size, since: new Date(loggedBefore(head, index)).toISOString() };
}

/** Returns true if the log contradicts the row of an entry. */
export const isContradicted = ({ status }: Location): boolean => status === 'differs' || status === 'missing';

/** Describes the place of an entry in the log for people, such as `since before 2025-11-14T10:00:00Z`. */
export function formatLocation(location: Location, { head }: Pick<PublishedLog, 'head'>): string {
  if (location.status === 'pending') return 'not yet';
  if (location.status === 'missing') {
    if (!location.isIndexed) return 'missing: the row has not the arrival keys that the service stores with it';
    const waits = '. If the clock of the service was set back, the sequencer adds it two days after that time';
    return `missing: the log came past the time of this entry without it${location.isWaiting ? waits : ''}`;
  }
  if (location.status === 'differs') return 'the row differs from the log: it was changed since it was stored';
  return `since before ${formatTime(loggedBefore(head, location.index))}`;
}

/** The numbers of entries by their place in the log. */
export type Places = Record<Location['status'], number>;

/** Returns the numbers for no entries. */
export const noPlaces = (): Places => ({ logged: 0, pending: 0, differs: 0, missing: 0 });

/** Says how many entries are in the transparency log. */
export const formatPlaces = ({ logged, pending, differs, missing }: Readonly<Places>): string =>
  `In the transparency log: ${logged}, not yet: ${pending}, changed since: ${differs}, missing: ${missing}.`;
