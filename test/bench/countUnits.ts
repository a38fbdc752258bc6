import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Makes every call of a client return its consumed capacity, and adds it up.
 * @returns the units since the last `reset`, of all tables or of one
 */
export function countUnits({ middlewareStack }: Pick<DynamoDBDocumentClient, 'middlewareStack'>) {
  let consumed: { table: string; kind: 'reads' | 'writes'; units: number }[] = [];
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } }).catch(
          (error) => {
            // A write whose condition fails is billed like a successful one. The items here are below 1 KB.
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
