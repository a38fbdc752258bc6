import { stringify } from 'csv-stringify/sync';
import { keepDigits, toSpreadsheet } from './spreadsheet.ts';

/** One cell of CSV: undefined is empty; a spreadsheet would run `freeText`, chosen by a team, if it is a formula. */
export type Cell = string | number | bigint | { readonly freeText: string } | undefined;

/**
 * Formats one line of CSV (RFC 4180, but with a line feed alone). Only free text is protected from running as a
 * formula: a signature that begins with `+` stays as it is. Long numbers are protected from being shortened in both.
 */
export const csvLine = (cells: readonly Cell[]): string =>
  stringify([
    cells.map((cell) => (typeof cell === 'object' ? toSpreadsheet(cell.freeText) : keepDigits(String(cell ?? '')))),
  ]);
