import { keepDigits, toSpreadsheet } from './spreadsheet.ts';

/** One cell of CSV: undefined is empty; a spreadsheet would run `freeText`, chosen by a team, if it is a formula. */
export type Cell = string | number | bigint | { readonly freeText: string } | undefined;

/** Returns the text of a cell, in quotation marks if it would end the cell or the line. */
const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Formats a line of CSV (RFC 4180, with a line feed alone): free text is no formula, and numbers stay whole. */
export const csvLine = (cells: readonly Cell[]): string => {
  const texts = cells.map((cell) =>
    typeof cell === 'object' ? toSpreadsheet(cell.freeText) : keepDigits(String(cell ?? '')),
  );
  return `${texts.map(quote).join(',')}\n`;
};
