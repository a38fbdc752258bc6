import { findFolded } from '../../shell/text/findFolded.ts';
import { HIDDEN } from '../../shell/text/visible.ts';

/** The most marks of each term in a text. */
const MARKS = 50;

/**
 * Finds terms in a text, however they are spelled, and also where hidden characters interrupt them, which the console
 * has escaped.
 */
export function findTerms(terms: readonly string[], text: string): (readonly [start: number, end: number])[] {
  const escapes = [...text.matchAll(/(?:\\u[0-9a-f]{4})+/g)].filter(
    ([escaped]) => JSON.parse(`"${escaped}"`).replace(HIDDEN, '') === '',
  );
  const plain = escapes.reduceRight(
    (rest, { 0: { length }, index }) => rest.slice(0, index) + rest.slice(index + length),
    text,
  );
  /** Returns the place in the text with the escapes. A term starts after one, and ends before one. */
  const placeOf = (place: number, isStart: boolean) =>
    escapes.reduce(
      (at, { 0: { length }, index }) => (index < at || (isStart && index === at) ? at + length : at),
      place,
    );
  return terms
    .flatMap((term) => findFolded(term, plain, MARKS))
    .map(([start, end]) => [placeOf(start, true), placeOf(end, false)] as const)
    .sort(([one], [other]) => one - other);
}
