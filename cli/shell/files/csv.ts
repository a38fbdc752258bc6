import { type CsvError, parse } from 'csv-parse/sync';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { decodeUtf8 } from './decodeUtf8.ts';
import { readWhole } from './readWhole.ts';

/** Returns the separator that a line of column names uses: a comma, a semicolon or a tab. */
export function findSeparator(heads: string): string {
  const outsideQuotes = heads.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t'].map((separator) => [separator, outsideQuotes.split(separator).length] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** A line of a CSV file: its number, starting at 1, and its cells by column. */
export interface CsvLine<Column extends string> {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Column, string>>>;
}

/** The columns that are read from a CSV file, and those that it must have. */
type Columns<Column extends string> = Readonly<Record<'columns' | 'required', readonly Column[]>>;

/** Returns the column names of a file as they are declared, and notes those that are ignored. */
function nameColumns<Column extends string>(
  terminal: Pick<Terminal, 'note'>,
  path: string,
  { columns, required }: Columns<Column>,
  heads: readonly string[],
): string[] {
  const known = new Map<string, string>(columns.map((column) => [column.toLowerCase(), column]));
  const named = heads.map((head) => known.get(head.trim().toLowerCase()) ?? head);
  const missing = required.filter((column) => !named.includes(column));
  const repeated = columns.filter((column) => named.indexOf(column) !== named.lastIndexOf(column));
  const problems = [
    ...missing.map((column) => `has no column ${column}`),
    ...repeated.map((column) => `has the column ${column} twice`),
  ];
  if (problems.length > 0) {
    const needed = required.length < columns.length ? ` (required: ${required.join(',')})` : '';
    const advice = `Its first line must name its columns: ${columns.join(',')}${needed}.`;
    throw new Failure('usage', `${path} ${problems.join(' and ')}.`, { advice });
  }
  const ignored = named.filter((head) => head !== '' && !columns.includes(head as Column));
  if (ignored.length > 0) terminal.note(`Ignored columns: ${ignored.join(', ')}.`);
  return named;
}

/** The largest file that is parsed at once, and the most malformed lines. Lists of admins have a hundredth. */
const LIMIT_BYTES = 2 * 1024 * 1024;
const MOST_MALFORMED = 1000;

/**
 * Reads a CSV file as spreadsheets write it: the separator is a comma, a semicolon or a tab, and a first line `sep=;`
 * may announce it. Its first line names its columns, in any order and case. Other columns are ignored, with a note.
 * @returns its lines, and the problems of malformed lines by line number
 * @throws Failure if the file is too large, is not UTF-8 or not CSV or is empty, or lacks a required column
 */
export function readCsvLines<Column extends string>(
  terminal: Pick<Terminal, 'note'>,
  path: string,
  columns: Columns<Column>,
): { lines: CsvLine<Column>[]; problems: Map<number, string> } {
  const whole = decodeUtf8(path, readWhole(path, LIMIT_BYTES, 'Give several files.'));
  const [announcement = '', announced] = /^sep=([,;\t])\r?\n/i.exec(whole) ?? [];
  const text = whole.slice(announcement.length);
  const linesBefore = announced ? 1 : 0;
  const problems = new Map<number, string>();
  const options = {
    columns: (heads: string[]) => nameColumns(terminal, path, columns, heads),
    delimiter: announced ?? findSeparator(text.trimStart().split(/\r?\n/, 1)[0] as string),
    info: true,
    skip_empty_lines: true,
    trim: true,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined): undefined => {
      const line = linesBefore + Number(error?.lines);
      // A wrong quote may hide the lines after it, so no line of the file counts.
      if (error?.code !== 'CSV_RECORD_INCONSISTENT_COLUMNS')
        throw new Failure('usage', `${path} is not CSV, line ${line}: ${error?.message.replace(/ at line.*$/s, '')}.`);
      problems.set(line, describeCells(error));
      if (problems.size > MOST_MALFORMED)
        throw new Failure('usage', `${path} has more than ${MOST_MALFORMED} lines with too few or too many cells.`);
    },
  };
  let records: { info: { lines: number }; record: CsvLine<Column>['cells'] }[];
  try {
    records = parse(text, options) as never;
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('usage', `${path} is not CSV: ${(cause as Error).message}.`, { cause });
  }
  if (records.length === 0 && problems.size === 0) {
    throw new Failure('usage', `${path} ${text.trim() === '' ? 'is empty' : 'has no lines below its column names'}.`);
  }
  return { lines: records.map(({ info, record }) => ({ line: linesBefore + info.lines, cells: record })), problems };
}

/** Says how many cells a malformed line has, and how many columns the first line names. */
function describeCells(error: CsvError): string {
  const { record, columns } = error as CsvError & Record<'record' | 'columns', unknown>;
  const [cells, named] = [record, columns].map((list) => (Array.isArray(list) ? list.length : 0));
  return `cells: ${cells}, but columns in the first line: ${named}`;
}
