import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { Order } from '../../../../cli/review/orders/order.ts';
import { readOrders } from '../../../../cli/review/orders/readOrders.ts';
import type { Failure } from '../../../../cli/shell/terminal/failure.ts';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

/** Opens an engine that reads order lists, until the tests of a file have ended. */
export async function openReader() {
  const folder = temporaryFolder();
  const engine = await openEngine({ threads: 1 });
  afterAll(engine.close);
  let files = 0;

  /** Reads a file with this content. */
  const read = async (content: string | Uint8Array, zone?: string, uid?: string, name?: string) => {
    files += 1;
    const path = join(folder, `${files}.csv`);
    writeFileSync(path, content);
    try {
      const list = await readOrders(engine, path, { zone, uid, name });
      const query =
        'SELECT *, CAST(order_id AS VARCHAR) AS "orderId", placed_at AS "placedAt" FROM orders ORDER BY order_id';
      return { ...list, orders: await Array.fromAsync(engine.read<Order>(query)) };
    } finally {
      for (const table of ['listed', 'doubles', 'merged', 'orders']) await engine.drop(table);
    }
  };

  /** Returns the message and the advice of the failure to read a file. */
  const failure = async (...list: Parameters<typeof read>): Promise<string> => {
    try {
      await read(...list);
    } catch (error) {
      const { outcome, message, advice } = error as Failure;
      expect(outcome).toBe('usage');
      return `${message}\n${advice}`.replaceAll(/\/\S*\.csv/g, 'FILE');
    }
    throw new Error('The file was accepted.');
  };
  return { read, failure };
}
