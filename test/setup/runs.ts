const { SEED, THOROUGH } = process.env;

/** The seed of random tests. `npm test` always uses 1. A thorough run uses a new one each time, unless SEED sets it. */
const seed = Number(SEED || (THOROUGH ? Date.now() % 2 ** 31 : 1));

/** Returns how often a random test runs, and its seed. @param short in `npm test` @param thorough in that mode */
export const runs = (short: number, thorough: number) => ({ numRuns: THOROUGH ? thorough : short, seed });
