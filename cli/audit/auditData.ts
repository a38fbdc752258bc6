import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, openEngine } from '../analysis/engine.ts';

/** The memory that the comparison may use. What does not fit is on disk meanwhile. */
const MEMORY = '1GB';

/** The rows that are appended together. */
const BATCH = 2048;

/** Opens the tables of an audit, in memory and in a temporary folder. compare.sql says what they hold. */
export async function openAuditData() {
  const folder = mkdtempSync(join(tmpdir(), 'ailog-audit-'));
  const engine = await openEngine({ folder, memory: MEMORY });
  const flushes: (() => Promise<void>)[] = [];
  /** Creates a table, and returns a function that adds a row to it. */
  const table = async <Column extends string>(
    name: string,
    columns: Record<Column, 'BIGINT' | 'BINARY' | 'VARCHAR'>,
  ) => {
    const append = await engine.table(name, columns);
    let rows: Parameters<typeof append>[0][number][] = [];
    const flush = async () => {
      await append(rows);
      rows = [];
    };
    flushes.push(flush);
    return async (row: (typeof rows)[number]): Promise<void> => {
      rows.push(row);
      if (rows.length === BATCH) await flush();
    };
  };
  const entry = { hash: 'BINARY', uid: 'VARCHAR', entry_id: 'VARCHAR', received_at: 'BIGINT' } as const;
  const file = { path: 'VARCHAR', position: 'BIGINT', root: 'BINARY' } as const;
  const ofFile = { kind: 'VARCHAR', ends: 'BIGINT', stored_at: 'BIGINT', level: 'BIGINT', hashes: 'BIGINT' } as const;
  return {
    engine,
    file: await table('file', { ...file, ...ofFile }),
    claimed: await table('claimed', { position: 'BIGINT' }),
    kept: await table('kept', file),
    leaf: await table('leaf', { idx: 'BIGINT', hash: 'BINARY', days: 'BIGINT' }),
    row: await table('row', { ...entry, claimed: 'BINARY', expires_at: 'BIGINT' }),
    known: await table('known', { ...entry, source: 'VARCHAR', receipt: 'VARCHAR', deadline: 'BIGINT' }),
    announced: await table('announced', { hash: 'BINARY', key: 'VARCHAR' }),
    mark: await table('mark', { size: 'BIGINT', cursor: 'BIGINT' }),
    /** Lets queries see all rows that were added. */
    async flush(): Promise<void> {
      for (const flush of flushes) await flush();
    },
    close(): void {
      engine.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The tables of an audit. Each is a function that adds a row. */
export type AuditData = Awaited<ReturnType<typeof openAuditData>>;

/** Reads all rows of a query. */
export const rowsOf = <Row extends object>(engine: Engine, sql: string): Promise<Row[]> =>
  Array.fromAsync(engine.read<Row>(sql));
