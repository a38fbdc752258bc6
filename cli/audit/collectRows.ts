import type { Finding } from './findings.ts';
import type { Partitions } from './partitions.ts';
import type { RowsPart } from './rowsPart.ts';

/** The number of rows that were read, and of those whose arrival attributes name another leaf. */
export interface RowCounts {
  readonly rows: number;
  readonly suspects: number;
}

/**
 * Adds the records of rows to their partitions, and reports what is wrong with the rows.
 * @param before the counts before these rows
 * @returns the counts after them
 */
export function collectRows(
  { records, ends, suspectsAt, rows, suspects, findings }: RowsPart,
  {
    partitions,
    before,
    report,
  }: { readonly partitions: Partitions; readonly before: RowCounts; readonly report: (finding: Finding) => void },
): RowCounts {
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  for (const at of suspectsAt) view.setUint32(at, view.getUint32(at) + before.suspects);
  let start = 0;
  for (const [partition, end] of ends.entries()) {
    partitions.addAll(partition, records.subarray(start, end));
    start = end;
  }
  for (const finding of findings) report(finding);
  return { rows: before.rows + rows, suspects: before.suspects + suspects };
}
