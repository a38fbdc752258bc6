import { Option } from '@commander-js/extra-typings';
import { openEngine } from '../analysis/engine.ts';
import { loadRows } from '../analysis/loadRows.ts';
import { requireDeployedRows } from '../target/openedTarget.ts';
import type { Target } from '../target/target.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { ReviewedRows } from './openReview.ts';
import { withRows } from './openRows.ts';
import { storedLeaders } from './rowTables.ts';

/** The option that selects what runs the SQL of a review. */
export const engineOption = () =>
  new Option('--engine <name>', 'where the SQL runs: on this machine, or over the rows of a deployment')
    .choices(['duckdb', 'athena'] as const)
    .default('duckdb' as const);

/** Runs work on the rows of a deployment, by Athena. */
async function withDeployedRows<Result>(target: Target, work: (rows: ReviewedRows) => Promise<Result>) {
  const { settings, ...place } = await requireDeployedRows(target);
  const [{ AthenaClient }, { S3Client }, { openAthena }] = await Promise.all([
    import('@aws-sdk/client-athena'),
    import('@aws-sdk/client-s3'),
    import('../analysis/athenaEngine.ts'),
  ]);
  const engine = openAthena({ ...place, athena: new AthenaClient(settings), s3: new S3Client(settings) });
  try {
    return await work({ engine, problems: [], hasLeaves: undefined });
  } finally {
    await engine.close();
  }
}

/**
 * Opens the rows that a review needs, and runs work on them.
 * @param sync false: use the rows on this machine as they are
 * @param cache false: read the table itself, and keep nothing
 * @param engine `athena`: use the rows of a deployment, and none on this machine
 */
export async function withReviewedRows<Result>(
  terminal: Terminal,
  target: Target,
  { sync, cache, engine: name }: { sync: boolean; cache: boolean; engine?: 'duckdb' | 'athena' },
  work: (rows: ReviewedRows) => Promise<Result>,
): Promise<Result> {
  if (name === 'athena') return withDeployedRows(target, work);
  if (cache) {
    return withRows(terminal, target, { sync }, async ({ engine, store, manifest }) => {
      const leaders = storedLeaders(store, manifest);
      return work({ engine, problems: manifest.problems, hasLeaves: true, leaders, stored: { store, manifest } });
    });
  }
  const engine = await openEngine();
  try {
    return await work({ engine, problems: await loadRows(terminal, target, engine), hasLeaves: false });
  } finally {
    engine.close();
  }
}
