import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

interface Consumed {
  readonly TableName: string;
  readonly CapacityUnits: number;
}

/** Makes every call of a client return its capacity. @returns the calls and the units since the last `reset` */
export function countUnits({ middlewareStack }: Pick<DynamoDBDocumentClient, 'middlewareStack'>) {
  let calls = 0;
  let consumed: { table: string; kind: 'reads' | 'writes'; units: number }[] = [];
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        calls += 1;
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } }).catch(
          (error) => {
            // A write whose condition fails is billed like a successful one. The items here are below 1 KB.
            if (error.name === 'ConditionalCheckFailedException')
              consumed.push({ table: '', kind: 'writes', units: 1 });
            throw error;
          },
        );
        const { ConsumedCapacity = [] } = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
        const kind = /^(Batch)?Get|^Query|^Scan/.test(commandName) ? 'reads' : 'writes';
        for (const { TableName: table, CapacityUnits: units } of [ConsumedCapacity].flat()) {
          consumed.push({ table, kind, units });
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
      calls = 0;
      consumed = [];
    },
    calls: () => calls,
    reads: (table?: string) => sum('reads', table),
    writes: (table?: string) => sum('writes', table),
  };
}
