import type { Entry } from '../../../functions/ailog/entry.ts';
import { orUndefined } from '../../../functions/orUndefined.ts';
import { PROMISE_MS } from '../../../functions/receipts/receiptFormat.ts';
import { arrivalKeysOf, parseArrival } from '../../../functions/tlog/arrival.ts';
import { type Commit, WINDOW_MS } from '../../../functions/tlog/commit.ts';
import { entryHashOf, entryPreimage } from '../../../functions/tlog/entryHash.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import type { Target } from '../../store/targets/target.ts';
import { type LogEntry, lookUp } from './lookUp.ts';
import { type OwnLog, orNoLog, readOwnLog } from './ownLog.ts';

/** The clocks of the service, of the sequencer and of this command may differ by this much, in milliseconds. */
const CLOCK_SKEW_MS = 60_000;

/** Returns the entry hash of a row; undefined if its attributes are of types that the service never stores. */
export const entryHashOfRow = (entry: Entry): Buffer | undefined =>
  orUndefined(() => entryHashOf(entryPreimage(entry)));

export interface RowKeys {
  /** The entry hash that follows from the attributes of the row; undefined: see `entryHashOfRow`. */
  readonly entryHash: Buffer | undefined;
  /** Another entry, if its arrival keys name one: the row was changed, or copied from the row of that entry. */
  readonly stored?: ReturnType<typeof parseArrival>;
  /** True if its arrival keys are those that the service stores with it. The sequencer finds no other row. */
  readonly isIndexed: boolean;
  readonly receivedAt: number;
}

export function rowKeysOf(entry: Entry): RowKeys {
  const { slot, arrival, receivedAt } = entry;
  const entryHash = entryHashOfRow(entry);
  const named = parseArrival(arrival);
  const stored = named && !(entryHash && named.entryHash.equals(entryHash)) ? named : undefined;
  // No service has received an entry at a time that makes no keys.
  const keys = entryHash && orUndefined(() => arrivalKeysOf(receivedAt, entryHash));
  const isSame = arrival instanceof Uint8Array && keys !== undefined && Buffer.compare(arrival, keys.arrival) === 0;
  return { entryHash, stored, isIndexed: isSame && slot === keys.slot, receivedAt };
}

const PASSED = 'the log came past the time of this entry without it';

/** The reasons why a log does not have a row, in words. */
export const UNLOGGED = {
  pending: 'not yet',
  edited: 'the row differs from the log: it was changed since it was stored, or copied from another row',
  unindexed: 'missing: the row has not the arrival keys that the service stores with it',
  ahead: 'missing: the time of this entry is in the future',
  waiting: `missing: ${PASSED}. If the clock of the service was set back, the sequencer adds it two days after that time`,
  passed: `missing: ${PASSED}`,
};

type WhyUnlogged = keyof typeof UNLOGGED;

/** Says why a log does not have a row. This is the one rule. @param now milliseconds since 1970 */
export function whyUnlogged(
  { isEdited, isIndexed, receivedAt }: { isEdited: boolean; isIndexed: boolean; receivedAt: number },
  { cursor, looked }: Pick<Commit, 'cursor' | 'looked'>,
  now: number,
): WhyUnlogged {
  if (isEdited) return 'edited';
  if (!isIndexed) return 'unindexed';
  if (receivedAt > now + CLOCK_SKEW_MS) return 'ahead';
  if (receivedAt >= cursor - WINDOW_MS) return 'pending';
  return receivedAt >= looked ? 'waiting' : 'passed';
}

/** The place of a row in the log, or why it has none. `late`: by how much after the promised time, in milliseconds. */
export type Place =
  | ({ readonly status: 'logged'; readonly late: number | undefined } & LogEntry)
  | { readonly status: 'pending' | 'differs' | 'missing'; readonly why: WhyUnlogged };

export type Status = Place['status'];

export const unloggedPlace = (why: WhyUnlogged): Place => ({
  status: why === 'pending' ? 'pending' : why === 'edited' ? 'differs' : 'missing',
  why,
});

/** Returns the place of a row in a log. What was received before its first commit had no receipt, and is not late. */
export async function placeOf(log: OwnLog, { entryHash, stored, isIndexed, receivedAt }: RowKeys): Promise<Place> {
  const found = entryHash && (await lookUp(log, entryHash, receivedAt));
  if (found) {
    const late = found.cameAt - receivedAt - PROMISE_MS;
    const isLate = late > 0 && receivedAt >= (await log.commit(1)).time;
    return { status: 'logged', ...found, late: isLate ? late : undefined };
  }
  const isEdited = stored !== undefined;
  return unloggedPlace(whyUnlogged({ isEdited, isIndexed, receivedAt }, await log.newest(), log.now));
}

/**
 * Opens the transparency log for a command that shows entries, see `orNoLog`.
 * @returns looks up the place of a row, proven; undefined: the log cannot be read. Undefined if there is no log
 */
export async function openPlaces(terminal: Surroundings, target: Target) {
  const log = await orNoLog(terminal, () => readOwnLog(target));
  if (!log) return undefined;
  let isReadable = true;
  return async (row: RowKeys): Promise<Place | undefined> => {
    const find = async () => {
      const place = await placeOf(log, row);
      if (place.status === 'logged' && row.entryHash) await log.prove(row.entryHash, place.index);
      return place;
    };
    const place = isReadable ? await orNoLog(terminal, find) : undefined;
    isReadable = place !== undefined;
    return place;
  };
}

export const isContradicted = ({ status }: Place): boolean => status === 'differs' || status === 'missing';

export function describePlace(place: Place) {
  if (place.status !== 'logged') return { status: place.status };
  const { status, index, cameAt, late } = place;
  const lateSeconds = late === undefined ? {} : { lateSeconds: Math.ceil(late / 1000) };
  return { status, index, cameAt: new Date(cameAt).toISOString(), ...lateSeconds };
}

/** Describes the place of an entry in the log, such as `index 12, since 2025-11-14T10:00:00Z, says the storage`. */
export function formatPlace(place: Place): string {
  if (place.status !== 'logged') return UNLOGGED[place.why];
  const { index, cameAt, late } = place;
  const said = `index ${index}, since ${formatTime(cameAt)}, the organisers' storage says`;
  return late === undefined
    ? said
    : `${said}. LATE: ${formatDuration(late)} after the ten minutes that the service promises`;
}

export type Places = Record<Status, number>;

export const noPlaces = (): Places => ({ logged: 0, pending: 0, differs: 0, missing: 0 });

export const formatPlaces = ({ logged, pending, differs, missing }: Readonly<Places>): string =>
  `In the transparency log: ${logged}, not yet: ${pending}, changed since: ${differs}, missing: ${missing}.`;
