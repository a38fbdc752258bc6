import type { Entry } from '../../functions/ailog/entry.ts';
import { Failure } from '../terminal/failure.ts';
import { formatDuration, formatTime } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import type { Location } from './locateEntry.ts';
import type { PublishedLog } from './publishedLog.ts';

type Log = Pick<PublishedLog, 'head' | 'checkpoint' | 'usualDelay'>;

/** Returns the failure for an entry that the sequencer has not come to. @param now milliseconds since 1970 */
function pendingFailure({ entryId, receivedAt }: Entry, { head, checkpoint, usualDelay }: Log, now: number): Failure {
  const message = `The entry ${visible(entryId)} is not in the transparency log yet.`;
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
  const name = `The row of entry ${visible(entry.entryId)} of UID ${visible(entry.uid)}`;
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
  const name = `The entry ${visible(entryId)} of UID ${visible(uid)}`;
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
