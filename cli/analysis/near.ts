import { countOf, type Engine } from './engine.ts';

/** The bands of a signature. Two texts of similarity s share one with a probability of 1 − (1 − s⁴)³². */
const BANDS = 32;

/** The bands that are looked up at once: all of a few texts, and one of many, so that the memory stays bounded. */
const ROWS_AT_ONCE = 4_000_000;

/** Ranks the texts in the buckets of some bands. A bucket is the number of its band and the four bytes. */
async function rankBands({ run, make }: Engine, first: number, count: number): Promise<void> {
  const bandOf = (
    band: number,
  ) => `SELECT text_digest, received_at, CAST(${band} AS BIGINT) * 4294967296 + b${band} AS band
    FROM entries WHERE comparable`;
  const bands = Array.from({ length: Math.min(count, BANDS - first) }, (_, index) => bandOf(first + index));
  await run(`CREATE OR REPLACE TABLE banded AS ${bands.join(' UNION ALL ')}`);
  await make('ranked');
}

/**
 * Makes the table `near` of the rows in `entries`: every text that is long enough to be compared, the time at which it
 * was first received (`first_at`), and its leader, the earliest text that it nearly repeats, with the `places` that
 * they share, if there is one. The result depends on the rows only, whatever is known already and in which order they
 * came.
 * @param known a query of an earlier `near` of some of the rows; undefined: nothing is known
 * @returns true if there is anything that was not known
 */
export async function findLeaders(engine: Engine, known?: string): Promise<boolean> {
  const { run, make } = engine;
  const none =
    'SELECT CAST(0 AS BIGINT) AS text_digest, CAST(0 AS BIGINT) AS first_at, CAST(0 AS BIGINT) AS leader, 0 AS places WHERE FALSE';
  await run(`CREATE OR REPLACE TABLE known AS ${known ?? none}`);
  await make('fresh');
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
      await make('affected');
      await run('INSERT INTO again SELECT text_digest FROM affected');
    }
    await run(`INSERT INTO fresh
      SELECT text_digest, first_at FROM known WHERE text_digest IN (SELECT text_digest FROM again)
        AND text_digest NOT IN (SELECT text_digest FROM fresh)`);
  }
  await run('CREATE OR REPLACE TABLE candidates (text_digest BIGINT, candidate BIGINT)');
  for (let band = 0; band < BANDS; band += atOnce) {
    await rankBands(engine, band, atOnce);
    await make('compared', 'candidates');
    await run('INSERT INTO candidates SELECT * FROM compared');
  }
  if ((await count('candidates')) > 0) await make('leaders');
  else await run('CREATE OR REPLACE TABLE leaders AS SELECT text_digest, leader, places FROM known WHERE FALSE');
  await run(`CREATE OR REPLACE TABLE near AS
    SELECT * FROM known WHERE text_digest NOT IN (SELECT text_digest FROM fresh)
    UNION ALL
    SELECT fresh.text_digest, fresh.first_at, leaders.leader, leaders.places
    FROM fresh LEFT JOIN leaders ON leaders.text_digest = fresh.text_digest`);
  for (const table of ['known', 'fresh', 'banded', 'ranked', 'candidates', 'compared', 'leaders'])
    await run(`DROP TABLE IF EXISTS ${table}`);
  return true;
}
