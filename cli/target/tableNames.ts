import { perTable, type TableId, tables } from '../../functions/tables.ts';

/** Returns the physical table names with a prefix. */
export const tableNames = (prefix: string): Record<TableId, string> => perTable((id) => `${prefix}${tables[id].name}`);
