import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import { parseJson } from '../../../functions/ailog/plainNames.ts';
import { LINE_LIMIT_CHARACTERS, linesOf, openRegularFile } from '../../shell/files/openRegularFile.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { fromSpreadsheet } from '../../shell/text/spreadsheet.ts';

/** A record of an export: its fields by name, as text; null if it has none. */
export interface ExportRecord {
  /** Undefined if the record cannot be read. */
  readonly fields: Readonly<Record<string, string | null>> | undefined;
}

/** Returns the first line of a file that is not blank, without its byte-order mark. */
async function firstLineOf(path: string): Promise<string> {
  for await (const line of linesOf(path)) {
    const text = line.replace(/^\ufeff/, '').trim();
    if (text !== '') return text;
  }
  throw new Failure('usage', `${path} is empty.`);
}

const fieldsOf = (record: object, read: (value: unknown) => string | null) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, read(value)]));

async function* readJsonLines(path: string): AsyncGenerator<ExportRecord> {
  for await (const text of linesOf(path)) {
    const json = text.replace(/^\ufeff/, '');
    if (json.trim() === '') continue;
    try {
      const record = parseJson(json) as object;
      yield { fields: fieldsOf(record, (value) => (value === null ? null : String(value))) };
    } catch {
      yield { fields: undefined };
    }
  }
}

/** Reads CSV. @param delimiter some spreadsheets save with semicolons or tabs */
async function* readCsvRecords(path: string, delimiter: string): AsyncGenerator<ExportRecord> {
  const rows = createReadStream(path, { fd: openRegularFile(path) }).pipe(
    parse({ bom: true, columns: true, delimiter, max_record_size: LINE_LIMIT_CHARACTERS }),
  );
  try {
    for await (const record of rows) {
      yield { fields: fieldsOf(record, (cell) => (cell === '' ? null : fromSpreadsheet(String(cell)))) };
    }
  } catch (cause) {
    throw new Failure('usage', `${path} is not CSV: ${(cause as Error).message}.`, { cause });
  }
}

/** Reads the records of an export, JSON lines or CSV, one after the other. @throws Failure if the file is neither */
export async function* readExport(path: string): AsyncGenerator<ExportRecord> {
  const head = await firstLineOf(path);
  if (head.startsWith('{')) return yield* readJsonLines(path);
  const [, delimiter] = /^"?uid"?([,;\t])/.exec(head) ?? [];
  if (delimiter) return yield* readCsvRecords(path, delimiter);
  const advice = 'ailog logs export writes JSON lines, or CSV whose first line begins with uid.';
  throw new Failure('usage', `${path} is not an export.`, { advice });
}
