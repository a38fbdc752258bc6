import { Option } from '@commander-js/extra-typings';
import { FEATURE_COLUMNS } from '../../../functions/features/featureRow.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { countOf, type Engine, memoryFor, openEngine } from '../../store/duckdb/duckdb.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { readPages } from '../../store/entries/readPages.ts';
import { requireDeployedRows } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { openBodyReader } from '../rows/bodyReader.ts';
import { rowOrProblem } from '../rows/collectRows.ts';
import { withRows } from '../rows/openRows.ts';
import type { Problem } from '../rows/rowStore.ts';
import type { ReviewedRows } from './openReview.ts';

/** The option that selects what runs the SQL of a review. */
export const engineOption = () =>
  new Option('--engine <name>', 'where the SQL runs: on this machine, or over the rows of a deployment')
    .choices(['duckdb', 'athena'] as const)
    .default('duckdb' as const);

/** Runs work on the rows of a deployment, by Athena. */
async function withDeployedRows<Result>(
  terminal: Terminal,
  target: Target,
  until: number | undefined,
  work: (rows: ReviewedRows) => Promise<Result>,
) {
  const { settings, ...place } = await requireDeployedRows(target);
  const [{ AthenaClient }, { S3Client }, { openAthena }] = await Promise.all([
    import('@aws-sdk/client-athena'),
    import('@aws-sdk/client-s3'),
    import('./athenaEngine.ts'),
  ]);
  const engine = openAthena({ ...place, until, athena: new AthenaClient(settings), s3: new S3Client(settings) });
  try {
    const keys = 'SELECT uid, entry_id FROM';
    const old = await countOf(engine, `(${keys} rows_of_all_versions EXCEPT ${keys} entries) AS old`);
    if (old > 0) {
      terminal.note(
        `Entries with rows of another version only, which are not reviewed: ${old}. ailog data backfill makes them again.`,
      );
    }
    return await work({ engine, problems: [], hasLeaves: undefined });
  } finally {
    // An error here would hide that of the work.
    const end = Promise.resolve(engine.close());
    await end.catch(({ message }) => terminal.note(`Tables named run_… are left in Athena. ${message}`));
  }
}

/**
 * Reads all entries, and makes the table `entries` of their feature rows, in memory only.
 * @returns the entries that get no row, or one that is not what the table says of them
 */
async function loadRows(
  terminal: Terminal,
  reader: ReturnType<typeof entriesReader>,
  engine: Engine,
): Promise<Problem[]> {
  const add = await engine.table('entries', FEATURE_COLUMNS);
  const decompress = await openBodyReader();
  const problems: Problem[] = [];
  for await (const { entries } of readPages(terminal, reader, {})) {
    const made = entries.map((entry) => rowOrProblem(entry, decompress));
    await add(made.flatMap(({ indexed }) => indexed?.row ?? []));
    problems.push(...made.flatMap(({ problem }) => problem ?? []));
  }
  return problems;
}

/**
 * Opens the rows that a review needs, and runs work on them.
 * @param sync false: use the rows on this machine as they are
 * @param cache false: read the table itself, and keep nothing
 * @param engine `athena`: use the rows of a deployment up to `until`, and none on this machine
 */
export async function withReviewedRows<Result>(
  terminal: Terminal,
  target: Target,
  {
    sync,
    cache,
    engine: name,
    until,
  }: { sync: boolean; cache: boolean; engine?: 'duckdb' | 'athena'; until?: number | undefined },
  work: (rows: ReviewedRows) => Promise<Result>,
): Promise<Result> {
  if (name === 'athena') return withDeployedRows(terminal, target, until, work);
  if (cache) {
    return withRows(terminal, target, { sync }, ({ engine, store, manifest }) =>
      work({ engine, problems: manifest.problems, hasLeaves: true, stored: { store, manifest } }),
    );
  }
  const reader = entriesReader(target);
  const { ItemCount = 0 } = await reader.describe();
  const engine = await openEngine({ memory: memoryFor(ItemCount) });
  try {
    return await work({ engine, problems: await loadRows(terminal, reader, engine), hasLeaves: false });
  } finally {
    engine.close();
  }
}
