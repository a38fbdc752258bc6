import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { scan } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { reasons } from '../figures/reasons.ts';
import { isIntact, REASONS_AUTHOR, type ReasonCodes, type VerdictRecord } from './record.ts';

/** The reason codes of a competition that has no list of its own: the reasons to look. */
const DEFAULT_CODES: ReasonCodes['codes'] = [
  ...Object.entries(reasons).map(([code, { when }]) => ({ code, text: when })),
  { code: 'other', text: 'see the text' },
];

export const reviewsTable = ({ db, tables }: Pick<Target, 'db' | 'tables'>) => ({
  /** Adds an item. Nothing is ever replaced: two items with one id are the same. */
  async append(Item: VerdictRecord | ReasonCodes): Promise<void> {
    const condition = { ConditionExpression: 'attribute_not_exists(author)' };
    await db.send(new PutCommand({ TableName: tables.reviews, Item, ...condition })).catch((error) => {
      // The SDK has repeated a write whose answer was lost.
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  },

  /** Reads everything, strongly consistent. A competition has a few verdicts per team. */
  async read() {
    const all = { TableName: tables.reviews, ConsistentRead: true };
    const items = await Array.fromAsync(scan<VerdictRecord | ReasonCodes>(db, all));
    const intact = items.filter(isIntact).sort((a, b) => (a.id < b.id ? -1 : 1));
    const lists = intact.filter((item): item is ReasonCodes => item.author === REASONS_AUTHOR);
    return {
      /** All verdicts and withdrawals, oldest first. */
      records: intact.filter((item): item is VerdictRecord => item.author !== REASONS_AUTHOR),
      codes: lists.at(-1)?.codes ?? DEFAULT_CODES,
      /** The number of items that were changed after they were written. They do not count. */
      damaged: items.length - intact.length,
    };
  },
});
