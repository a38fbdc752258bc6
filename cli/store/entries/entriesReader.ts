import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  GetCommand,
  paginateQuery,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import type { Entry } from '../../../functions/ailog/entry.ts';
import { byUid } from '../../shell/text/uid.ts';
import { type OpenedTarget, toEntry } from '../targets/openedTarget.ts';
import { conditionsOf, type EntryFilter, type EntryKey, fieldsMatch, keyMatches, keyText } from './entryFilter.ts';
import { queryRaw } from './rawItems.ts';

export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly scanned: number;
  /** The key to pass as `after` for the next page. Absent on the last page. */
  readonly next?: EntryKey;
}

const BATCH = 100;

/** The last sort key that DynamoDB accepts: the largest code point, up to 1024 bytes. No entry id sorts after it. */
const LAST_ENTRY_ID = '\u{10ffff}'.repeat(256);

const keyOf = ({ uid, entryId }: Partial<EntryKey>): EntryKey => ({ uid, entryId }) as EntryKey;

/** Returns read access to the entries in a table, for reviewers. The function's role does not allow these calls. */
export const entriesReader = ({ db, tables }: Pick<OpenedTarget, 'db' | 'tables'>) => {
  const TableName = tables.aiLogs;
  const query = (condition: Omit<QueryCommandInput, 'TableName'>, startingToken?: Record<string, unknown>) =>
    paginateQuery({ client: db, startingToken }, { TableName, ...condition });

  /** Reads at most 100 entries by their keys, strongly consistent. */
  const readBatch = async (keys: readonly EntryKey[]): Promise<Entry[]> => {
    const entries: Entry[] = [];
    let Keys: Record<string, unknown>[] = keys.map(keyOf);
    while (Keys.length > 0) {
      const RequestItems = { [TableName]: { Keys, ConsistentRead: true } };
      const { Responses, UnprocessedKeys } = await db.send(new BatchGetCommand({ RequestItems }));
      entries.push(...(Responses?.[TableName] ?? []).map(toEntry));
      // At 16 MB, or while DynamoDB throttles, it leaves some for the next call.
      Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
    }
    return entries;
  };

  /** Reads the entries of keys, in their order, strongly consistent. One that was deleted since is left out. */
  const readAll = async (keys: readonly EntryKey[]): Promise<Entry[]> => {
    const starts = Array.from({ length: Math.ceil(keys.length / BATCH) }, (_, index) => index * BATCH);
    const read = (start: number) => readBatch(keys.slice(start, start + BATCH));
    const found = (await pMap(starts, read, { concurrency: 4 })).flat();
    const byKey = new Map(found.map((entry) => [keyText(entry), entry]));
    return keys.map((key) => byKey.get(keyText(key))).filter((entry) => entry !== undefined);
  };

  /** Reads the keys of the entries of an order from the index, page by page. It is eventually consistent. */
  async function* keysOfOrder(orderId: bigint, after?: EntryKey) {
    const ofOrder = {
      IndexName: 'byOrderId',
      KeyConditionExpression: 'orderId = :orderId',
      ExpressionAttributeValues: { ':orderId': orderId },
    };
    const pages = query(ofOrder, after && { ...keyOf(after), orderId });
    for await (const { Items = [], LastEvaluatedKey: last } of pages) yield { keys: Items.map(keyOf), last };
  }

  return {
    async get(key: EntryKey): Promise<Entry | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName, Key: keyOf(key), ConsistentRead: true }));
      return Item && toEntry(Item);
    },

    readAll,

    /** Reads the keys of an `arrivalSlot` from the index: eventually consistent, and only what the service wrote. */
    async keysOfSlot(slot: string): Promise<EntryKey[]> {
      const pages = query({
        IndexName: 'byArrival',
        KeyConditionExpression: 'slot = :slot',
        ExpressionAttributeValues: { ':slot': slot },
      });
      return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items.map(keyOf));
    },

    /** Reads at most `limit` entries of a UID, strongly consistent, and returns those that match a filter. */
    async page(
      uid: string,
      filter: EntryFilter,
      { after, limit, newestFirst = false }: { after?: EntryKey | undefined; limit: number; newestFirst?: boolean },
    ): Promise<EntryPage> {
      const command = new QueryCommand({
        TableName,
        ...conditionsOf(filter, uid),
        ConsistentRead: true,
        ExclusiveStartKey: after,
        Limit: limit,
        ScanIndexForward: !newestFirst,
      });
      const { items, scanned, last } = await queryRaw(db, command);
      const entries = items.map(toEntry).filter((entry) => fieldsMatch(entry, filter));
      return { entries, scanned, ...(last && { next: keyOf(last) }) };
    },

    /** Reads the entries of an order that match a filter, page by page, in no particular order. */
    async *pagesOfOrder(filter: EntryFilter & { orderId: bigint }, after?: EntryKey): AsyncGenerator<EntryPage> {
      for await (const { keys, last } of keysOfOrder(filter.orderId, after)) {
        const found = await readAll(keys.filter((key) => keyMatches(key, filter)));
        const entries = found.filter((entry) => fieldsMatch(entry, filter));
        yield { entries, scanned: keys.length, ...(last && { next: keyOf(last) }) };
      }
    },

    /**
     * Reads the newest entries of an order, at most `limit` for each UID that names it, so that the work for one UID
     * does not grow with the entries of another.
     * @returns for each UID, in order: its entries, the newest first, and the number of those not read
     */
    async newestOfOrder(filter: EntryFilter & { orderId: bigint }, limit: number) {
      const pages = await Array.fromAsync(keysOfOrder(filter.orderId));
      const keys = pages.flatMap((page) => page.keys).filter((key) => keyMatches(key, filter));
      const byTeam = Map.groupBy(keys, ({ uid }) => uid);
      const found: { uid: string; entries: Entry[]; more: number }[] = [];
      for (const [uid, ofTeam] of [...byTeam].sort(([a], [b]) => byUid({ uid: a }, { uid: b }))) {
        const left = ofTeam.sort((a, b) => (a.entryId < b.entryId ? 1 : -1));
        const entries: Entry[] = [];
        while (entries.length < limit && left.length > 0) {
          const read = await readAll(left.splice(0, limit - entries.length));
          entries.push(...read.filter((entry) => fieldsMatch(entry, filter)));
        }
        if (entries.length > 0) found.push({ uid, entries, more: left.length });
      }
      return found;
    },

    /** Reads the ids of a UID's entries that begin with a text, the oldest first. */
    async idsWithPrefix(uid: string, prefix: string, limit: number): Promise<string[]> {
      const command = new QueryCommand({
        TableName,
        KeyConditionExpression: 'uid = :uid AND begins_with(entryId, :prefix)',
        ExpressionAttributeValues: { ':uid': uid, ':prefix': prefix },
        ProjectionExpression: 'entryId',
        ConsistentRead: true,
        Limit: limit,
      });
      const { Items = [] } = await db.send(command);
      return Items.map(({ entryId }) => entryId);
    },

    /** Reads the key and the time of receipt of the newest entry of a UID, one item; undefined: it has no entries. */
    async newestOf(uid: string): Promise<(EntryKey & Pick<Entry, 'receivedAt'>) | undefined> {
      const command = new QueryCommand({
        TableName,
        KeyConditionExpression: 'uid = :uid',
        ExpressionAttributeValues: { ':uid': uid },
        ProjectionExpression: 'uid, entryId, receivedAt',
        Limit: 1,
        ScanIndexForward: false,
      });
      return (await db.send(command)).Items?.[0] as (EntryKey & Pick<Entry, 'receivedAt'>) | undefined;
    },

    /** Reads all UIDs after `last`, in the order of a scan. Each read skips to the last id that a UID can have. */
    async *uids(last?: string): AsyncGenerator<string> {
      let from = last;
      do {
        const command = new ScanCommand({
          TableName,
          Limit: 1,
          ProjectionExpression: 'uid',
          ConsistentRead: true,
          ExclusiveStartKey: from === undefined ? undefined : { uid: from, entryId: LAST_ENTRY_ID },
        });
        const { Items = [], LastEvaluatedKey }: ScanCommandOutput = await db.send(command);
        for (const { uid } of Items) yield uid;
        from = LastEvaluatedKey?.uid;
      } while (from !== undefined);
    },

    /** Returns the description of the table. DynamoDB updates its size and number of entries every six hours. */
    async describe() {
      const { Table = {} } = await db.send(new DescribeTableCommand({ TableName }));
      return Table;
    },
  };
};
