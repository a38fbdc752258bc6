/**
 * The tables of the functions. Variables of the environment, outputs and physical names follow from their names here.
 */
import type { Entry } from './ailog/entry.ts';
import type { AllowlistEntry } from './allowlist/allowlist.ts';
import type { ApiKey } from './auth/apiKeys.ts';
import type { ReceiptKeyItem } from './tlog/receiptKeyTable.ts';
import type { WeightItem } from './weights/weights.ts';

/** A key attribute. `S` is a string, `N` a number, `B` bytes. */
type KeyAttribute<Name = string> = Readonly<{ name: Name; type: 'S' | 'N' | 'B' }>;

type Key<Name = string> = Readonly<{ partitionKey: KeyAttribute<Name>; sortKey?: KeyAttribute<Name> }>;

/** A table. `timeToLive`: the attribute with the expiry time of an item, in seconds since 1970. */
export interface TableShape<Name = string> extends Key<Name> {
  readonly name: string;
  readonly indexes?: Readonly<Record<string, Key<Name>>>;
  readonly timeToLive?: Name;
}

/** Declares a table. The type checks that its keys are attributes of its items. */
export const tableOf = <Item>(shape: TableShape<keyof Item & string>): TableShape => shape;

/** All indexes project keys only. Items found by an index are read from the table, strongly consistent. */
export const functionTables = {
  allowlist: tableOf<AllowlistEntry>({ name: 'Allowlist', partitionKey: { name: 'uid', type: 'S' } }),
  apiKeys: tableOf<ApiKey>({
    name: 'ApiKeys',
    partitionKey: { name: 'accessKey', type: 'S' },
    indexes: { byUid: { partitionKey: { name: 'uid', type: 'S' } } },
  }),
  weights: tableOf<WeightItem>({
    name: 'Weights',
    partitionKey: { name: 'subjectWindow', type: 'S' },
    timeToLive: 'expiresAt',
  }),
  aiLogs: tableOf<Entry>({
    name: 'AiLogs',
    partitionKey: { name: 'uid', type: 'S' },
    sortKey: { name: 'entryId', type: 'S' },
    timeToLive: 'expiresAt',
    indexes: {
      byOrderId: { partitionKey: { name: 'orderId', type: 'N' } },
      byArrival: { partitionKey: { name: 'slot', type: 'S' }, sortKey: { name: 'arrival', type: 'B' } },
    },
  }),
  /** The sealed keys of receipts, and how far the transparency log has come. */
  receiptKeys: tableOf<ReceiptKeyItem>({ name: 'ReceiptKeys', partitionKey: { name: 'id', type: 'S' } }),
} as const;

export type FunctionTableId = keyof typeof functionTables;

/** Returns a record with one value per key of a record of tables. */
export const mapKeys = <Id extends string, Value>(of: Readonly<Record<Id, unknown>>, value: (id: Id) => Value) =>
  Object.fromEntries((Object.keys(of) as Id[]).map((id) => [id, value(id)])) as Record<Id, Value>;

/** Returns the name of the environment variable for a table's physical name, such as `API_KEYS_TABLE`. */
export const tableVariable = (id: FunctionTableId): string =>
  `${functionTables[id].name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}_TABLE`;

/** Returns the environment variables with the names of the tables of the functions. @param names physical names */
export const tableEnvironment = (names: Readonly<Record<FunctionTableId, string>>): Record<string, string> =>
  Object.fromEntries(Object.values(mapKeys(functionTables, (id) => [tableVariable(id), names[id]])));
