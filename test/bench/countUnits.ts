import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Lets every call of a client ask for the capacity that it consumed, and counts it.
 * @returns the units so far, of all tables or of one, since the last `reset`
 */
export function countUnits({ middlewareStack }: Pick<DynamoDBDocumentClient, 'middlewareStack'>) {
  let consumed: { table: string; kind: 'reads' | 'writes'; units: number }[] = [];
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } }).catch(
          (error) => {
            // A write whose condition fails is billed like one that does not; the items at stake here are small.
            if (error.name === 'ConditionalCheckFailedException')
              consumed.push({ table: '', kind: 'writes', units: 1 });
            throw error;
          },
        );
        const { ConsumedCapacity } = result.output as {
          ConsumedCapacity?: { TableName: string; CapacityUnits: number };
        };
        if (ConsumedCapacity) {
          const { TableName: table, CapacityUnits: units } = ConsumedCapacity;
          consumed.push({ table, kind: /^(Get|Query|Scan)/.test(commandName) ? 'reads' : 'writes', units });
        }
        return result;
      },
    { step: 'initialize', name: 'countUnits' },
  );
  const sum = (kind: 'reads' | 'writes', table?: string) =>
    consumed
      .filter((one) => one.kind === kind && (table === undefined || one.table === table))
      .reduce((all, { units }) => all + units, 0);
  return {
    reset: () => {
      consumed = [];
    },
    reads: (table?: string) => sum('reads', table),
    writes: (table?: string) => sum('writes', table),
  };
}
