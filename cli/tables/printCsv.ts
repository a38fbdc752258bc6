import { csvLine } from '../files/csv.ts';
import type { Row } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Writes rows to stdout as CSV. The keys of the first row are the column names. */
export async function printCsv(terminal: Terminal, rows: readonly Row[]): Promise<void> {
  if (rows[0]) await terminal.write(csvLine(Object.keys(rows[0])));
  for (const row of rows) {
    await terminal.write(
      csvLine(Object.values(row).map((cell) => (typeof cell === 'string' ? { freeText: cell } : cell))),
    );
  }
}
