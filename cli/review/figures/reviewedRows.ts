import { Option } from '@commander-js/extra-typings';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { countOf } from '../../store/duckdb/duckdb.ts';
import { requireDeployedRows } from '../../store/targets/openedTarget.ts';
import type { Target } from '../../store/targets/target.ts';
import { withRows } from '../rows/openRows.ts';
import type { ReviewedRows } from './openReview.ts';

/** The option that selects what runs the SQL of a review. */
export const engineOption = () =>
  new Option('--engine <name>', 'where the SQL runs: on this machine, or over the rows of a deployment')
    .choices(['duckdb', 'athena'] as const)
    .default('duckdb' as const);

/** Runs work on the rows of a deployment, by Athena. */
async function withDeployedRows<Result>(
  terminal: Surroundings,
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
    return await work({ engine, problems: [] });
  } finally {
    // An error here would hide that of the work.
    const end = Promise.resolve(engine.close());
    await end.catch(({ message }) => terminal.note(`Tables named run_… are left in Athena. ${message}`));
  }
}

/**
 * Opens the rows that a review needs, and runs work on them.
 * @param sync false: use the rows on this machine as they are
 * @param engine `athena`: use the rows of a deployment up to `until`, and none on this machine
 */
export async function withReviewedRows<Result>(
  terminal: Surroundings,
  target: Target,
  { sync, engine: name, until }: { sync: boolean; engine?: 'duckdb' | 'athena'; until?: number | undefined },
  work: (rows: ReviewedRows) => Promise<Result>,
): Promise<Result> {
  if (name === 'athena') return withDeployedRows(terminal, target, until, work);
  return withRows(terminal, target, { sync }, ({ engine, store, manifest }) =>
    work({ engine, problems: manifest.problems, stored: { store, manifest } }),
  );
}
