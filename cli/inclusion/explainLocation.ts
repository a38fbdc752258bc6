import { createHash } from 'node:crypto';
import type { Entry } from '../../functions/ailog/entry.ts';
import type { parseArrival } from '../../functions/tlog/arrival.ts';
import { readBody } from '../entries/bodyOf.ts';
import { Failure } from '../terminal/failure.ts';
import { formatDuration, formatTime } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import type { Location } from './locateEntry.ts';
import { leafOfRow } from './locateEntry.ts';
import type { PublishedLog } from './publishedLog.ts';

const show = (value: unknown) => (value === undefined ? 'nothing' : visible(String(value)));

/**
 * Returns the attributes of a row that were changed since it was stored, with both values. The old values follow from
 * the arrival keys, the entry id and the body. Each is proven: with it, the row has the leaf that was stored.
 * @returns undefined if no combination of these gives that leaf: another attribute was changed
 */
function changedAttributes(entry: Entry, arrival: NonNullable<ReturnType<typeof parseArrival>>): string[] | undefined {
  const body = readBody(entry);
  const repairs: Partial<Entry>[] = [
    { receivedAt: arrival.receivedAt },
    body ? { bodySha256: createHash('sha256').update(body).digest('hex'), bodyBytes: body.length } : {},
    { timestamp: entry.entryId.slice(0, 13) },
  ];
  for (let chosen = 1; chosen < 2 ** repairs.length; chosen += 1) {
    const repair: Partial<Entry> = Object.assign({}, ...repairs.filter((_repair, index) => chosen & (2 ** index)));
    if (!leafOfRow({ ...entry, ...repair })?.equals(arrival.entryHash)) continue;
    return (Object.keys(repair) as (keyof Entry)[])
      .filter((name) => repair[name] !== entry[name])
      .map((name) => `${name} from ${show(repair[name])} to ${show(entry[name])}`);
  }
  return undefined;
}

type Log = Pick<PublishedLog, 'head' | 'checkpoint' | 'usualDelay'>;

/** Returns the failure for an entry that the sequencer has not come to. @param now milliseconds since 1970 */
function pendingFailure(
  { entryId, receivedAt, arrival }: Entry,
  { head, checkpoint, usualDelay }: Log,
  now: number,
): Failure {
  const message = `The entry ${visible(entryId)} is not in the transparency log yet.`;
  const left = receivedAt + usualDelay - now;
  const isLate = receivedAt < head.cursor && checkpoint.size >= head.size && head.daily.doneAt !== 0;
  const advice =
    left > 0
      ? `Try again in about ${Math.ceil(left / 1000)} s.`
      : isLate
        ? `The index showed it late. The ${arrival === undefined ? 'daily' : 'hourly'} reconciliation adds it.`
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
  const changes = changedAttributes(entry, arrival);
  return new Failure('negative', message, {
    advice: changes
      ? `Changed: ${changes.join(', ')}.`
      : 'ailog logs verify shows which of its attributes contradict each other.',
  });
}

/** Returns the failure for an entry that the sequencer passed without seeing it. */
function missingFailure({ uid, entryId, receivedAt, arrival }: Entry, { head }: Log): Failure {
  const name = `The entry ${visible(entryId)} of UID ${visible(uid)}`;
  const received = formatTime(receivedAt);
  const message = `${name} is missing in the transparency log: it was received at ${received}, and the log has come to ${formatTime(head.cursor)}.`;
  const look = arrival === undefined ? head.daily : head.hourly;
  const [which, every] = arrival === undefined ? ['daily', 'day'] : ['hourly', 'hour'];
  const done = look.doneAt === 0 ? 'not done yet' : `last done at ${formatTime(look.doneAt)}`;
  return new Failure('negative', message, {
    advice: `The ${which} reconciliation, ${done}, did not find it. If the next one, in a${which === 'hourly' ? 'n' : ''} ${every}, does not add it either, somebody wrote the row past the service, or changed it together with its arrival keys.`,
  });
}

/** Returns the place of an entry in the log. @throws Failure that says why it has none */
export function requireLogged(
  location: Location,
  entry: Entry,
  log: Log,
  now: number,
): Extract<Location, { status: 'logged' }> {
  if (location.status === 'logged') return location;
  if (location.status === 'pending') throw pendingFailure(entry, log, now);
  throw location.status === 'differs' ? differsFailure(entry, location) : missingFailure(entry, log);
}
