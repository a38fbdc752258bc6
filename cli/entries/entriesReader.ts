import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import type { Entry } from '../../functions/ailog/entry.ts';
import { toEntry } from '../target/attributeValues.ts';
import { byUid } from '../text/uid.ts';
import { conditionsOf, type EntryFilter, type EntryKey, fieldsMatch, keyMatches } from './entryFilter.ts';

/** A page of the entries that match a filter. */
export interface EntryPage {
  readonly entries: readonly Entry[];
  /** The number of entries that were read to find these. */
  readonly scanned: number;
  /**
   * The key to pass as `after` for the next page. Absent on the last page. Its entry id is empty where the next page
   * begins with the first entry of the next UID.
   */
  readonly next?: EntryKey;
}

/**
 * About as many small entries as fit into 1 MB. Without a limit, the embedded engine sorts the whole table for each
 * page.
 */
const PAGE_ENTRIES = 1000;

/** The number of entries that are read by key at the same time. */
const CONCURRENT_READS = 16;

interface PageOptions {
  /** The `next` of the previous page. */
  readonly after?: EntryKey | undefined;
  /** The maximum number of entries to read. DynamoDB reads at most 1 MB at a time. */
  readonly limit?: number;
  /** Returns the newest entries first. Only supported for the entries of chosen UIDs. */
  readonly newestFirst?: boolean;
}

/**
 * The last sort key that DynamoDB accepts: the largest code point, up to 1024 bytes. No entry id sorts after it,
 * whoever wrote it.
 */
const LAST_ENTRY_ID = '\u{10ffff}'.repeat(256);

/**
 * Returns read access to the entries in a DynamoDB table, for reviewers. The function's role does not allow these
 * calls.
 */
export const entriesReader = (db: DynamoDBDocumentClient, tableName: string) => {
  const get = async (key: EntryKey): Promise<Entry | undefined> => {
    const { uid, entryId } = key;
    const command = new GetCommand({ TableName: tableName, Key: { uid, entryId }, ConsistentRead: true });
    const { Item } = await db.send(command);
    return Item && toEntry(Item);
  };

  /** Reads the entries of keys, in their order. An entry that was deleted since is left out. */
  const readAll = async (keys: readonly EntryKey[]): Promise<Entry[]> => {
    const inTurn = pLimit(CONCURRENT_READS);
    const found = await Promise.all(keys.map((key) => inTurn(() => get(key))));
    return found.filter((entry) => entry !== undefined);
  };

  /** Reads a page of the index of order ids. It contains only keys and is eventually consistent. */
  const readOrderKeys = (orderId: bigint, { after, limit }: PageOptions) =>
    db.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: 'byOrderId',
        KeyConditionExpression: 'orderId = :orderId',
        ExpressionAttributeValues: { ':orderId': orderId },
        ...(after && { ExclusiveStartKey: { ...after, orderId } }),
        ...(limit && { Limit: limit }),
      }),
    );

  const readOrderPage = async (filter: EntryFilter & { orderId: bigint }, options: PageOptions): Promise<EntryPage> => {
    const { Items = [], LastEvaluatedKey } = await readOrderKeys(filter.orderId, options);
    const keys = (Items as EntryKey[]).filter((key) => keyMatches(key, filter));
    const found = await readAll(keys);
    const next = LastEvaluatedKey && { uid: LastEvaluatedKey.uid, entryId: LastEvaluatedKey.entryId };
    return {
      entries: found.filter((entry) => fieldsMatch(entry, filter)),
      scanned: Items.length,
      ...(next && { next }),
    };
  };

  const readTablePage = async (filter: EntryFilter, { after, limit, newestFirst }: PageOptions): Promise<EntryPage> => {
    const { uids } = filter;
    const uid = uids && (after?.uid ?? uids[0]);
    if (uids && uid === undefined) return { entries: [], scanned: 0 };
    const { keyCondition, values } = conditionsOf(filter, uid);
    const common = {
      TableName: tableName,
      ConsistentRead: true,
      ExclusiveStartKey: after?.entryId === '' ? undefined : after,
      Limit: limit ?? PAGE_ENTRIES,
      ExpressionAttributeValues: values,
    };
    const {
      Items = [],
      ScannedCount = 0,
      LastEvaluatedKey,
    } = await (uid === undefined
      ? db.send(new ScanCommand({ ...common, FilterExpression: keyCondition }))
      : db.send(
          new QueryCommand({
            ...common,
            KeyConditionExpression: keyCondition,
            ScanIndexForward: !newestFirst,
          }),
        ));
    const nextUid = uids?.[uids.indexOf(uid as string) + 1];
    const next = LastEvaluatedKey
      ? { uid: LastEvaluatedKey.uid, entryId: LastEvaluatedKey.entryId }
      : nextUid !== undefined && { uid: nextUid, entryId: '' };
    return {
      entries: Items.map((item) => toEntry(item as Record<string, unknown>)).filter((entry) =>
        fieldsMatch(entry, filter),
      ),
      scanned: ScannedCount,
      ...(next && { next }),
    };
  };

  return {
    /** Reads an entry, strongly consistent. */
    get,

    /**
     * Reads a page of the entries that match a filter. The entries of a UID come together, oldest first; chosen UIDs
     * come in the order of the filter. The entries of an order come in no particular order. Pages never overlap. Every
     * entry that was stored before the first page was read is on one of them.
     */
    page: (filter: EntryFilter, options: PageOptions = {}): Promise<EntryPage> =>
      filter.orderId === undefined
        ? readTablePage(filter, options)
        : readOrderPage({ ...filter, orderId: filter.orderId }, options),

    /**
     * Reads the newest entries of an order, for each UID that names it. It reads all keys of the order but only these
     * entries, so that the work for one UID does not grow with the entries of another.
     * @param limit the maximum number of entries for each UID
     * @returns for each UID, in the order of UIDs: its entries, the newest first, and the number of those not read
     */
    async newestOfOrder(
      filter: EntryFilter & { orderId: bigint },
      limit: number,
    ): Promise<{ uid: string; entries: Entry[]; more: number }[]> {
      const idsOf = new Map<string, string[]>();
      let after: EntryKey | undefined;
      do {
        const { Items = [], LastEvaluatedKey } = await readOrderKeys(filter.orderId, { after });
        for (const key of Items as EntryKey[]) {
          if (!keyMatches(key, filter)) continue;
          const ids = idsOf.get(key.uid) ?? [];
          ids.push(key.entryId);
          idsOf.set(key.uid, ids);
        }
        after = LastEvaluatedKey && { uid: LastEvaluatedKey.uid, entryId: LastEvaluatedKey.entryId };
      } while (after);

      const found = [];
      for (const [uid, ids] of [...idsOf].sort(([a], [b]) => byUid({ uid: a }, { uid: b }))) {
        const left = ids.sort().reverse();
        const entries: Entry[] = [];
        while (entries.length < limit && left.length > 0) {
          const read = await readAll(left.splice(0, limit - entries.length).map((entryId) => ({ uid, entryId })));
          entries.push(...read.filter((entry) => fieldsMatch(entry, filter)));
        }
        if (entries.length > 0) found.push({ uid, entries, more: left.length });
      }
      return found;
    },

    /** Reads the ids of a UID's entries that begin with a text, the oldest first. */
    async idsWithPrefix(uid: string, prefix: string, limit: number): Promise<string[]> {
      const { Items = [] } = await db.send(
        new QueryCommand({
          TableName: tableName,
          KeyConditionExpression: 'uid = :uid AND begins_with(entryId, :prefix)',
          ExpressionAttributeValues: { ':uid': uid, ':prefix': prefix },
          ProjectionExpression: 'entryId',
          ConsistentRead: true,
          Limit: limit,
        }),
      );
      return Items.map(({ entryId }) => entryId);
    },

    /** Counts the entries of a UID, and returns the ids of the first and the last. Reads the whole partition. */
    async rangeOf(uid: string): Promise<{ count: number; first?: string; last?: string }> {
      let [count, first, last]: [number, string | undefined, string | undefined] = [0, undefined, undefined];
      const query = {
        TableName: tableName,
        KeyConditionExpression: 'uid = :uid',
        ExpressionAttributeValues: { ':uid': uid },
        ProjectionExpression: 'entryId',
      };
      for await (const { Items = [] } of paginateQuery({ client: db }, query)) {
        count += Items.length;
        first ??= Items[0]?.entryId;
        last = Items.at(-1)?.entryId ?? last;
      }
      return { count, ...(first && { first }), ...(last && { last }) };
    },

    async hasEntries(uid: string): Promise<boolean> {
      const { entries } = await readTablePage({ uids: [uid] }, { limit: 1 });
      return entries.length > 0;
    },

    /**
     * Reads all UIDs that have entries, in the order of a scan, with one small read each. After each UID, the scan
     * continues after the last entry id that the UID can have.
     * @param last only the UIDs after this one
     */
    async *uids(last?: string): AsyncGenerator<string> {
      let after: EntryKey | undefined = last === undefined ? undefined : { uid: last, entryId: LAST_ENTRY_ID };
      for (;;) {
        const { Items = [], LastEvaluatedKey } = await db.send(
          new ScanCommand({
            TableName: tableName,
            Limit: 1,
            ProjectionExpression: 'uid',
            ConsistentRead: true,
            ...(after && { ExclusiveStartKey: after }),
          }),
        );
        const [first] = Items as Pick<Entry, 'uid'>[];
        if (first) yield first.uid;
        if (!LastEvaluatedKey) return;
        after = { uid: LastEvaluatedKey.uid, entryId: LAST_ENTRY_ID };
      }
    },

    /** Returns the approximate number of entries. DynamoDB updates it every six hours. */
    async estimate(): Promise<number> {
      const { Table } = await db.send(new DescribeTableCommand({ TableName: tableName }));
      return Table?.ItemCount ?? 0;
    },
  };
};
