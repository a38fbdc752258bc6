import { foldText } from '../../../functions/features/foldText.ts';
import { HIDDEN } from './visible.ts';

/** The characters that are folded at once to find the place of a match. */
const CHUNK = 1024;

/** Returns the index in a text of which the folded text before has a length. It folds the text once more, in chunks. */
function sourceIndex(text: string, foldedLength: number): number {
  let start = 0;
  let before = 0;
  for (; start < text.length; start += CHUNK) {
    const { length } = foldText(text.slice(start, start + CHUNK));
    if (before + length > foldedLength) break;
    before += length;
  }
  let low = start;
  let high = Math.min(text.length, start + CHUNK);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (before + foldText(text.slice(start, middle)).length <= foldedLength) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Finds up to `most` places of a text in another, however it is spelled (`foldText`): where each begins and ends. */
export function findFolded(wanted: string, text: string, most: number): (readonly [start: number, end: number])[] {
  const foldedWanted = foldText(wanted);
  const folded = foldedWanted === '' ? text : foldText(text);
  const sought = foldedWanted || wanted;
  const sourceOf = (place: number) => (folded.length === text.length ? place : sourceIndex(text, place));
  const places: [number, number][] = [];
  for (
    let at = folded.indexOf(sought);
    at !== -1 && places.length < most;
    at = folded.indexOf(sought, at + sought.length)
  ) {
    const start = sourceOf(at);
    places.push([start, Math.max(start + 1, sourceOf(at + sought.length))]);
  }
  return places;
}

/** Finds terms in a text, at most 50 places each, also where escapes of hidden characters interrupt them. */
export function findTerms(terms: readonly string[], text: string): (readonly [start: number, end: number])[] {
  const escapes = [...text.matchAll(/(?:\\u[0-9a-f]{4})+/g)].filter(
    ([escaped]) => JSON.parse(`"${escaped}"`).replace(HIDDEN, '') === '',
  );
  const endOf = (one: RegExpExecArray | undefined) => (one === undefined ? 0 : one.index + one[0].length);
  const parts = escapes.map(({ index }, place) => text.slice(endOf(escapes[place - 1]), index));
  const plain = parts.join('') + text.slice(endOf(escapes.at(-1)));
  /** Returns the place in the text with the escapes. A term starts after one, and ends before one. */
  const placeOf = (place: number, isStart: boolean) =>
    escapes.reduce(
      (at, { 0: { length }, index }) => (index < at || (isStart && index === at) ? at + length : at),
      place,
    );
  return terms
    .flatMap((term) => findFolded(term, plain, 50))
    .map(([start, end]) => [placeOf(start, true), placeOf(end, false)] as const)
    .sort(([one], [other]) => one - other);
}
