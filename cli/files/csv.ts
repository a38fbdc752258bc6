import { readFileSync, statSync } from 'node:fs';
import { type CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { keepDigits, toSpreadsheet } from '../text/spreadsheet.ts';

/** Names the encoding of bytes that are not UTF-8, as far as they show it. */
function guessEncoding(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  return mark === 'fffe' || mark === 'feff' || bytes.includes(0) ? 'UTF-16' : 'Latin-1 (Windows-1252)';
}

/**
 * Reads a text file in UTF-8, with or without a byte-order mark.
 * @throws Failure that names the line and the likely encoding if it is not UTF-8
 */
function readUtf8(path: string): string {
  if (statSync(path).isDirectory())
    throw new Failure('usage', `${path} is a directory.`, { advice: 'Give a CSV file.' });
  const bytes = readFileSync(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // The message below says more than the decoder's error.
  }
  const good = new TextDecoder('utf-8').decode(bytes).split(/[\ufffd\0]/)[0] ?? '';
  const line = good.split('\n').length;
  throw new Failure('usage', `${path} is not UTF-8: line ${line} looks like ${guessEncoding(bytes)}.`, {
    advice: 'Save it again as UTF-8. Excel calls this format "CSV UTF-8".',
  });
}

/** Returns the separator that a line of column names uses: a comma, a semicolon or a tab. */
function findSeparator(heads: string): string {
  const outsideQuotes = heads.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((separator) => [separator, outsideQuotes.split(separator).length] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/**
 * Reads the text of a CSV file as spreadsheets write it. Some separate cells by semicolons or tabs, and some announce
 * it in a first line `sep=;`.
 * @returns the text, its separator, and the number of the line before the text
 * @throws Failure if the file is not UTF-8
 */
function readCsvText(path: string): { text: string; separator: string; linesBefore: number } {
  const text = readUtf8(path);
  const [announcement, separator] = /^sep=([,;\t])\r?\n/i.exec(text) ?? [];
  if (announcement && separator) return { text: text.slice(announcement.length), separator, linesBefore: 1 };
  const [heads = ''] = text.trimStart().split(/\r?\n/, 1);
  return { text, separator: findSeparator(heads), linesBefore: 0 };
}

/** A line of a CSV file: its number, starting at 1, and its cells by column. */
export interface CsvLine<Column extends string> {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Column, string>>>;
}

/** The columns that are read from a CSV file, and those that it must have. */
interface Columns<Column extends string> {
  readonly columns: readonly Column[];
  readonly required: readonly Column[];
}

/** Creates a check that returns the column names of a file as they are declared, and notes those that are ignored. */
function checkHeads<Column extends string>(
  terminal: Pick<Terminal, 'note'>,
  path: string,
  { columns, required }: Columns<Column>,
) {
  const known = new Map(columns.map((column) => [column.toLowerCase(), column]));
  return (heads: string[]) => {
    const named = heads.map((head) => known.get(head.trim().toLowerCase()) ?? head);
    const missing = required.filter((column) => !named.includes(column));
    const repeated = columns.filter((column) => named.indexOf(column) !== named.lastIndexOf(column));
    const problems = [
      ...missing.map((column) => `has no column ${column}`),
      ...repeated.map((column) => `has the column ${column} twice`),
    ];
    if (problems.length > 0) {
      throw new Failure('usage', `${path} ${problems.join(' and ')}.`, {
        advice: `Its first line must name its columns: ${columns.join(',')}${required.length < columns.length ? ` (required: ${required.join(',')})` : ''}.`,
      });
    }
    const ignored = named.filter((head) => head !== '' && !columns.includes(head as Column));
    if (ignored.length > 0) terminal.note(`Ignored columns: ${ignored.join(', ')}.`);
    return named;
  };
}

/** The lines of a CSV file, and the problems of malformed lines by line number. */
interface CsvLines<Column extends string> {
  readonly lines: CsvLine<Column>[];
  readonly problems: Map<number, string>;
}

/**
 * Reads a CSV file whose columns may have any names. The separator is a comma, a semicolon or a tab.
 * @param nameColumns receives the column names of the file, and returns a name for each; it may throw a Failure
 * @throws Failure if the file is not UTF-8 or not CSV, or is empty
 */
export function readCsvRecords<Column extends string>(
  path: string,
  nameColumns: (heads: string[]) => string[],
): CsvLines<Column> {
  const { text, separator, linesBefore } = readCsvText(path);
  const problems = new Map<number, string>();
  let quote: string | undefined;
  const options = {
    columns: nameColumns,
    delimiter: separator,
    info: true,
    skip_empty_lines: true,
    trim: true,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined): undefined => {
      const line = linesBefore + Number(error?.lines);
      if (error?.code === 'CSV_RECORD_INCONSISTENT_COLUMNS') problems.set(line, describeCells(error));
      else quote ??= `line ${line}: ${error?.message.replace(/ at line.*$/, '')}`;
    },
  };
  let records: { info: { lines: number }; record: CsvLine<Column>['cells'] }[];
  try {
    records = parse(text, options) as never;
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('usage', `${path} is not CSV: ${(cause as Error).message}.`, { cause });
  }
  // A wrong quote may hide the lines after it, so no line of the file counts.
  if (quote !== undefined) throw new Failure('usage', `${path} is not CSV, ${quote}.`);
  if (records.length === 0 && problems.size === 0) {
    throw new Failure('usage', `${path} ${text.trim() === '' ? 'is empty' : 'has no lines below its column names'}.`);
  }
  return { lines: records.map(({ info, record }) => ({ line: linesBefore + info.lines, cells: record })), problems };
}

/**
 * Reads a CSV file. Its first line names its columns, in any order and case. Other columns are ignored, with a note.
 * @throws Failure if the file is not UTF-8 or not CSV or is empty, or lacks a required column
 */
export const readCsvLines = <Column extends string>(
  terminal: Pick<Terminal, 'note'>,
  path: string,
  columns: Columns<Column>,
): CsvLines<Column> => readCsvRecords(path, checkHeads(terminal, path, columns));

function describeCells(error: CsvError): string {
  const { record, columns } = error as CsvError & Record<'record' | 'columns', unknown>;
  const [cells, named] = [record, columns].map((list) => (Array.isArray(list) ? list.length : 0));
  return `cells: ${cells}, but columns in the first line: ${named}`;
}

/** A cell of text that a team chose freely. A spreadsheet would run it as a formula if it looked like one. */
interface FreeText {
  readonly freeText: string;
}

/** One cell of CSV. Undefined is an empty cell. */
export type Cell = string | number | bigint | FreeText | undefined;

/**
 * Formats one line of CSV (RFC 4180, but the line ends with a line feed alone). Only free text is protected from
 * running as a formula: a value of the service, such as a signature that begins with `+`, stays as it is. Long numbers
 * are protected from being shortened in both.
 */
export const csvLine = (cells: readonly Cell[]): string =>
  stringify([
    cells.map((cell) => (typeof cell === 'object' ? toSpreadsheet(cell.freeText) : keepDigits(String(cell ?? '')))),
  ]);
