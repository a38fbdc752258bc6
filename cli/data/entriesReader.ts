import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Entry } from '../../functions/ailog/entry.ts';

/** Which entries are wanted; what is absent does not matter. Times are in milliseconds since 1970. */
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

/** The name of an entry in the table. */
export type EntryKey = Pick<Entry, 'uid' | 'entryId'>;

/** A part of the entries that are wanted. */
export interface EntryPage {
  readonly entries: readonly Entry[];
  /** How many entries were looked at to find these. */
  readonly scanned: number;
  /** Where the next page begins; absent: this is the last one. */
  readonly next?: EntryKey;
}

/** As many entries as 1 MB holds where they are small. The embedded engine sorts the whole table for a page without limit. */
const PAGE_ENTRIES = 1000;

/** How a page is asked for. */
interface PageOptions {
  /** Where the page before ended. */
  readonly after?: EntryKey | undefined;
  /** The most entries to look at; DynamoDB reads 1 MB at once at most. */
  readonly limit?: number;
  /** Newest first; for the entries of one UID only. */
  readonly newestFirst?: boolean;
}

/** Entry ids begin with 13 digits of time, and go on after it: a bare time stands before all entries of that time. */
const timeKey = (ms: number) => String(Math.min(Math.max(0, ms), 9_999_999_999_999)).padStart(13, '0');

/** An entry as it was composed: DynamoDB hands a number out as it needs, number or bigint. */
const toEntry = ({ orderId, ...item }: Record<string, unknown>): Entry =>
  ({ ...item, ...(orderId !== undefined && { orderId: BigInt(orderId as bigint) }) }) as unknown as Entry;

/** What is there, joined by AND; undefined where nothing is. */
const all = (conditions: readonly (string | false)[]) => conditions.filter(Boolean).join(' AND ') || undefined;

/** A filter as DynamoDB's conditions: on the key, on what else an entry holds, and the values of both. */
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
  // A key takes one condition on its range: both bounds at once are a BETWEEN, and no entry is named by a bare time.
  const between = has(':since') && has(':until');
  return {
    ofKey: [
      has(':uid') && 'uid = :uid',
      between && 'entryId BETWEEN :since AND :until',
      !between && has(':since') && 'entryId >= :since',
      !between && has(':until') && 'entryId < :until',
    ],
    ofRest: [
      has(':stage') && 'stage = :stage',
      has(':model') && 'model = :model',
      has(':receivedUntil') && 'receivedAt <= :receivedUntil',
    ],
    values: values.length > 0 ? Object.fromEntries(values) : undefined,
  };
}

/** The entries in a DynamoDB table of this name, for reviewers: the function itself only writes them. */
export const entriesReader = (db: DynamoDBDocumentClient, tableName: string) => {
  const get = async (key: EntryKey): Promise<Entry | undefined> => {
    const { uid, entryId } = key;
    const command = new GetCommand({ TableName: tableName, Key: { uid, entryId }, ConsistentRead: true });
    const { Item } = await db.send(command);
    return Item && toEntry(Item);
  };

  /** The index knows keys only, and is a moment behind: what it finds is read from the table. */
  const ofOrder = async (filter: EntryFilter & { orderId: bigint }, { after, limit }: PageOptions) => {
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

  const ofTable = (filter: EntryFilter, { after, limit, newestFirst }: PageOptions) => {
    const { ofKey, ofRest, values } = conditionsOf(filter);
    const common = {
      TableName: tableName,
      ConsistentRead: true,
      ExclusiveStartKey: after,
      Limit: limit ?? PAGE_ENTRIES,
      ExpressionAttributeValues: values,
    };
    if (filter.uid === undefined) {
      return db.send(new ScanCommand({ ...common, FilterExpression: all([...ofKey, ...ofRest]) }));
    }
    return db.send(
      new QueryCommand({
        ...common,
        KeyConditionExpression: all(ofKey),
        FilterExpression: all(ofRest),
        ScanIndexForward: !newestFirst,
      }),
    );
  };

  return {
    /** The entry of that name, strongly consistent. */
    get,

    /**
     * One page of the entries that are wanted. The entries of one UID follow each other, oldest first; those of an order
     * are in no order. Pages never overlap, and what is there before the first one is in one of them, however long it
     * takes to read them all.
     */
    async page(filter: EntryFilter, options: PageOptions = {}): Promise<EntryPage> {
      const { orderId } = filter;
      const {
        Items = [],
        ScannedCount = 0,
        LastEvaluatedKey,
      } = await (orderId === undefined ? ofTable(filter, options) : ofOrder({ ...filter, orderId }, options));
      const next = LastEvaluatedKey && { uid: LastEvaluatedKey.uid, entryId: LastEvaluatedKey.entryId };
      return {
        entries: Items.map((item) => toEntry(item as Record<string, unknown>)),
        scanned: ScannedCount,
        ...(next && { next }),
      };
    },

    /**
     * Every UID that has entries, in no order, with one small read for each: a scan that is told to go on behind the last
     * entry that a UID can have.
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

    /** About how many entries there are: DynamoDB counts them every six hours. */
    async estimate(): Promise<number> {
      const { Table } = await db.send(new DescribeTableCommand({ TableName: tableName }));
      return Table?.ItemCount ?? 0;
    },
  };
};
