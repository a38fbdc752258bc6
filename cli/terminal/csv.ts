import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { Failure } from './failure.ts';

/** A line of a CSV file: its number, starting at 1, and its cells by column. */
export interface CsvLine<Column extends string> {
  readonly line: number;
  readonly cells: Readonly<Partial<Record<Column, string>>>;
}

/**
 * Reads a CSV file. Its first line names its columns, in any order and case.
 * @param columns the allowed columns; those in `required` must exist
 * @throws Failure if the file is not CSV, lacks a required column or has an unknown one
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
      ...unknown.map((column) => `has an unknown column ${JSON.stringify(column)}`),
    ];
    throw new Failure('usage', `${path} ${problems.join(' and ')}.`, {
      advice: `Its first line must name its columns: ${columns.join(',')}${required.length < columns.length ? ` (required: ${required.join(',')})` : ''}.`,
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

/** A cell of text that a team chose freely. A spreadsheet would run it as a formula if it began like one. */
export interface FreeText {
  readonly freeText: string;
}

/** One cell of CSV. Undefined is an empty cell. */
export type Cell = string | number | bigint | FreeText | undefined;

/** Writes free text so that no spreadsheet runs it: an apostrophe goes in front of text that begins like a formula. */
const castFreeText = ({ freeText }: FreeText) => ({ value: freeText, escape_formulas: true });

/**
 * Formats one line of CSV (RFC 4180, but the line ends with a line feed alone). Only free text is escaped: a value of the
 * service, such as a signature that begins with `+`, stays as it is.
 */
export const csvLine = (cells: readonly Cell[]): string =>
  stringify([cells.map((cell) => (typeof cell === 'object' ? cell : String(cell ?? '')))], {
    cast: { object: (cell) => castFreeText(cell as unknown as FreeText) },
  });
