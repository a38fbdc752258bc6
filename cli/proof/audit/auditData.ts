import type { Policy } from '../../../functions/c2sp/policy.ts';
import { formatHint, parseHints } from '../../../functions/tlog/hints.ts';
import { hintsPath } from '../../../functions/tlog/paths.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { pause } from '../../shell/terminal/signals.ts';
import { type Engine, openEngine } from '../../store/duckdb/duckdb.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { readPages } from '../../store/entries/readPages.ts';
import type { Target } from '../../store/targets/target.ts';
import type { TlogFiles } from '../../store/targets/tlogFiles.ts';
import { announcedDays } from '../inclusion/keyLeaves.ts';
import { checkRow } from './checkRow.ts';
import type { Report } from './findings.ts';
import { readKnown } from './known.ts';

/** Opens the tables of an audit. compare.sql says what they hold. */
export async function openAuditData() {
  // What does not fit is in a temporary folder meanwhile.
  const engine = await openEngine({ memory: 1000 });
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
    cosigned: await table('cosigned', { size: 'BIGINT', cosigned_at: 'BIGINT' }),
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

/** What the parts of an audit share: the files of the log, the policy that decides, its tables, and who hears of it. */
export interface Audit {
  readonly terminal: Surroundings;
  readonly files: TlogFiles;
  readonly policy: Policy;
  readonly data: AuditData;
  readonly report: Report;
}

export const rowsOf = <Row extends object>(engine: Engine, sql: string): Promise<Row[]> =>
  Array.fromAsync(engine.read<Row>(sql));

/** Puts entries of the log into `leaf`. @param first the index of the first of them */
export async function addLeaves(data: AuditData, entries: readonly (Uint8Array | undefined)[], first: number) {
  for (const [at, hash] of entries.entries()) {
    if (hash) await data.leaf({ idx: first + at, hash, days: announcedDays(hash) });
  }
}

/** Puts the entries of a target into `row`, and reports what is wrong with each by itself. */
export async function addRows(target: Target, bodies: boolean, { terminal, data, report }: Audit) {
  const reader = entriesReader(target);
  for await (const { entries } of readPages(terminal, reader, {})) {
    for (const entry of entries) await data.row(checkRow(entry, bodies, report));
  }
}

/** Puts the hints of a log into `hint`. @returns the paths of those that have more than the sequencer writes */
export async function addHints({ files, data }: Audit): Promise<string[]> {
  const strange: string[] = [];
  for await (const { path } of files.list(hintsPath(''))) {
    const text = Buffer.from((await files.read(path)) ?? []).toString();
    const hints = parseHints(text);
    for (const { size, cursor } of hints) await data.hint({ size, cursor });
    if (hints.map(formatHint).join('') !== text) strange.push(path);
  }
  return strange;
}

/** Puts the entries that a file describes into `known`. @throws Failure see `readKnown` */
export async function addKnown(path: string, origin: string, { terminal, policy, data }: Audit): Promise<void> {
  for await (const { entryId, receivedAt, source, ...rest } of readKnown(path, origin, policy)) {
    await pause(terminal.signal);
    await data.known({ ...rest, entry_id: entryId, received_at: receivedAt, source: JSON.stringify(source) });
  }
}
