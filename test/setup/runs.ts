const { SEED, THOROUGH } = process.env;

/** The seed of random tests. `npm test` always uses 1. A thorough run uses a new one each time, unless SEED sets it. */
const seed = Number(SEED || (THOROUGH ? Date.now() % 2 ** 31 : 1));

/**
 * Returns the number of runs and the seed of a random test.
 * @param short the number of runs in `npm test`
 * @param thorough the number of runs with `--mode thorough`
 */
export const runs = (short: number, thorough: number) => ({ numRuns: THOROUGH ? thorough : short, seed });
