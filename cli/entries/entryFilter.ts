import { copyOf, type Entry } from '../../functions/ailog/entry.ts';
import { contains } from '../text/contains.ts';

/** A filter for entries. Absent properties match every entry. Times are in milliseconds since 1970. */
export interface EntryFilter {
  /** Entries of these UIDs. */
  readonly uids?: readonly string[];
  readonly orderId?: bigint;
  /** Signed at this time or later. */
  readonly since?: number;
  /** Signed before this time. */
  readonly until?: number;
  /** A part of the stage, in any case. Compared with what an entry keeps of it: the first 256 code points. */
  readonly stage?: string;
  /** As `stage`. */
  readonly model?: string;
}

/** The primary key of an entry. */
export type EntryKey = Pick<Entry, 'uid' | 'entryId'>;

/**
 * Returns a sort key for a time. Entry ids start with 13 digits of time, so a bare time sorts before all entries of
 * that time.
 */
export const timeKey = (ms: number) => String(Math.min(Math.max(0, ms), 9_999_999_999_999)).padStart(13, '0');

/** Converts a filter to a DynamoDB condition on the key, with its values. It cannot compare text in any case. */
export function conditionsOf({ since, until }: EntryFilter, uid: string | undefined) {
  const values = Object.entries({
    ':uid': uid,
    ':since': since === undefined ? undefined : timeKey(since),
    ':until': until === undefined ? undefined : timeKey(until),
  }).filter(([, value]) => value !== undefined);
  const has = (name: string) => values.some(([other]) => other === name);
  // A sort key takes only one condition, so two bounds become a BETWEEN. It includes `until`, but no entry id is a bare
  // time.
  const between = has(':since') && has(':until');
  return {
    keyCondition:
      [
        has(':uid') && 'uid = :uid',
        between && 'entryId BETWEEN :since AND :until',
        !between && has(':since') && 'entryId >= :since',
        !between && has(':until') && 'entryId < :until',
      ]
        .filter(Boolean)
        .join(' AND ') || undefined,
    values: values.length > 0 ? Object.fromEntries(values) : undefined,
  };
}

/** Returns true if the key of an entry matches the filter. */
export const keyMatches = ({ uid, entryId }: EntryKey, { uids, since, until }: EntryFilter): boolean =>
  (uids === undefined || uids.includes(uid)) &&
  (since === undefined || entryId >= timeKey(since)) &&
  (until === undefined || entryId < timeKey(until));

/** Returns true if stage and model of an entry match the filter. */
export const fieldsMatch = (entry: Entry, { stage, model }: EntryFilter): boolean =>
  contains(entry.stage, stage && copyOf(stage)) && contains(entry.model, model && copyOf(model));
