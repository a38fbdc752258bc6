import { type AnyEngine, countOf, queryOf } from '../../store/duckdb/duckdb.ts';

const query = (name: string): string => queryOf(name, import.meta.url);

/**
 * The bands of a signature, of 4 bytes each: half of a part. Two texts of similarity s share one with a probability of
 * 1 − (1 − s⁴)³².
 */
const BANDS = 32;

/** The parts of a signature, of 8 places each. */
const PARTS = 16;

/** The bands that are looked up at once: all of a few texts, and one of many, so that the memory stays bounded. */
const ROWS_AT_ONCE = 4_000_000;

const MADE = [
  'known',
  'numbered',
  'fresh',
  'again',
  'banded',
  'ranked',
  'candidates',
  'signatures',
  'leaders',
  'pairs',
];

const PART_NAMES = Array.from({ length: PARTS }, (_, part) => `s${part}`);

/** How the parts of two texts differ, in steps: steps within each other take DuckDB longer to plan than to take. */
const DIFFERENCES = [4, 2, 1].reduce(
  (bits, places) =>
    `SELECT n, leader, ${PART_NAMES.map((s) => `bitwise_or(${s}, bitwise_right_shift(${s}, ${places})) AS ${s}`)}
    FROM (${bits}) AS by_${places}`,
  `SELECT one.n, other.n AS leader, ${PART_NAMES.map((s) => `bitwise_xor(one.${s}, other.${s}) AS ${s}`)}
    FROM pairs
    JOIN signatures AS one ON one.n = pairs.n
    JOIN signatures AS other ON other.n = pairs.candidate`,
);

/**
 * The leader of each text, both by their numbers: the earliest text, by time of receipt, with which it shares a band
 * and at least half of the 128 places of its signature. Of each byte of the difference of two parts, the shifts leave
 * one bit: a 1 in each of the eight bytes at which they differ. In the sum, each byte counts up to 16 places. The
 * remainder adds them up, because 256 is 1 more than 255. A filter would make DuckDB count the places twice.
 */
const LEADERS = `WITH compared AS (
  SELECT n, leader,
    128 - (${PART_NAMES.map((s) => `bitwise_and(${s}, 72340172838076673)`).join(' + ')}) % 255 AS places
  FROM (${DIFFERENCES}) AS bits
),
earliest AS (
  SELECT n, min(CASE WHEN places >= 64 THEN leader END) AS leader,
    min_by(places, CASE WHEN places >= 64 THEN leader END) AS places
  FROM compared GROUP BY n
)
SELECT n, leader, places FROM earliest WHERE leader IS NOT NULL`;

const noRows = (columns: Readonly<Record<string, string>>): string =>
  `SELECT ${Object.entries(columns).map(([name, type]) => `CAST(NULL AS ${type}) AS ${name}`)} WHERE FALSE`;

/** The buckets with a fresh text. */
const WITH_FRESH = 'WHERE band IN (SELECT banded.band FROM banded JOIN fresh ON fresh.n = banded.n)';

/**
 * Ranks the texts in the buckets of some bands. A bucket is the number of its band and the four bytes.
 * @param condition chooses the buckets
 */
async function rankBands({ make }: AnyEngine, first: number, count: number, condition: string): Promise<void> {
  const bands = Array.from({ length: Math.min(count, BANDS - first) }, (_, index) => first + index);
  const partOf = (band: number) => `s${band >> 1}`;
  const bandOf = (band: number) => {
    const value = `bitwise_and(bitwise_right_shift(${partOf(band)}, ${band % 2 === 0 ? 32 : 0}), 4294967295)`;
    return `SELECT n, CAST(${band} AS BIGINT) * 4294967296 + ${value} AS band FROM parts`;
  };
  const parts = `SELECT numbered.n, ${[...new Set(bands.map(partOf))]}
      FROM entries
      JOIN numbered ON numbered.text_digest = entries.text_digest AND numbered.first_at = entries.received_at`;
  await make('banded', `WITH parts AS (${parts}) ${bands.map(bandOf).join(' UNION ALL ')}`);
  await make('ranked', `${query('ranked')} ${condition}`);
}

/** See `findLeaders`, which drops the tables that this makes on the way. */
async function makeNear(engine: AnyEngine, known: string | undefined): Promise<boolean> {
  const { make, append } = engine;
  await make(
    'known',
    known ?? noRows({ text_digest: 'BIGINT', first_at: 'BIGINT', leader: 'BIGINT', places: 'INTEGER' }),
  );
  await make('numbered', query('numbered'));
  await make('fresh', query('fresh'));
  const count = (from: string) => countOf(engine, from);
  const fresh = await count('fresh');
  if (fresh === 0) {
    await make('near', 'SELECT * FROM known');
    return false;
  }
  const condition = fresh === (await count('numbered')) ? '' : WITH_FRESH;
  const atOnce = Math.min(BANDS, Math.ceil(ROWS_AT_ONCE / (await count('entries'))));
  // A fresh text can be the leader of a known one only if it was received earlier.
  if ((await count('fresh WHERE first_at <= (SELECT max(first_at) FROM known)')) > 0) {
    await make('again', noRows({ n: 'INTEGER' }));
    for (let band = 0; band < BANDS; band += atOnce) {
      await rankBands(engine, band, atOnce, condition);
      await append('again', query('affected'));
    }
    await append('fresh', query('again'));
  }
  await make('candidates', noRows({ n: 'INTEGER', candidate: 'INTEGER', among_first: 'BOOLEAN' }));
  for (let band = 0; band < BANDS; band += atOnce) {
    await rankBands(engine, band, atOnce, condition);
    await append('candidates', query('candidates'));
  }
  await make('signatures', query('signatures'));
  await make('leaders', noRows({ n: 'INTEGER', leader: 'INTEGER', places: 'BIGINT' }));
  // Most leaders are among the first two of a bucket. Then only the texts before them have to be compared.
  for (const condition of ['among_first', 'NOT among_first']) {
    await make('pairs', `${query('pairs')} AND ${condition}`);
    await append('leaders', LEADERS);
  }
  await make('near', query('near'));
  return true;
}

/**
 * Makes the table `near` of the rows in `entries`: every text that is long enough to be compared, the time at which it
 * was first received (`first_at`), and its leader, the earliest text that it nearly repeats, with the `places` that
 * they share, if there is one. The result depends on the rows only, not on what is known already or on the order in
 * which they came.
 * @param known a query of an earlier `near` of some of the rows; undefined: nothing is known
 * @returns true if there is anything that was not known
 */
export async function findLeaders(engine: AnyEngine, known?: string): Promise<boolean> {
  const isNew = await makeNear(engine, known);
  for (const table of MADE) await engine.drop(table);
  return isNew;
}
