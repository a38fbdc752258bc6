import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Head } from '../../functions/tlog/tlogTable.ts';

/** Reads and changes the head in a Tlog table. */
export function headItem(db: DynamoDBDocumentClient, tableName: string) {
  const head = async (): Promise<Head> => {
    const { Item } = await db.send(new GetCommand({ TableName: tableName, Key: { id: 'head' }, ConsistentRead: true }));
    return Item as Head;
  };
  return {
    head,
    async changeHead(change: Partial<Head>): Promise<void> {
      await db.send(new PutCommand({ TableName: tableName, Item: { ...(await head()), ...change } }));
    },
  };
}
