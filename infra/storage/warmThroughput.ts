import type { TableId } from '../tables.ts';

/**
 * The write units per second that a new on-demand table or index takes. A smaller value cannot be set.
 * Source: DynamoDB Developer Guide, "Warm throughput".
 */
const WRITE_UNITS_TAKEN = 4000;

/** The write units of one upload: two counters, and an entry of 5 KB (an AI log of 10 KB, compressed). */
const UPLOAD_WRITE_UNITS: Partial<Record<TableId, number>> = { weights: 2, aiLogs: 5 };

/**
 * Returns the warm throughput of a table, and of each of its indexes, for this many uploads per second, or nothing
 * where a new table takes as much. A minute has few keys in an index: it needs as many partitions as the table.
 */
export function warmThroughputOf(tableId: TableId, uploads = 0) {
  const writeUnitsPerSecond = uploads * (UPLOAD_WRITE_UNITS[tableId] ?? 0);
  return writeUnitsPerSecond > WRITE_UNITS_TAKEN ? { warmThroughput: { writeUnitsPerSecond } } : {};
}
