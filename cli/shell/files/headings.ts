import { comparable } from '../text/comparable.ts';

/** A remark behind a name, such as `(USDT)` or `(UTC+8)`. */
const REMARK = /\([^()]*\)|（[^（）]*）|\[[^[\]]*\]/g;

/**
 * Returns the places of the headings that have the best name of a column.
 * @param names the names of the column as `comparable` writes them, the best one first
 * @param withoutMore returns a heading without what may stand beside the name
 */
export function placesOf(
  names: readonly string[],
  heads: readonly string[],
  withoutMore = (heading: string): string => heading,
): number[] {
  // The whole heading is compared first, then that without remarks.
  const spellings = heads.map((head) =>
    [head, withoutMore(head), withoutMore(head).replace(REMARK, '')].map(comparable),
  );
  const bestOf = (one: readonly string[]) =>
    Math.min(...one.map((name) => names.indexOf(name)).filter((at) => at >= 0));
  const ranks = spellings.map(bestOf);
  const best = Math.min(...ranks);
  const found = ranks.flatMap((rank, place) => (rank === best && best < names.length ? [place] : []));
  // `Filled Volume` is meant before `Filled Volume (USDT)`.
  const whole = found.filter((place) => spellings[place]?.[0] === names[best]);
  return whole.length > 0 ? whole : found;
}
