import { closeSync, openSync, readSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { EntryKey } from '../data/entryFilter.ts';
import { Failure } from '../terminal/failure.ts';
import { fromSpreadsheet } from '../terminal/spreadsheet.ts';
import type { ExportFormat } from './entryFormats.ts';

const CHUNK = 1024 * 1024;
const [QUOTE, LINE_FEED] = [0x22, 0x0a];

/** Counts the records of a file and returns the last one. In CSV, a line break within quotes does not end a record. */
function readRecords(path: string, format: ExportFormat): { records: number; last: string } {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK);
  let [records, isQuoted, offset, start, end] = [0, false, 0, 0, 0];
  try {
    for (;;) {
      const read = readSync(file, chunk, 0, CHUNK, offset);
      if (read === 0) break;
      for (let index = 0; index < read; index += 1) {
        if (chunk[index] === QUOTE) isQuoted = format === 'csv' && !isQuoted;
        else if (chunk[index] === LINE_FEED && !isQuoted) {
          records += 1;
          [start, end] = [end, offset + index + 1];
        }
      }
      offset += read;
    }
    const last = Buffer.alloc(end - start);
    readSync(file, last, 0, last.length, start);
    return { records: offset === end ? records : Number.NaN, last: last.toString() };
  } finally {
    closeSync(file);
  }
}

/** Returns the key of a record. */
function keyOf(record: string, format: ExportFormat): EntryKey {
  if (format === 'jsonl') return JSON.parse(record);
  const [[uid = '', entryId = ''] = []] = parse(record);
  return { uid: fromSpreadsheet(uid), entryId: fromSpreadsheet(entryId) };
}

/**
 * Checks that a finished export has as many records as entries were exported, and ends with the last of them.
 * @throws Failure if it does not
 */
export function checkExport(
  path: string,
  { format, entries, last }: { format: ExportFormat; entries: number; last: EntryKey | undefined },
): void {
  const found = readRecords(path, format);
  const inFile = found.records - (format === 'csv' ? 1 : 0);
  if (inFile !== entries) {
    throw new Failure('negative', `${path} holds ${inFile} entries instead of ${entries}.`);
  }
  if (last === undefined) return;
  const key = keyOf(found.last, format);
  if (key.uid !== last.uid || key.entryId !== last.entryId) {
    throw new Failure('negative', `${path} does not end with the last entry, ${last.entryId} of UID ${last.uid}.`);
  }
}
