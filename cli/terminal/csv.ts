import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { Failure } from './failure.ts';

/** A line of a CSV file: its number, from 1, and its cells by column. */
export interface CsvLine<Column extends string> {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Column, string>>>;
}

/**
 * Reads a CSV file whose first line names its columns, in any order and case.
 * @param columns the columns that there are; those in `required` must be there
 * @throws Failure where the file is no CSV, lacks a column or has another one
 */
export function readCsv<Column extends string>(
  path: string,
  { columns, required }: { columns: readonly Column[]; required: readonly Column[] },
): CsvLine<Column>[] {
  const known = new Map(columns.map((column) => [column.toLowerCase(), column]));
  const readHeads = (heads: string[]) => {
    const named = heads.map((head) => known.get(head.trim().toLowerCase()) ?? head);
    const unknown = named.filter((head) => !columns.includes(head as Column));
    const missing = required.filter((column) => !named.includes(column));
    if (unknown.length === 0 && missing.length === 0) return named;
    const problems = [
      ...missing.map((column) => `has no column ${column}`),
      ...unknown.map((column) => `has a column ${JSON.stringify(column)} that is not known`),
    ];
    throw new Failure('usage', `${path} ${problems.join(' and ')}.`, {
      advice: `Its first line must name its columns: ${columns.join(',')}${required.length < columns.length ? ` (needed: ${required.join(',')})` : ''}.`,
    });
  };
  const text = readFileSync(path);
  try {
    const records = parse(text, { bom: true, columns: readHeads, info: true, skip_empty_lines: true, trim: true });
    return (records as unknown as { info: { lines: number }; record: CsvLine<Column>['cells'] }[]).map(
      ({ info, record }) => ({ line: info.lines, cells: record }),
    );
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure('usage', `${path} is not CSV: ${(cause as Error).message}.`, { cause });
  }
}

/**
 * Text that a spreadsheet takes for text: what teams wrote may begin like a formula, and would be run as one. Such a cell
 * gets an apostrophe in front, as spreadsheets themselves mark text.
 */
export const inertText = (text: string): string => (/^[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text);

/** One line of CSV (RFC 4180, but the line ends with a line feed alone). */
export const csvLine = (cells: readonly (string | number | bigint | undefined)[]): string =>
  stringify([cells.map((cell) => (cell === undefined ? '' : String(cell)))]);
