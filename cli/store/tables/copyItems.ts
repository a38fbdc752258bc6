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
import { tables } from '../../../infra/tables.ts';
import { Failure } from '../../shell/terminal/failure.ts';

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

/**
 * Prepares to copy items from one table into another with the same key, attribute by attribute. An item that exists in
 * the target stays unchanged, unless `overwrite` is set. The copy can be repeated safely. The restored table does not
 * replace the live one: it has another name, and everything uploaded meanwhile is in the live one.
 * @returns a function that copies; its result is the number of items that were written, and of those that were kept
 * @throws Failure if a table is missing, if the tables have different keys, or if they are tables Log
 */
export async function prepareCopy(
  db: DynamoDBClient,
  { from, to, uid, overwrite = false }: { from: string; to: string; uid?: string | undefined; overwrite?: boolean },
) {
  const source = await readKeyNames(db, from);
  const target = await readKeyNames(db, to);
  if (source.join() !== target.join()) {
    const message = `Table ${from} has the key ${source.join(', ')}, table ${to} has ${target.join(', ')}.`;
    const advice = 'Copy a restored table into the table that it was restored from.';
    throw new Failure('usage', message, { advice });
  }
  const [partitionKey] = target as [string];
  if (partitionKey === tables.tlog.partitionKey.name) {
    const message = `Table ${to} is the table Tlog. The transparency log cannot be rolled back: with an older head, it would stop.`;
    throw new Failure('usage', message, { advice: 'docs/runbook/stopped-tlog.md says what to do instead.' });
  }

  const put = async (Item: Record<string, AttributeValue>): Promise<'written' | 'kept'> => {
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

  return async () => {
    const limit = pLimit(CONCURRENCY);
    const done = { written: 0, kept: 0 };
    for await (const { Items = [] } of paginateScan({ client: db }, { TableName: from })) {
      const wanted = Items.filter((item) => uid === undefined || item.uid?.S === uid);
      for (const outcome of await limit.map(wanted, put)) done[outcome] += 1;
    }
    return done;
  };
}
