import { defineOpener, type Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { countOf } from '../../store/duckdb/duckdb.ts';
import { requireDeployedRows } from '../../store/targets/openedTarget.ts';
import { TARGET_OPTIONS, type Target, withTarget } from '../../store/targets/target.ts';
import { noSync, withRows } from '../rows/openRows.ts';
import type { ReviewedRows } from './openReview.ts';
import { reviewOptions } from './reviewOptions.ts';

type Opened = Readonly<{ target: Target; rows: ReviewedRows } & Record<'since' | 'until', number | undefined>>;

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
    const why = 'Entries with rows of another version only, which are not reviewed';
    if (old > 0) terminal.note(`${why}: ${old}. ailog data backfill makes them again.`);
    return await work({ engine, problems: [] });
  } finally {
    // An error here would hide the error of the work.
    const end = Promise.resolve(engine.close());
    await end.catch(({ message }) => terminal.note(`Tables named run_… are left in Athena. ${message}`));
  }
}

/**
 * Runs work on the rows that a review needs. @param sync false: use the rows on this machine as they are
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

/** Opens what `ailog report` needs: a target, its rows, and the period, in milliseconds since 1970. */
export const onReviewedRows = defineOpener({
  kind: 'a target',
  options: {
    ...TARGET_OPTIONS,
    sync: noSync,
    engine: {
      flags: '--engine <name>',
      help: 'where the SQL runs: on this machine, or over the rows of a deployment',
      choices: ['duckdb', 'athena'],
      default: 'duckdb',
    },
    since: reviewOptions.since,
    until: reviewOptions.until,
  },
  async use(terminal, asked, work: (opened: Opened) => Promise<void>) {
    const { since, until } = asked;
    if (since !== undefined && until !== undefined && since >= until) {
      throw new Failure('usage', '--since must be before --until.');
    }
    await withTarget(terminal, asked, (target) =>
      withReviewedRows(terminal, target, asked, (rows) => work({ target, rows, since, until })),
    );
  },
});
