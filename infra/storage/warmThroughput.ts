import type { TableId } from '../../functions/tables.ts';

/** Units that DynamoDB counts for one upload. */
interface Units {
  readonly reads?: number;
  readonly writes?: number;
}

/** The units per second that a new on-demand table or index takes. A smaller value cannot be set. Source: DynamoDB Developer Guide, "Warm throughput". */
const BASE = { reads: 12_000, writes: 4000 };

/** The units of one upload at each table: two reads, two counters, and an entry of 5 KB, which is a log of 10 KB once compressed. */
const UPLOAD: Partial<Record<TableId, Units>> = {
  allowlist: { reads: 1 },
  apiKeys: { reads: 1 },
  weights: { writes: 2 },
  aiLogs: { writes: 5 },
};

/** The units of one upload at an index: its row by order id, or its row by arrival. */
const INDEX: Units = { writes: 1 };

/** Returns the property for a number of uploads per second, or nothing where the base is enough. */
const warm = (uploads: number | undefined, { reads = 0, writes = 0 }: Units = {}) => {
  if (uploads === undefined) return {};
  const property = {
    ...(uploads * reads > BASE.reads && { readUnitsPerSecond: uploads * reads }),
    ...(uploads * writes > BASE.writes && { writeUnitsPerSecond: uploads * writes }),
  };
  return Object.keys(property).length > 0 ? { warmThroughput: property } : {};
};

/** Returns the warm throughput of a table for this many uploads per second. */
export const warmTable = (tableId: TableId, uploads: number | undefined) => warm(uploads, UPLOAD[tableId]);

/** Returns the warm throughput of each index of a table for this many uploads per second. */
export const warmIndex = (tableId: TableId, uploads: number | undefined) =>
  UPLOAD[tableId]?.writes ? warm(uploads, INDEX) : {};

/** Returns the write units per second that a new table takes from the first second, warmed for this many uploads per second. */
export const writesTaken = (tableId: TableId, uploads = 0): number =>
  Math.max(BASE.writes, uploads * (UPLOAD[tableId]?.writes ?? 0));

/** Returns the least `warmThroughput` with which a new table takes this many write units per second. */
export const uploadsToWarm = (tableId: TableId, writes: number): number =>
  Math.ceil(writes / (UPLOAD[tableId]?.writes ?? 1));

/** The read units per second that a new table takes. */
export const READS_TAKEN = BASE.reads;
