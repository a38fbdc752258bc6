import { type Engine, openEngine } from '../../store/duckdb/duckdb.ts';

/** The memory that the comparison may use. What does not fit is in a temporary folder meanwhile. */
const MEMORY = '1GB';

/** Opens the tables of an audit. compare.sql says what they hold. */
export async function openAuditData() {
  const engine = await openEngine({ memory: MEMORY });
  /** Creates a table, and returns a function that adds a row to it. */
  const table = async <Column extends string>(
    name: string,
    columns: Record<Column, 'BIGINT' | 'BINARY' | 'BOOLEAN' | 'VARCHAR'>,
  ) => {
    const add = await engine.table(name, columns);
    return (row: Parameters<typeof add>[0][number]) => add([row]);
  };
  const entry = { hash: 'BINARY', uid: 'VARCHAR', entry_id: 'VARCHAR', received_at: 'BIGINT' } as const;
  const file = { path: 'VARCHAR', position: 'BIGINT' } as const;
  const ofFile = { kind: 'VARCHAR', stored_at: 'BIGINT', level: 'BIGINT', hashes: 'BIGINT' } as const;
  const cameTo = { size: 'BIGINT', cursor: 'BIGINT' } as const;
  return {
    engine,
    file: await table('file', { ...file, ...ofFile }),
    kept: await table('kept', { ...file, root: 'BINARY' }),
    leaf: await table('leaf', { idx: 'BIGINT', hash: 'BINARY', days: 'BIGINT' }),
    row: await table('row', { ...entry, claimed: 'BINARY', is_indexed: 'BOOLEAN', expires_at: 'BIGINT' }),
    known: await table('known', { ...entry, source: 'VARCHAR', receipt: 'VARCHAR', deadline: 'BIGINT' }),
    key: await table('key', { hash: 'BINARY', name: 'VARCHAR' }),
    mark: await table('mark', cameTo),
    hint: await table('hint', cameTo),
  };
}

export type AuditData = Awaited<ReturnType<typeof openAuditData>>;

/** Reads all rows of a query. */
export const rowsOf = <Row extends object>(engine: Engine, sql: string): Promise<Row[]> =>
  Array.fromAsync(engine.read<Row>(sql));
