import { foldText } from '../../../functions/features/foldText.ts';

/** The characters that are folded at once to find the place of a match. */
const CHUNK = 1024;

/** Returns the index in a text of which the folded text before has a length. It folds the text once more, in chunks. */
function sourceIndex(text: string, foldedLength: number): number {
  let [start, before] = [0, 0];
  for (; start < text.length; start += CHUNK) {
    const { length } = foldText(text.slice(start, start + CHUNK));
    if (before + length > foldedLength) break;
    before += length;
  }
  let [low, high] = [start, Math.min(text.length, start + CHUNK)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (before + foldText(text.slice(start, middle)).length <= foldedLength) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Finds a text in another, however it is spelled: see `foldText`. A text of which folding leaves nothing, such as an
 * invisible character, is found as it is.
 * @param most the most places that are looked for
 * @returns where each place begins and ends, in their order
 */
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
