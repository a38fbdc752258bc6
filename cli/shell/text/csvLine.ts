import { stringify } from 'csv-stringify/sync';
import { keepDigits, toSpreadsheet } from './spreadsheet.ts';

/** One cell of CSV: undefined is empty; a spreadsheet would run `freeText`, chosen by a team, if it is a formula. */
export type Cell = string | number | bigint | { readonly freeText: string } | undefined;

/**
 * Formats one line of CSV (RFC 4180, with a line feed alone). Free text is protected from running as a formula, and
 * long numbers are from being shortened everywhere.
 */
export const csvLine = (cells: readonly Cell[]): string =>
  stringify([
    cells.map((cell) => (typeof cell === 'object' ? toSpreadsheet(cell.freeText) : keepDigits(String(cell ?? '')))),
  ]);
