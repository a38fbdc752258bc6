import { countOf, type Engine, queryOf } from '../../store/duckdb/duckdb.ts';

const query = (name: string): string => queryOf(name, import.meta.url);

/**
 * The bands of a signature, of 4 bytes each: half of a part. Two texts of similarity s share one with a probability of
 * 1 − (1 − s⁴)³².
 */
const BANDS = 32;

/** The bands that are looked up at once: all of a few texts, and one of many, so that the memory stays bounded. */
const ROWS_AT_ONCE = 4_000_000;

/** Ranks the texts in the buckets of some bands. A bucket is the number of its band and the four bytes. */
async function rankBands({ run, make }: Engine, first: number, count: number): Promise<void> {
  const bandOf = (band: number) => {
    const value = `(s${band >> 1} >> ${band % 2 === 0 ? 32 : 0}) & 4294967295`;
    return `SELECT text_digest, received_at, CAST(${band} AS BIGINT) * 4294967296 + (${value}) AS band
      FROM entries WHERE comparable`;
  };
  const bands = Array.from({ length: Math.min(count, BANDS - first) }, (_, index) => bandOf(first + index));
  await run(`CREATE OR REPLACE TABLE banded AS ${bands.join(' UNION ALL ')}`);
  await make('ranked', query('ranked'));
}

/**
 * Makes the table `near` of the rows in `entries`: every text that is long enough to be compared, the time at which it
 * was first received (`first_at`), and its leader, the earliest text that it nearly repeats, with the `places` that
 * they share, if there is one. The result depends on the rows only, not on what is known already or on the order in
 * which they came.
 * @param known a query of an earlier `near` of some of the rows; undefined: nothing is known
 * @returns true if there is anything that was not known
 */
export async function findLeaders(engine: Engine, known?: string): Promise<boolean> {
  const { run, make } = engine;
  const none =
    'SELECT CAST(0 AS BIGINT) AS text_digest, CAST(0 AS BIGINT) AS first_at, CAST(0 AS BIGINT) AS leader, 0 AS places WHERE FALSE';
  await run(`CREATE OR REPLACE TABLE known AS ${known ?? none}`);
  await make('fresh', query('fresh'));
  const count = (from: string) => countOf(engine, from);
  if ((await count('fresh')) === 0) {
    await run('CREATE OR REPLACE TABLE near AS SELECT * FROM known');
    return false;
  }
  const atOnce = Math.min(BANDS, Math.ceil(ROWS_AT_ONCE / (await count('entries'))));
  // A fresh text can be the leader of a known one only if it was received earlier.
  if ((await count('fresh WHERE first_at <= (SELECT max(first_at) FROM known)')) > 0) {
    await run('CREATE OR REPLACE TABLE again (text_digest BIGINT)');
    for (let band = 0; band < BANDS; band += atOnce) {
      await rankBands(engine, band, atOnce);
      await run(`INSERT INTO again ${query('affected')}`);
    }
    await run(`INSERT INTO fresh
      SELECT text_digest, first_at FROM known WHERE text_digest IN (SELECT text_digest FROM again)
        AND text_digest NOT IN (SELECT text_digest FROM fresh)`);
  }
  await run('CREATE OR REPLACE TABLE candidates (text_digest BIGINT, candidate BIGINT, among_first BOOLEAN)');
  for (let band = 0; band < BANDS; band += atOnce) {
    await rankBands(engine, band, atOnce);
    await run(`INSERT INTO candidates ${query('candidates')}`);
  }
  await make('signatures', query('signatures'));
  await run('CREATE OR REPLACE TABLE leaders (text_digest BIGINT, coded BIGINT)');
  // Most leaders are among the first two of a bucket. Then only the texts before them have to be compared.
  for (const condition of ['among_first', 'NOT among_first']) {
    await run(`CREATE OR REPLACE TABLE pairs AS
      SELECT DISTINCT candidates.text_digest, candidates.candidate
      FROM candidates
      JOIN signatures ON signatures.text_digest = candidates.candidate
      LEFT JOIN leaders ON leaders.text_digest = candidates.text_digest
      WHERE ${condition} AND (leaders.coded IS NULL OR signatures.n * 1000 < leaders.coded)`);
    await run(`INSERT INTO leaders ${query('leaders')}`);
  }
  await run(`CREATE OR REPLACE TABLE near AS
    SELECT * FROM known WHERE text_digest NOT IN (SELECT text_digest FROM fresh)
    UNION ALL
    SELECT fresh.text_digest, fresh.first_at, signatures.text_digest AS leader, CAST(found.coded % 1000 AS INTEGER) AS places
    FROM fresh
    LEFT JOIN (SELECT text_digest, min(coded) AS coded FROM leaders GROUP BY text_digest) AS found
      ON found.text_digest = fresh.text_digest
    LEFT JOIN signatures ON signatures.n = CAST((found.coded - found.coded % 1000) / 1000 AS BIGINT)`);
  for (const table of ['known', 'fresh', 'banded', 'ranked', 'candidates', 'signatures', 'leaders', 'pairs'])
    await run(`DROP TABLE IF EXISTS ${table}`);
  return true;
}
