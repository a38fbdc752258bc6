import type { TableId } from '../tables.ts';

/**
 * The write units per second that a new on-demand table or index takes. A smaller value cannot be set.
 * Source: DynamoDB Developer Guide, "Warm throughput".
 */
const WRITE_UNITS_TAKEN = 4000;

/** The write units of one upload: two counters, and an entry of 5 KB (an AI log of 10 KB, compressed). */
const UPLOAD_WRITE_UNITS = { weights: 2, aiLogs: 5 } as const;

type WrittenTable = keyof typeof UPLOAD_WRITE_UNITS;

const isWritten = (tableId: TableId): tableId is WrittenTable => tableId in UPLOAD_WRITE_UNITS;

/** Returns the property for a number of write units per second, or nothing where a new table takes as much. */
const warm = (writes: number) =>
  writes > WRITE_UNITS_TAKEN ? { warmThroughput: { writeUnitsPerSecond: writes } } : {};

/**
 * Returns the warm throughput of a table, and of each of its indexes, for this many uploads per second. An index takes
 * fewer units, but a minute has few keys in it: it needs as many partitions as the table, so that none has several.
 */
export const warmThroughputOf = (tableId: TableId, uploads = 0) =>
  isWritten(tableId) ? warm(uploads * UPLOAD_WRITE_UNITS[tableId]) : {};
