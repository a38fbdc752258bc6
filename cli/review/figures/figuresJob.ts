/** The two jobs that take long: order lists become a file, and the rows with them become figures. */

import { Failure } from '../../shell/terminal/failure.ts';
import { memoryFor, openEngine, quoted, threadsFor } from '../../store/duckdb/duckdb.ts';
import { ORDER_VALUE, readLists } from '../orders/importOrders.ts';
import type { OrderFile } from '../orders/order.ts';
import type { OrderList } from '../orders/readOrders.ts';
import { findLeaders } from '../rows/near.ts';
import { countRows, type Manifest, rowStore } from '../rows/rowStore.ts';
import { openViews, storedLeaders } from '../rows/rowTables.ts';
import { type AllowedTeam, figuresQuery, makeFigures, type ReviewLimits } from './makeFigures.ts';

/** A job, such that another process can do it. The paths are absolute. */
export type Job = { readonly folder: string; readonly path: string } & (
  | { readonly lists: readonly OrderFile[]; readonly zone: string | undefined }
  | {
      readonly manifest: Manifest;
      readonly allowed: readonly AllowedTeam[];
      readonly orders: string | undefined;
      readonly limits: ReviewLimits;
    }
);

const SMALL = ['period', 'names', 'claims', 'silences', 'pairs', 'figures'];

/** The tables that are kept, such that a look at one team reads few blocks. */
const KEPT = {
  logs: `SELECT n, uid, entry_id, signed_at, received_at, order_id, model, counts, hidden_characters, has_version, has_data
    FROM logs ORDER BY uid, signed_at, entry_id`,
  timeline: `SELECT *, ${ORDER_VALUE} AS value FROM timeline ORDER BY uid, placed_at, order_id`,
  orders: 'SELECT * FROM orders ORDER BY order_id',
  repeats: 'SELECT * FROM repeats ORDER BY n',
  related: 'SELECT * FROM related ORDER BY uid, signed_at, entry_id',
  strips: figuresQuery('strips'),
  ...Object.fromEntries(SMALL.map((name) => [name, `SELECT * FROM ${name}`])),
};

export async function runJob(job: Job): Promise<readonly OrderList[]> {
  const { folder, path } = job;
  // DuckDB would take what follows for parameters, and look for its log in another folder.
  if (path.includes('?')) {
    const problem = `The path ${path} has a question mark, which DuckDB cannot take in the name of a file.`;
    throw new Failure('usage', problem, { advice: 'Rename the folder.' });
  }
  const rows = 'manifest' in job ? countRows(job.manifest) : undefined;
  const sizes = rows === undefined ? {} : { memory: memoryFor(rows), threads: threadsFor(rows) };
  const engine = await openEngine({ folder, ...sizes });
  const { run } = engine;
  try {
    if ('lists' in job) {
      const read = await readLists(engine, job.lists, job.zone);
      await run(`COPY orders TO ${quoted(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
      return read;
    }
    const { manifest, allowed, orders, limits } = job;
    const store = rowStore(folder);
    await openViews(engine, store, manifest);
    await findLeaders(engine, await storedLeaders(store, manifest));
    if (orders !== undefined) await run(`CREATE VIEW orders AS SELECT * FROM read_parquet(${quoted(orders)})`);
    await makeFigures(engine, limits, { allowed, hasOrders: orders !== undefined });
    await run(`ATTACH ${quoted(path)} AS kept`);
    for (const [name, query] of Object.entries(KEPT)) await run(`CREATE TABLE kept.${name} AS ${query}`);
    await run('DETACH kept');
    return [];
  } finally {
    engine.close();
  }
}
