import type { Entry } from '../../../functions/ailog/entry.ts';
import type { Head } from '../../../functions/tlog/tlogTable.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
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

export type Places = Record<Location['status'], number>;

export const noPlaces = (): Places => ({ logged: 0, pending: 0, differs: 0, missing: 0 });

export const formatPlaces = ({ logged, pending, differs, missing }: Readonly<Places>): string =>
  `In the transparency log: ${logged}, not yet: ${pending}, changed since: ${differs}, missing: ${missing}.`;

type Log = Pick<PublishedLog, 'head' | 'checkpoint' | 'usualDelay'>;

/** Returns the failure for an entry that the sequencer has not come to. @param now milliseconds since 1970 */
function pendingFailure({ entryId, receivedAt }: Entry, { head, checkpoint, usualDelay }: Log, now: number): Failure {
  const message = `The entry ${entryId} is not in the transparency log yet.`;
  const left = receivedAt + usualDelay - now;
  const isLate = receivedAt < head.cursor && checkpoint.size >= head.size;
  const advice =
    left > 0
      ? `Try again in about ${Math.ceil(left / 1000)} s.`
      : isLate
        ? 'The index shows it late. The sequencer looks for it for ten minutes.'
        : `The sequencer is behind: it has come to ${formatTime(head.cursor)}, ${formatDuration(now - head.cursor)} ago. ailog tlog status says more.`;
  return new Failure('unchecked', message, { advice });
}

function differsFailure(entry: Entry, { arrival, index }: Location & { status: 'differs' }): Failure {
  const entryHash = arrival.entryHash.toString('hex');
  const name = `The row of entry ${entry.entryId} of UID ${entry.uid}`;
  const message =
    index === undefined
      ? `${name} was changed after it was stored. The hash of the stored entry is ${entryHash}, which is not in the log.`
      : `${name} was changed after it was logged. The log has the entry hash ${entryHash} of the stored entry, at index ${index}.`;
  return new Failure('negative', message, {
    advice:
      'ailog logs verify shows which of its attributes contradict each other, and ailog tlog audit --known FILE what an earlier export has.',
  });
}

/** Returns the failure for an entry that the sequencer passed without seeing it, or that it will never see. */
function missingFailure({ uid, entryId, receivedAt }: Entry, { head }: Log, isIndexed: boolean): Failure {
  const name = `The entry ${entryId} of UID ${uid}`;
  if (!isIndexed) {
    return new Failure('negative', `${name} is missing in the transparency log, and will not get into it.`, {
      advice: 'It has not the arrival keys that the service stores with it: somebody wrote the row past the service.',
    });
  }
  const received = formatTime(receivedAt);
  const message = `${name} is missing in the transparency log: it was received at ${received}, and the log has come to ${formatTime(head.cursor)}.`;
  return new Failure('negative', message, {
    advice:
      'Somebody wrote the row past the service, the clock of the service was set back, or the index hid it. The sequencer looks for it again two days after that time.',
  });
}

/** Returns the place of an entry in the log. @throws Failure that says why it has none */
export function requireLogged(location: Location, entry: Entry, log: Log, now: number) {
  if (location.status === 'logged') return location;
  if (location.status === 'pending') throw pendingFailure(entry, log, now);
  throw location.status === 'differs'
    ? differsFailure(entry, location)
    : missingFailure(entry, log, location.isIndexed);
}
