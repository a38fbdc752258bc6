import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Entry } from './entry.ts';

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
  readonly looked: number;
  /** Where the next page begins; absent: this is the last one. */
  readonly next?: EntryKey;
}

/** How a page is asked for. */
interface PageOptions {
  /** Where the page before ended. */
  readonly after?: EntryKey | undefined;
  /** The most entries to look at; unless given, as many as DynamoDB reads at once, 1 MB. */
  readonly limit?: number;
  /** Newest first; for the entries of one UID only. */
  readonly newestFirst?: boolean;
}

/** Entry ids begin with 13 digits of time, and go on after it: a bare time stands before all entries of that time. */
const timeKey = (ms: number) => String(Math.min(Math.max(0, ms), 9_999_999_999_999)).padStart(13, '0');

/** An entry as it was composed: DynamoDB hands a number out as it needs, number or bigint. */
const toEntry = ({ orderId, ...item }: Record<string, unknown>): Entry =>
  ({ ...item, ...(orderId !== undefined && { orderId: BigInt(orderId as bigint) }) }) as unknown as Entry;

/** Conditions joined by AND, with their names and values as DynamoDB takes them. */
function conditionsOf({ stage, model, receivedUntil }: EntryFilter) {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const [name, operator, value] of [
    ['stage', '=', stage],
    ['model', '=', model],
    ['receivedAt', '<=', receivedUntil],
  ] as const) {
    if (value === undefined) continue;
    names[`#${name}`] = name;
    values[`:${name}`] = value;
    texts.push(`#${name} ${operator} :${name}`);
  }
  return { names, values, texts };
}

/** Only what is there: DynamoDB refuses empty expressions. */
const given = <T extends object>(name: string, value: T) =>
  (Array.isArray(value) ? value.length : Object.keys(value).length) > 0
    ? { [name]: Array.isArray(value) ? value.join(' AND ') : value }
    : {};

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
      if (uid !== undefined && key.uid !== uid) continue;
      if (since !== undefined && key.entryId < timeKey(since)) continue;
      if (until !== undefined && key.entryId >= timeKey(until)) continue;
      const entry = await get(key);
      if (entry === undefined || (stage ?? entry.stage) !== entry.stage || (model ?? entry.model) !== entry.model)
        continue;
      if (receivedUntil === undefined || entry.receivedAt <= receivedUntil) entries.push(entry);
    }
    return { Items: entries, ScannedCount: Items.length, LastEvaluatedKey };
  };

  const ofTable = (filter: EntryFilter, { after, limit, newestFirst }: PageOptions) => {
    const { uid, since, until } = filter;
    const { names, values, texts } = conditionsOf(filter);
    const span = [
      ...(since === undefined ? [] : ['entryId >= :since']),
      ...(until === undefined ? [] : ['entryId < :until']),
    ];
    const common = {
      TableName: tableName,
      ConsistentRead: true,
      ...(after && { ExclusiveStartKey: after }),
      ...(limit && { Limit: limit }),
      ...given('ExpressionAttributeNames', names),
    };
    const bounds = {
      ...(since !== undefined && { ':since': timeKey(since) }),
      ...(until !== undefined && { ':until': timeKey(until) }),
    };
    if (uid === undefined) {
      const all = { ...values, ...bounds };
      const command = {
        ...common,
        ...given('FilterExpression', [...texts, ...span]),
        ...given('ExpressionAttributeValues', all),
      };
      return db.send(new ScanCommand(command));
    }
    // A key condition takes one range: both bounds at once are a BETWEEN, and no entry is named by a bare time.
    const range = span.length === 2 ? ['entryId BETWEEN :since AND :until'] : span;
    return db.send(
      new QueryCommand({
        ...common,
        KeyConditionExpression: ['uid = :uid', ...range].join(' AND '),
        ...given('FilterExpression', texts),
        ExpressionAttributeValues: { ...values, ...bounds, ':uid': uid },
        ...(newestFirst && { ScanIndexForward: false }),
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
        looked: ScannedCount,
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
