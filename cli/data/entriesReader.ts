import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Entry } from '../../functions/ailog/entry.ts';

/** A filter for entries. Absent properties match every entry. Times are in milliseconds since 1970. */
export interface EntryFilter {
  readonly uid?: string;
  readonly orderId?: bigint;
  /** Signed at this time or later. */
  readonly since?: number;
  /** Signed before this time. */
  readonly until?: number;
  readonly stage?: string;
  readonly model?: string;
  /** Received by the service at this time or earlier. */
  readonly receivedUntil?: number;
}

/** The primary key of an entry. */
export type EntryKey = Pick<Entry, 'uid' | 'entryId'>;

/** A page of the entries that match a filter. */
export interface EntryPage {
  readonly entries: readonly Entry[];
  /** The number of entries that were read to find these. */
  readonly scanned: number;
  /** The key to pass as `after` for the next page. Absent on the last page. */
  readonly next?: EntryKey;
}

/**
 * About as many small entries as fit into 1 MB. Without a limit, the embedded engine sorts the whole table for each
 * page.
 */
const PAGE_ENTRIES = 1000;

/** The options of a page. */
interface PageOptions {
  /** The `next` of the previous page. */
  readonly after?: EntryKey | undefined;
  /** The maximum number of entries to read. DynamoDB reads at most 1 MB at a time. */
  readonly limit?: number;
  /** Returns the newest entries first. Only supported for the entries of one UID. */
  readonly newestFirst?: boolean;
}

/**
 * Returns a sort key for a time. Entry ids start with 13 digits of time, so a bare time sorts before all entries of
 * that time.
 */
const timeKey = (ms: number) => String(Math.min(Math.max(0, ms), 9_999_999_999_999)).padStart(13, '0');

/** Returns an item as an entry. The SDK returns a number as `number` or `bigint`, depending on its size. */
const toEntry = ({ orderId, ...item }: Record<string, unknown>): Entry =>
  ({ ...item, ...(orderId !== undefined && { orderId: BigInt(orderId as bigint) }) }) as unknown as Entry;

/** Joins the conditions that apply with AND. Returns undefined if none applies. */
const joinConditions = (conditions: readonly (string | false)[]) =>
  conditions.filter(Boolean).join(' AND ') || undefined;

/** Converts a filter to DynamoDB conditions on the key and on other attributes, with the values of both. */
function conditionsOf({ uid, since, until, stage, model, receivedUntil }: EntryFilter) {
  const values = Object.entries({
    ':uid': uid,
    ':since': since === undefined ? undefined : timeKey(since),
    ':until': until === undefined ? undefined : timeKey(until),
    ':stage': stage,
    ':model': model,
    ':receivedUntil': receivedUntil,
  }).filter(([, value]) => value !== undefined);
  const has = (name: string) => values.some(([other]) => other === name);
  // A sort key takes only one condition, so two bounds become a BETWEEN. It includes `until`, but no entry id is a bare
  // time.
  const between = has(':since') && has(':until');
  return {
    keyConditions: [
      has(':uid') && 'uid = :uid',
      between && 'entryId BETWEEN :since AND :until',
      !between && has(':since') && 'entryId >= :since',
      !between && has(':until') && 'entryId < :until',
    ],
    otherConditions: [
      has(':stage') && 'stage = :stage',
      has(':model') && 'model = :model',
      has(':receivedUntil') && 'receivedAt <= :receivedUntil',
    ],
    values: values.length > 0 ? Object.fromEntries(values) : undefined,
  };
}

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

  /** The index contains only keys and is eventually consistent, so each entry that it finds is read from the table. */
  const readOrderPage = async (filter: EntryFilter & { orderId: bigint }, { after, limit }: PageOptions) => {
    const { orderId, uid, since, until, stage, model, receivedUntil } = filter;
    const { Items = [], LastEvaluatedKey } = await db.send(
      new QueryCommand({
        TableName: tableName,
        IndexName: 'byOrderId',
        KeyConditionExpression: 'orderId = :orderId',
        ExpressionAttributeValues: { ':orderId': orderId },
        ...(after && { ExclusiveStartKey: { ...after, orderId } }),
        ...(limit && { Limit: limit }),
      }),
    );
    const entries: Entry[] = [];
    for (const key of Items as EntryKey[]) {
      const inTime =
        (since === undefined || key.entryId >= timeKey(since)) && (until === undefined || key.entryId < timeKey(until));
      const entry = inTime && key.uid === (uid ?? key.uid) ? await get(key) : undefined;
      if (!entry || entry.stage !== (stage ?? entry.stage) || entry.model !== (model ?? entry.model)) continue;
      if (receivedUntil === undefined || entry.receivedAt <= receivedUntil) entries.push(entry);
    }
    return { Items: entries, ScannedCount: Items.length, LastEvaluatedKey };
  };

  const readTablePage = (filter: EntryFilter, { after, limit, newestFirst }: PageOptions) => {
    const { keyConditions, otherConditions, values } = conditionsOf(filter);
    const common = {
      TableName: tableName,
      ConsistentRead: true,
      ExclusiveStartKey: after,
      Limit: limit ?? PAGE_ENTRIES,
      ExpressionAttributeValues: values,
    };
    if (filter.uid === undefined) {
      return db.send(
        new ScanCommand({ ...common, FilterExpression: joinConditions([...keyConditions, ...otherConditions]) }),
      );
    }
    return db.send(
      new QueryCommand({
        ...common,
        KeyConditionExpression: joinConditions(keyConditions),
        FilterExpression: joinConditions(otherConditions),
        ScanIndexForward: !newestFirst,
      }),
    );
  };

  return {
    /** Reads an entry, strongly consistent. */
    get,

    /**
     * Reads a page of the entries that match a filter. The entries of a UID come together, oldest first. The entries of
     * an order come in no particular order. Pages never overlap. Every entry that was stored before the first page was
     * read is on one of them.
     */
    async page(filter: EntryFilter, options: PageOptions = {}): Promise<EntryPage> {
      const { orderId } = filter;
      const {
        Items = [],
        ScannedCount = 0,
        LastEvaluatedKey,
      } = await (orderId === undefined
        ? readTablePage(filter, options)
        : readOrderPage({ ...filter, orderId }, options));
      const next = LastEvaluatedKey && { uid: LastEvaluatedKey.uid, entryId: LastEvaluatedKey.entryId };
      return {
        entries: Items.map((item) => toEntry(item as Record<string, unknown>)),
        scanned: ScannedCount,
        ...(next && { next }),
      };
    },

    /**
     * Reads all UIDs that have entries, in no particular order, with one small read each. After each UID, the scan
     * continues behind the last entry id that the UID can have.
     */
    async *uids(): AsyncGenerator<string> {
      let after: EntryKey | undefined;
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
        after = { uid: LastEvaluatedKey.uid, entryId: '~' };
      }
    },

    /** Returns the approximate number of entries. DynamoDB updates it every six hours. */
    async estimate(): Promise<number> {
      const { Table } = await db.send(new DescribeTableCommand({ TableName: tableName }));
      return Table?.ItemCount ?? 0;
    },
  };
};
