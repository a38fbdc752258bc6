import { csvLine } from '../text/csvLine.ts';
import type { Row } from './format.ts';
import type { Terminal } from './terminal.ts';

/** Writes rows to stdout as CSV. The keys of the first row are the column names. */
export async function printCsv(terminal: Terminal, rows: Iterable<Row> | AsyncIterable<Row>): Promise<void> {
  let isFirst = true;
  for await (const row of rows) {
    const cells = Object.values(row).map((cell) => (typeof cell === 'string' ? { freeText: cell } : cell));
    await terminal.write(`${isFirst ? csvLine(Object.keys(row)) : ''}${csvLine(cells)}`);
    isFirst = false;
  }
}
