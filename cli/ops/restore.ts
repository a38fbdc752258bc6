import { parseArgs } from 'node:util';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DescribeTableCommand,
  DynamoDBClient,
  PutItemCommand,
  paginateScan,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import pLimit from 'p-limit';

/** How many items are written at a time. */
const AT_A_TIME = 32;

/** What `copyBack` did: items written, and items that were there already and stayed as they were. */
export interface Copied {
  readonly written: number;
  readonly kept: number;
}

/** What an operator typed is wrong; the message says what, and what would be right. */
class WrongTables extends Error {}

/** The names of a table's key attributes, partition key first. @throws WrongTables where there is no such table */
async function keyOf(db: DynamoDBClient, TableName: string): Promise<string[]> {
  try {
    const { Table } = await db.send(new DescribeTableCommand({ TableName }));
    return (Table?.KeySchema ?? []).map(({ AttributeName }) => AttributeName as string);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) throw new WrongTables(`There is no table ${TableName} here.`);
    throw error;
  }
}

/**
 * Copies the items of a restored table back into the live one, attribute by attribute as they are. An item that is in the
 * live table stays as it is there, unless `overwrite` says that the restored one is right. Safe to run again.
 * @param uid copies the items of this UID alone
 * @throws WrongTables where a table is missing, or the two have different keys
 */
export async function copyBack(
  db: DynamoDBClient,
  { from, to, uid, overwrite = false }: { from: string; to: string; uid?: string | undefined; overwrite?: boolean },
): Promise<Copied> {
  const [source, target] = [await keyOf(db, from), await keyOf(db, to)];
  if (source.join() !== target.join()) {
    throw new WrongTables(`Table ${from} has the key ${source.join(', ')}, table ${to} has ${target.join(', ')}.`);
  }
  const [partitionKey] = target as [string];

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

  const limit = pLimit(AT_A_TIME);
  const done = { written: 0, kept: 0 };
  for await (const { Items = [] } of paginateScan({ client: db }, { TableName: from })) {
    const wanted = Items.filter((item) => uid === undefined || item.uid?.S === uid);
    for (const outcome of await limit.map(wanted, put)) done[outcome] += 1;
  }
  return done;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      uid: { type: 'string' },
      overwrite: { type: 'boolean', default: false },
    },
  });
  const { from, to, uid, overwrite } = values;
  try {
    if (!from || !to) throw new WrongTables('Say --from RESTORED_TABLE and --to LIVE_TABLE.');
    const { written, kept } = await copyBack(new DynamoDBClient(), { from, to, uid, overwrite });
    console.log(`${written} items written to ${to}; ${kept} were there already and stayed as they are.`);
  } catch (error) {
    if (!(error instanceof WrongTables)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
