import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { scan } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { isIntact, type VerdictRecord } from './record.ts';

export const reviewsTable = ({ db, tables }: Pick<Target, 'db' | 'tables'>) => ({
  /** Adds a record. Nothing is ever replaced: two records with one id are the same. */
  async append(Item: VerdictRecord): Promise<void> {
    const condition = { ConditionExpression: 'attribute_not_exists(author)' };
    await db.send(new PutCommand({ TableName: tables.reviews, Item, ...condition })).catch((error) => {
      // The SDK has repeated a write whose answer was lost.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  },

  /** Reads everything, strongly consistent. A competition has a few verdicts per team. */
  async read() {
    const all = { TableName: tables.reviews, ConsistentRead: true };
    const items = await Array.fromAsync(scan<VerdictRecord>(db, all));
    const intact = items.filter(isIntact).sort((a, b) => (a.id < b.id ? -1 : 1));
    return {
      /** All verdicts and withdrawals, oldest first. */
      records: intact,
      /** The number of items that were changed after they were written. They do not count. */
      damaged: items.length - intact.length,
    };
  },
});
