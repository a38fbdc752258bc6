import type { Policy } from '../../../functions/c2sp/policy.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { openEngine } from '../../store/duckdb/duckdb.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import type { Report } from './findings.ts';

/** Opens the tables of an audit. sql/found.sql says what they hold. */
export async function openAuditData() {
  // The engine keeps data beyond its memory in a temporary folder.
  const engine = await openEngine({ memory: 1000 });
  const table = async <Column extends string>(
    name: string,
    columns: Record<Column, 'BIGINT' | 'BINARY' | 'BOOLEAN' | 'VARCHAR'>,
  ) => {
    const add = await engine.table(name, columns);
    return (row: Parameters<typeof add>[0][number]) => add([row]);
  };
  const entry = { hash: 'BINARY', uid: 'VARCHAR', entry_id: 'VARCHAR', received_at: 'BIGINT' } as const;
  return {
    engine,
    stored: await table('stored', { path: 'VARCHAR' }),
    expected: await table('expected', { path: 'VARCHAR' }),
    leaf: await table('leaf', { idx: 'BIGINT', hash: 'BINARY', n: 'BIGINT' }),
    commit: await table('commit', { n: 'BIGINT', time: 'BIGINT', cursor: 'BIGINT', looked: 'BIGINT', days: 'BIGINT' }),
    row: await table('compared', { ...entry, claimed: 'BINARY', is_indexed: 'BOOLEAN', expires_at: 'BIGINT' }),
    known: await table('known', { ...entry, source: 'VARCHAR', promised: 'BOOLEAN', deadline: 'BIGINT' }),
  };
}

/** A checkpoint that somebody kept. */
export type Kept = Readonly<{ path: string; size: number; root: Uint8Array }>;

export interface Audit {
  readonly terminal: Surroundings;
  readonly files: TlogFiles;
  readonly origin: string | undefined;
  readonly policy: Policy;
  readonly kept: readonly Kept[];
  /** False: the files are a copy, which is younger than the log and may leave out tiles of earlier trees. */
  readonly isOwn: boolean;
  readonly now: number;
  readonly data: Awaited<ReturnType<typeof openAuditData>>;
  readonly report: Report;
  /** Reports what is wrong with a file of the log. @param what a sentence that its path begins */
  readonly wrong: (path: string, what: string) => void;
}
