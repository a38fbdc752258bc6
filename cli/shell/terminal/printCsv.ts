import { csvLine } from '../text/csvLine.ts';
import type { Row } from './format.ts';

/** Yields rows as lines of CSV. The keys of the first row are the column names. */
export async function* csvLines(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const row of rows) {
    const cells = Object.values(row).map((cell) => (typeof cell === 'string' ? { freeText: cell } : cell));
    yield `${isFirst ? csvLine(Object.keys(row)) : ''}${csvLine(cells)}`;
    isFirst = false;
  }
}
