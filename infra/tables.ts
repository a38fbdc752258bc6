import { functionTables, mapKeys, tableOf } from '../functions/tables.ts';

/** All tables: of the functions, and of people only. */
export const tables = {
  ...functionTables,
  // Items: cli/review/verdicts/record.ts. docs/decisions.md#two-reviewers says why the author is the partition key.
  reviews: tableOf<{ readonly author: string; readonly id: string }>({
    name: 'Reviews',
    partitionKey: { name: 'author', type: 'S' },
    sortKey: { name: 'id', type: 'S' },
  }),
} as const;

export type TableId = keyof typeof tables;

export const perTable = <Value>(value: (id: TableId) => Value): Record<TableId, Value> => mapKeys(tables, value);
