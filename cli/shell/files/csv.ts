import { type CsvError, parse } from 'csv-parse/sync';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { decodeUtf8 } from './decodeUtf8.ts';
import { placesOf } from './headings.ts';
import { readWhole } from './readWhole.ts';

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

/** The columns that are read from a CSV file, those that it must have, and the headings of these and of other lists. */
type Columns<Column extends string> = Readonly<Record<'columns' | 'required', readonly Column[]>> & {
  readonly names: Readonly<Record<Column, readonly string[]> & Record<string, readonly string[]>>;
};

/** Finds columns by headings, and notes unknown headings. @returns column of each heading; false: not read */
function findColumns<Column extends string>(
  terminal: Pick<Terminal, 'note'>,
  path: string,
  { names, columns, required }: Columns<Column>,
  heads: readonly string[],
): (Column | false)[] {
  const places = new Map(columns.map((column) => [column, placesOf(names[column], heads)]));
  const problems = Array.from(places, ([column, [first, second]]) => {
    if (first === undefined) return required.includes(column) ? `has no column ${column}` : [];
    const named = (place: number) => JSON.stringify(heads[place]);
    return second === undefined ? [] : `has two columns for the ${column}: ${named(first)} and ${named(second)}`;
  }).flat();
  if (problems.length > 0) {
    const needed = required.length < columns.length ? ` (required: ${required.join(',')})` : '';
    const advice = `Its first line must name its columns: ${columns.join(',')}${needed}.`;
    throw new Failure('usage', `${path} ${problems.join(' and ')}.`, { advice });
  }
  const read = heads.map((_, place) => columns.find((column) => places.get(column)?.[0] === place) ?? false);
  const known = new Set(Object.values(names).flatMap((list) => placesOf(list, heads)));
  const ignored = heads.filter((head, place) => head !== '' && read[place] === false && !known.has(place));
  if (ignored.length > 0) terminal.note(`Ignored columns: ${ignored.join(', ')}.`);
  return read;
}

/** The largest file that is parsed at once, and the most malformed lines. Lists of admins have a hundredth. */
const LIMIT_BYTES = 2 * 1024 * 1024;
const MOST_MALFORMED = 1000;

/**
 * Reads a CSV file as spreadsheets write it: with commas, semicolons or tabs, which a first line `sep=;` may announce.
 * The next line names the columns, in any order and case; others and blank lines are ignored.
 * @returns its lines, the problems of malformed ones by line number, the columns that it has, and other headings
 * @throws Failure if the file is too large, not UTF-8, not CSV or empty, or lacks a required column
 */
export function readCsvLines<Column extends string>(
  terminal: Pick<Terminal, 'note'>,
  path: string,
  columns: Columns<Column>,
): { lines: CsvLine<Column>[]; problems: Map<number, string>; found: readonly Column[]; others: readonly string[] } {
  const whole = decodeUtf8(path, readWhole(path, LIMIT_BYTES, 'Give several files.'));
  const [announcement = '', announced] = /^sep=([,;\t])\r?\n/i.exec(whole) ?? [];
  const text = whole.slice(announcement.length);
  const linesBefore = announced ? 1 : 0;
  const problems = new Map<number, string>();
  let [found, others]: [readonly Column[], readonly string[]] = [[], []];
  const options = {
    columns: (heads: string[]) => {
      const read = findColumns(terminal, path, columns, heads);
      found = columns.columns.filter((column) => read.includes(column));
      others = heads.filter((head, place) => head !== '' && read[place] === false);
      return read;
    },
    delimiter: announced ?? findSeparator(text.trimStart().split(/\r?\n/, 1)[0] as string),
    info: true,
    skip_empty_lines: true,
    raw: true,
    trim: true,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined): undefined => {
      const line = linesBefore + Number(error?.lines);
      // A wrong quote may hide the lines after it, so no line of the file counts.
      if (error?.code !== 'CSV_RECORD_INCONSISTENT_COLUMNS')
        throw new Failure('usage', `${path} is not CSV, line ${line}: ${error?.message.replace(/ at line.*$/s, '')}.`);
      if ([error.record].flat().every((cell) => isBlank(String(cell)))) return;
      problems.set(line, describeCells(error));
      if (problems.size > MOST_MALFORMED)
        throw new Failure('usage', `${path} has more than ${MOST_MALFORMED} lines with too few or too many cells.`);
    },
  };
  let records: { info: { lines: number }; record: CsvLine<Column>['cells']; raw: string }[];
  try {
    records = parse(text, options) as never;
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('usage', `${path} is not CSV: ${(cause as Error).message}.`, { cause });
  }
  const lines = records
    .filter(({ raw }) => !raw.split(options.delimiter).every(isBlank))
    .map(({ info, record }) => ({ line: linesBefore + info.lines, cells: record }));
  if (lines.length === 0 && problems.size === 0) {
    throw new Failure('usage', `${path} ${text.trim() === '' ? 'is empty' : 'has no lines below its column names'}.`);
  }
  return { lines, problems, found, others };
}

const isBlank = (cell: string): boolean => cell.replaceAll('"', '').trim() === '';

function describeCells(error: CsvError): string {
  const { record, columns } = error as CsvError & Record<'record' | 'columns', unknown>;
  const [cells, named] = [record, columns].map((list) => (Array.isArray(list) ? list.length : 0));
  return `cells: ${cells}, but columns in the first line: ${named}`;
}
