import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';
import { type TableId, tables } from '../../../infra/tables.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { newId } from './recordedTable.ts';

const CONCURRENCY = 32;

/** Returns the names of a table's key attributes, partition key first. @throws Failure if the table does not exist */
async function readKeyNames(db: DynamoDBClient, TableName: string): Promise<string[]> {
  try {
    const { Table } = await db.send(new DescribeTableCommand({ TableName }));
    return (Table?.KeySchema ?? []).map(({ AttributeName }) => AttributeName as string);
  } catch (cause) {
    if (!(cause instanceof ResourceNotFoundException)) throw cause;
    const advice = 'Check its name, the region and the account.';
    throw new Failure('usage', `There is no table ${TableName}.`, { cause, advice });
  }
}

type Item = Record<string, AttributeValue>;

const tableWith = (keyNames: readonly string[]): TableId | undefined =>
  (Object.keys(tables) as TableId[]).find((id) => {
    const { partitionKey, sortKey } = tables[id];
    return [partitionKey, sortKey].flatMap((key) => key?.name ?? []).join() === keyNames.join();
  });

/** Returns an entry of the allowlist or a key with its return in its history, as every change of them is. */
function recordReturn(item: Item, from: string, by: string): Item {
  const at = { S: new Date().toISOString() };
  const to = item.status ?? { S: '' };
  const why = { S: `restored from ${from}` };
  const change = { id: { S: newId() }, at, by: { S: by }, change: { S: 'restored' }, to, why };
  const history = { L: [...(item.history?.L ?? []), { M: change }] };
  return { ...item, updatedAt: at, updatedBy: { S: by }, history };
}

interface Copy {
  readonly from: string;
  readonly to: string;
  readonly uid?: string | undefined;
  readonly overwrite?: boolean;
  /** Returns who copies, for the histories of teams and keys. */
  readonly who: () => Promise<string>;
}

/**
 * Prepares to copy items into a table with the same key. An item that exists there stays; in AiLogs, `overwrite`
 * replaces it. The history of a team or a key that was gone says who brought it back. The copy can be repeated.
 * @returns `copy` returns the number of items written and kept; `isRecorded`: they are teams or keys
 * @throws Failure if a table is missing or ReceiptKeys, if keys differ, or if `overwrite` is not of AiLogs
 */
export async function prepareCopy(db: DynamoDBClient, { from, to, uid, overwrite = false, who }: Copy) {
  const source = await readKeyNames(db, from);
  const target = await readKeyNames(db, to);
  if (source.join() !== target.join()) {
    const message = `Table ${from} has the key ${source.join(', ')}, table ${to} has ${target.join(', ')}.`;
    const advice = 'Copy a restored table into the table that it was restored from.';
    throw new Failure('usage', message, { advice });
  }
  const table = tableWith(target);
  if (table === 'receiptKeys') {
    const message = `Table ${to} is the table ReceiptKeys. The transparency log cannot be rolled back: its keys and its floor would contradict it.`;
    throw new Failure('usage', message, { advice: 'docs/runbook/tlog.md says what to do instead.' });
  }
  if (overwrite && table !== 'aiLogs') {
    const message = `Only logs can be replaced. An older item of ${to} would undo what was decided since, and its history.`;
    throw new Failure('usage', message, {
      advice: 'Leave out --overwrite, or change it with its own command: docs/runbook/restore.md.',
    });
  }
  const isRecorded = table === 'allowlist' || table === 'apiKeys';
  const [partitionKey] = target as [string];

  const put = async (Item: Item): Promise<'written' | 'kept'> => {
    try {
      const condition = overwrite
        ? {}
        : { ConditionExpression: 'attribute_not_exists(#key)', ExpressionAttributeNames: { '#key': partitionKey } };
      await db.send(new PutItemCommand({ TableName: to, Item, ...condition }));
      return 'written';
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'kept';
      throw error;
    }
  };

  const copy = async () => {
    const limit = pLimit(CONCURRENCY);
    const done = { written: 0, kept: 0 };
    const by = isRecorded ? await who() : '';
    for await (const { Items = [] } of paginateScan({ client: db }, { TableName: from })) {
      const wanted = Items.filter((item) => uid === undefined || item.uid?.S === uid);
      const items = isRecorded ? wanted.map((item) => recordReturn(item, from, by)) : wanted;
      for (const outcome of await limit.map(items, put)) done[outcome] += 1;
    }
    return done;
  };
  return { isRecorded, copy };
}
