import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { scan } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { findFault, isRecord } from './checkRecord.ts';
import { peopleOf } from './people.ts';
import type { VerdictRecord } from './record.ts';

/** The key of an item that does not count, and why. */
export type SetAside = Readonly<Record<'author' | 'id' | 'why', string>>;

export const reviewsTable = (target: Pick<Target, 'db' | 'tables' | 'deployed'>) => {
  const { db, tables } = target;
  const people = peopleOf(target);
  const known = new Map<string, Promise<boolean>>();
  const queryEntries = async (uid: string) =>
    (await entriesReader(target).page(uid, {}, { limit: 1 })).entries.length > 0;
  const hasEntries = (uid: string): Promise<boolean> => {
    const asked = known.get(uid) ?? queryEntries(uid);
    known.set(uid, asked);
    return asked;
  };
  return {
    hasEntries,

    /** Adds a record. Nothing is ever replaced: two records with one id are the same. */
    async append(Item: VerdictRecord): Promise<void> {
      const condition = { ConditionExpression: 'attribute_not_exists(author)' };
      await db.send(new PutCommand({ TableName: tables.reviews, Item, ...condition })).catch((error) => {
        // The SDK has repeated a write whose answer was lost.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      });
    },

    /** Reads all, strongly consistent. @returns the records, oldest first, and what is none */
    async read() {
      const records: VerdictRecord[] = [];
      const setAside: SetAside[] = [];
      const whole = { TableName: tables.reviews, ConsistentRead: true };
      for await (const item of scan<SetAside | VerdictRecord>(db, whole)) {
        const why = people.findObjection(item.author) ?? (await findFault(item, hasEntries));
        if (why === undefined && isRecord(item)) records.push(item);
        else setAside.push({ author: item.author, id: item.id, why: why ?? '' });
      }
      records.sort((a, b) => (a.id < b.id ? -1 : 1));
      return { records, setAside };
    },
  };
};
