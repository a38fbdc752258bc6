import type { Entry } from '../../../functions/ailog/entry.ts';
import { parseArrival } from '../../../functions/tlog/arrival.ts';
import type { LeafSource } from '../../../functions/tlog/leaf.ts';
import { checkRow } from './checkRow.ts';
import type { Finding } from './findings.ts';
import type { Partitions } from './partitions.ts';

/** What a record says of its row. */
export const records = {
  /** The leaf that the row has. */
  own: 0,
  /** The leaf that the row has, while its arrival attributes name another one. */
  recomputed: 1,
  /** The leaf that the arrival attributes of such a row name. */
  claimed: 2,
} as const;

/** A row whose arrival attributes name another leaf than it has. */
export interface Suspect {
  readonly source: LeafSource;
  /** The time in its arrival attributes, in milliseconds since 1970. */
  readonly arrivedAt: number;
  readonly body?: Pick<Entry, 'bodySha256' | 'bodyBytes'>;
}

/** The length of the part of a record before its text. */
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
  suspect: data.readUInt32BE(13),
  text: () => JSON.parse(data.toString('utf8', FIXED)),
});

function writeRow({ kind, receivedAt, retention, suspect }: Omit<RowRecord, 'text'>, value: unknown): Buffer {
  const text = JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? String(one) : one));
  const data = Buffer.allocUnsafe(FIXED + Buffer.byteLength(text));
  data.writeUInt8(kind);
  data.writeDoubleBE(receivedAt, 1);
  data.writeInt32BE(retention, 9);
  data.writeUInt32BE(suspect, 13);
  data.write(text, FIXED);
  return data;
}

/** The number of rows that were read, and of those whose arrival attributes name another leaf. */
export interface RowCounts {
  readonly rows: number;
  readonly suspects: number;
}

/**
 * Checks rows of the table, and records their leaves by partition.
 * @param began the time at which the log began, in milliseconds since 1970: later rows have arrival attributes
 * @returns the counts after them
 */
export function collectRows(
  entries: readonly Entry[],
  {
    partitions,
    began,
    bodies,
    before,
    report,
  }: {
    readonly partitions: Partitions;
    readonly began: number | undefined;
    readonly bodies: boolean;
    readonly before: RowCounts;
    readonly report: (finding: Finding) => void;
  },
): RowCounts {
  let { rows, suspects } = before;
  for (const entry of entries) {
    const { uid, entryId } = entry;
    const row = checkRow(entry, bodies);
    for (const finding of row.findings) report(finding);
    const { receivedAt = Number.NaN, retention, leaf, claimed } = row;
    if (!row.hasArrival && began !== undefined && receivedAt >= began) {
      const problem = 'The arrival attributes were removed: the service stores them since the log began.';
      report({ kind: 'arrival', uid, entryId, problem });
    }
    const fixed = { receivedAt, retention, suspect: suspects };
    if (!claimed) partitions.add(leaf, writeRow({ ...fixed, kind: records.own }, [uid, entryId]));
    else {
      const arrivedAt = parseArrival(entry.arrival)?.receivedAt ?? Number.NaN;
      const suspect: Suspect = { source: row.source, arrivedAt, ...(row.body && { body: row.body }) };
      partitions.add(leaf, writeRow({ ...fixed, kind: records.recomputed }, [uid, entryId]));
      partitions.add(claimed, writeRow({ ...fixed, kind: records.claimed }, suspect));
      suspects += 1;
    }
    rows += 1;
  }
  return { rows, suspects };
}
