import type { Entry } from '../../../functions/ailog/entry.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import type { Place, Status, WhyMissing } from './place.ts';
import { type Judgement, timesOf } from './publication.ts';
import type { PublishedLog } from './publishedLog.ts';

/** Describes the place of an entry in the log for `--json`. */
export function describePlace(place: Place, { checkpoint }: Pick<PublishedLog, 'checkpoint'>, when?: Judgement) {
  if (place.status !== 'logged') return { status: place.status };
  const { index, status } = place;
  const late = when?.late ? { lateSeconds: Math.ceil(when.late / 1000) } : {};
  return { status, index, size: checkpoint.size, ...(when && timesOf(when)), ...late };
}

export const isContradicted = ({ status }: Place): boolean => status === 'differs' || status === 'missing';

const PASSED = 'the log came past the time of this entry without it';

const MISSING: Readonly<Record<WhyMissing, string>> = {
  unindexed: 'the row has not the arrival keys that the service stores with it',
  ahead: 'the time of this entry is in the future',
  waiting: `${PASSED}. If the clock of the service was set back, the sequencer adds it two days after that time`,
  passed: PASSED,
};

/** Describes the place of an entry in the log, such as `index 12, by 2025-11-14T10:00:00Z, says 1 witness`. */
export function formatPlace(place: Place, when?: Judgement): string {
  if (place.status === 'pending') return 'not yet';
  if (place.status === 'missing') return `missing: ${MISSING[place.why]}`;
  if (place.status === 'differs')
    return 'the row differs from the log: it was changed since it was stored, or copied from another row';
  const late = when?.late ? `. LATE: ${formatDuration(when.late)} after the ten minutes that the service promises` : '';
  return `index ${place.index}${when ? `, ${when.says}` : ''}${late}`;
}

/**
 * Says why the log does not have a row, in sentences.
 * @param receivedAt its time of receipt in ms since 1970; null: it has none
 * @param why `late`: newer entries are in the log, and the sequencer still looks for it
 */
export function explainUnlogged(receivedAt: number | null, why: WhyMissing | 'late'): string {
  if (receivedAt === null) return 'It has no time of receipt, and no leaf of the log is its own.';
  const received = `Its time of receipt is ${formatTime(receivedAt)}`;
  if (why === 'late') {
    return `${received}, and later checkpoints do not have it. It was backdated, or the index shows it late.`;
  }
  const inserted = why === 'passed' ? ' It was inserted, or edited together with its arrival attributes.' : '';
  return `${received}, and it is missing in the log: ${MISSING[why]}.${inserted}`;
}

export type Places = Record<Status, number>;

export const noPlaces = (): Places => ({ logged: 0, pending: 0, differs: 0, missing: 0 });

export const formatPlaces = ({ logged, pending, differs, missing }: Readonly<Places>): string =>
  `In the transparency log: ${logged}, not yet: ${pending}, changed since: ${differs}, missing: ${missing}.`;

type Log = Pick<PublishedLog, 'head' | 'checkpoint' | 'usualDelay' | 'now'>;

function pendingFailure({ entryId, receivedAt }: Entry, { head, checkpoint, usualDelay, now }: Log): Failure {
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

function differsFailure(entry: Entry, { stored, index }: Place & { status: 'differs' }): Failure {
  const entryHash = stored.toString('hex');
  const name = `The row of entry ${entry.entryId} of UID ${entry.uid}`;
  const message =
    index === undefined
      ? `${name} was changed after it was stored, or copied from another row. The hash of the stored entry is ${entryHash}, which is not in the log.`
      : `${name} was changed after it was logged, or copied from another row. The log has the entry hash ${entryHash} of the stored entry, at index ${index}.`;
  return new Failure('negative', message, {
    advice:
      'ailog logs verify shows which of its attributes contradict each other, and ailog tlog audit --known FILE what an earlier export has.',
  });
}

/** Returns the failure for an entry that the sequencer passed without seeing it, or that it will never see. */
function missingFailure({ uid, entryId, receivedAt }: Entry, { head }: Log, why: WhyMissing): Failure {
  const name = `The entry ${entryId} of UID ${uid}`;
  if (why === 'unindexed') {
    return new Failure('negative', `${name} is missing in the transparency log, and will not get into it.`, {
      advice: 'It has not the arrival keys that the service stores with it: somebody wrote the row past the service.',
    });
  }
  const cause = why === 'ahead' ? 'that is in the future' : `the log has come to ${formatTime(head.cursor)}`;
  const message = `${name} is missing in the transparency log: it was received at ${formatTime(receivedAt)}, and ${cause}.`;
  return new Failure('negative', message, {
    advice:
      'Somebody wrote the row past the service, the clock of the service was set back, or the index hid it. The sequencer looks for it again two days after that time.',
  });
}

/** Returns the place of an entry in the log. @throws Failure that says why it has none */
export function requireLogged(place: Place, entry: Entry, log: Log) {
  if (place.status === 'logged') return place;
  if (place.status === 'pending') throw pendingFailure(entry, log);
  throw place.status === 'differs' ? differsFailure(entry, place) : missingFailure(entry, log, place.why);
}
