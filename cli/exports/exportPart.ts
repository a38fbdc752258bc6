import type { Entry } from '../../functions/ailog/entry.ts';
import { CLOCK_TOLERANCE_MS } from '../../functions/auth/timestamp.ts';
import { readBodyText } from '../entries/bodyOf.ts';
import { type EntryKey, timeKey } from '../entries/entryFilter.ts';
import { PART_BYTES, type ReadPart } from '../entries/pageTask.ts';
import { type ExportFormat, entryFormats } from './entryFormats.ts';

/** The counts of an export. */
export interface ExportCounts {
  readonly entries: number;
  /** Entries whose stored body is damaged. They are exported without it. */
  readonly damaged: number;
  /** Entries without a time of receipt. Only a write past the service can have removed it. */
  readonly untimed: number;
  /** Entries that arrived after the export began. They are not exported: which ones got in would depend on timing. */
  readonly late: number;
}

export const NO_COUNTS: ExportCounts = { entries: 0, damaged: 0, untimed: 0, late: 0 };

/** Adds the counts of a part. */
export const addCounts = (a: ExportCounts, b: ExportCounts): ExportCounts => ({
  entries: a.entries + b.entries,
  damaged: a.damaged + b.damaged,
  untimed: a.untimed + b.untimed,
  late: a.late + b.late,
});

/** The format of an export, and the time at which it began, in milliseconds since 1970. */
export interface ExportOptions {
  readonly format: ExportFormat;
  readonly began: number;
}

/** The records of some entries. */
export interface ExportPart {
  readonly records: Uint8Array;
  readonly counts: ExportCounts;
  /** The last entry with a record. Absent if there is none. */
  readonly last?: EntryKey;
}

/**
 * Returns true if an entry arrived after the export began. The time of receipt alone does not decide, because nothing
 * proves it: the entry id must say too that the entry was signed about then or later.
 */
const isLate = ({ receivedAt, entryId }: Entry, began: number): boolean =>
  receivedAt > began && entryId >= timeKey(began - CLOCK_TOLERANCE_MS);

/** Returns the records of entries as bytes. Late entries have none. */
export const readPart: ReadPart<ExportOptions, ExportPart> = (entries, from, { format, began }) => {
  const chunks: Buffer[] = [];
  let counts = NO_COUNTS;
  let last: EntryKey | undefined;
  let next = from;
  for (let bytes = 0; next < entries.length && bytes < PART_BYTES; next += 1) {
    const entry = entries[next] as Entry;
    if (isLate(entry, began)) {
      counts = { ...counts, late: counts.late + 1 };
      continue;
    }
    const body = readBodyText(entry);
    const record = Buffer.from(entryFormats[format].line(entry, body));
    chunks.push(record);
    bytes += record.length;
    last = { uid: entry.uid, entryId: entry.entryId };
    counts = {
      ...counts,
      entries: counts.entries + 1,
      damaged: counts.damaged + Number(body === undefined),
      untimed: counts.untimed + Number(!Number.isSafeInteger(entry.receivedAt)),
    };
  }
  const records = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    records.set(chunk, offset);
    offset += chunk.length;
  }
  return { part: { records, counts, ...(last && { last }) }, next, transfer: [records.buffer] };
};
