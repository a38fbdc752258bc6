import { copyOf, type Entry } from '../../../functions/ailog/entry.ts';
import { contains } from '../../shell/text/contains.ts';

/** A filter for entries. Undefined properties match every entry. Times are in milliseconds since 1970. */
export interface EntryFilter {
  readonly uids?: readonly string[] | undefined;
  readonly orderId?: bigint | undefined;
  readonly since?: number | undefined;
  /** Signed before this time. */
  readonly until?: number | undefined;
  /** A part of the stage, in any case. Compared with what an entry keeps of it: the first 256 code points. */
  readonly stage?: string | undefined;
  readonly model?: string | undefined;
}

export type EntryKey = Pick<Entry, 'uid' | 'entryId'>;

/** Returns a key as one text, for sets and maps. */
export const keyText = ({ uid, entryId }: EntryKey): string => JSON.stringify([uid, entryId]);

/** Returns a sort key for a time. Entry ids start with 13 digits of time, so it sorts before those of that time. */
export const timeKey = (ms: number) => String(Math.min(Math.max(0, ms), 9_999_999_999_999)).padStart(13, '0');

/** Converts a filter to a DynamoDB condition on the key, with its values. It cannot compare text in any case. */
export function conditionsOf({ since, until }: EntryFilter, uid: string) {
  const from = since === undefined ? '' : ' AND entryId >= :since';
  const to = until === undefined ? '' : ' AND entryId < :until';
  // A sort key takes only one condition. BETWEEN includes `until`, but no entry id is a bare time.
  const ofTime = from && to ? ' AND entryId BETWEEN :since AND :until' : from + to;
  return {
    KeyConditionExpression: `uid = :uid${ofTime}`,
    ExpressionAttributeValues: {
      ':uid': uid,
      ...(since !== undefined && { ':since': timeKey(since) }),
      ...(until !== undefined && { ':until': timeKey(until) }),
    },
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
