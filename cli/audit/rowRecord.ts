import type { Entry } from '../../functions/ailog/entry.ts';
import type { HashedAttributes } from '../../functions/tlog/entryHash.ts';
import { bigintAsText } from '../text/json.ts';

/** The content of a record about its row. */
export const records = {
  /** The leaf that the row has. */
  own: 0,
  /** The leaf that the row has, while its arrival attributes name another one. */
  recomputed: 1,
  /** The leaf that the arrival attributes of such a row name. */
  claimed: 2,
  /** The leaf that a row without arrival attributes has. */
  bare: 3,
} as const;

/** A row whose arrival attributes do not name the leaf that it has. */
export interface Suspect {
  readonly source: HashedAttributes;
  /** The time in its arrival attributes, in milliseconds since 1970. */
  readonly arrivedAt: number;
  readonly body?: Pick<Entry, 'bodySha256' | 'bodyBytes'>;
}

/** The place of the suspect's number in a record, and the length of the part before its text. */
export const SUSPECT_AT = 13;
const FIXED = 17;

/** A row in a partition. */
export interface RowRecord {
  readonly kind: (typeof records)[keyof typeof records];
  /** Milliseconds since 1970; NaN if the row has no time. */
  readonly receivedAt: number;
  /** See `CheckedRow`. */
  readonly retention: number;
  /** The number of the suspect, from 0. */
  readonly suspect: number;
  /** JSON: uid and entry id, or a `Suspect`. */
  readonly text: () => unknown;
}

/** Reads the record of a row. */
export const readRow = (data: Buffer): RowRecord => ({
  kind: data.readUInt8(0) as RowRecord['kind'],
  receivedAt: data.readDoubleBE(1),
  retention: data.readInt32BE(9),
  suspect: data.readUInt32BE(SUSPECT_AT),
  text: () => JSON.parse(data.toString('utf8', FIXED)),
});

/** Returns the record of a row. */
export function writeRow({ kind, receivedAt, retention, suspect }: Omit<RowRecord, 'text'>, value: unknown): Buffer {
  const text = JSON.stringify(value, bigintAsText);
  const data = Buffer.allocUnsafe(FIXED + Buffer.byteLength(text));
  data.writeUInt8(kind);
  data.writeDoubleBE(receivedAt, 1);
  data.writeInt32BE(retention, 9);
  data.writeUInt32BE(suspect, SUSPECT_AT);
  data.write(text, FIXED);
  return data;
}
