/**
 * The four tables, as data: the stack creates them in AWS, the local run and the tests on the embedded engine.
 * What each one holds is told where it is read: `auth/apiKeys.ts`, `allowlist/allowlist.ts`, `weights/weights.ts`, `ailog/entries.ts`.
 */

/** A key attribute: `S` is a string, `N` a number. */
interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

/** One table: its primary key, its indexes by name, and the attribute (epoch seconds) that expires its items. */
export interface TableShape {
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  readonly indexes?: Readonly<Record<string, { readonly partitionKey: KeyAttribute; readonly sortKey?: KeyAttribute }>>;
  readonly timeToLive?: string;
}

/** Every index projects keys only: what it finds is then read from the table, strongly consistent. */
export const tables = {
  allowlist: {
    partitionKey: { name: 'uid', type: 'S' },
  },
  apiKeys: {
    partitionKey: { name: 'accessKey', type: 'S' },
    indexes: { byUid: { partitionKey: { name: 'uid', type: 'S' } } },
  },
  weights: {
    partitionKey: { name: 'subjectWindow', type: 'S' },
    timeToLive: 'expiresAt',
  },
  aiLogs: {
    partitionKey: { name: 'uid', type: 'S' },
    sortKey: { name: 'entryId', type: 'S' },
    timeToLive: 'expiresAt',
    indexes: { byOrderId: { partitionKey: { name: 'orderId', type: 'N' } } },
  },
} as const satisfies Record<string, TableShape>;

/** The name of a table in this project; its physical name is the stack's to give. */
export type TableId = keyof typeof tables;
