const { SEED, THOROUGH } = process.env;

/** Where random tests start. In `npm test` always the same; in the long run another each time, unless SEED says which. */
const seed = Number(SEED || (THOROUGH ? Date.now() % 2 ** 31 : 1));

/**
 * How often a random test is run, and from which seed.
 * @param short in `npm test`
 * @param thorough in the long run, `--mode thorough`
 */
export const runs = (short: number, thorough: number) => ({ numRuns: THOROUGH ? thorough : short, seed });
