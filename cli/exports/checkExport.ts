import { closeSync, openSync, readSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { parseJson } from '../../functions/ailog/plainNames.ts';
import { type EntryKey, keyText } from '../entries/entryFilter.ts';
import { Failure } from '../terminal/failure.ts';
import { fromSpreadsheet } from '../text/spreadsheet.ts';
import type { ExportFormat } from './exportPage.ts';

const CHUNK_BYTES = 1024 * 1024;
const [QUOTE, LINE_FEED] = [0x22, 0x0a];

/** Creates a lookup of the end of the next record in a chunk, -1 if there is none. Chunks must come in order. */
function recordEnds(format: ExportFormat): (chunk: Buffer, from: number) => number {
  if (format === 'jsonl') return (chunk, from) => chunk.indexOf(LINE_FEED, from);
  let isQuoted = false;
  // In CSV, a line break within quotes does not end a record.
  return (chunk, from) => {
    for (let index = from, { length } = chunk; index < length; index += 1) {
      const byte = chunk[index] as number;
      if (byte > QUOTE) continue;
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_FEED && !isQuoted) return index;
    }
    return -1;
  };
}

/** Returns the number of records, NaN if the last one has no end, and the text of the last one. */
function readRecords(path: string, format: ExportFormat) {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const endOf = recordEnds(format);
  let [records, offset, start, end] = [0, 0, 0, 0];
  try {
    for (let read = -1; read !== 0; offset += read) {
      read = readSync(file, chunk, 0, CHUNK_BYTES, offset);
      const bytes = chunk.subarray(0, read);
      for (let at = endOf(bytes, 0); at !== -1; at = endOf(bytes, at + 1)) {
        records += 1;
        [start, end] = [end, offset + at + 1];
      }
    }
    const last = Buffer.alloc(end - start);
    readSync(file, last, 0, last.length, start);
    return { records: offset === end ? records : Number.NaN, last: last.toString() };
  } finally {
    closeSync(file);
  }
}

function keyOf(record: string, format: ExportFormat): EntryKey {
  if (format === 'jsonl') return parseJson(record) as EntryKey;
  const [[uid = '', entryId = ''] = []] = parse(record);
  return { uid: fromSpreadsheet(uid), entryId: fromSpreadsheet(entryId) };
}

/** Checks that an export has as many records as were exported, and ends with the last. @throws Failure if not */
export function checkExport(
  path: string,
  { format, entries, last }: { format: ExportFormat; entries: number; last: EntryKey | undefined },
): void {
  const found = readRecords(path, format);
  const inFile = found.records - (format === 'csv' ? 1 : 0);
  if (inFile !== entries) throw new Failure('negative', `${path} holds ${inFile} entries instead of ${entries}.`);
  if (last === undefined) return;
  const key = keyOf(found.last, format);
  if (keyText(key) === keyText(last)) return;
  throw new Failure('negative', `${path} does not end with the last entry, ${last.entryId} of UID ${last.uid}.`);
}
