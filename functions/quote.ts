const QUOTE_LIMIT_CODE_POINTS = 40;

/** Returns the start of a text: at most a number of code points, so that no character is cut in half. */
export const firstCodePoints = (text: string, limit: number): string =>
  text.length <= limit ? text : [...text.slice(0, 2 * limit)].slice(0, limit).join('');

/** Returns a text as a message may quote it: at most 40 code points, with an ellipsis where it was cut. */
export function shorten(text: string): string {
  const start = firstCodePoints(text, QUOTE_LIMIT_CODE_POINTS);
  return start === text ? text : `${start}…`;
}

/** Returns a shortened text in quotation marks, with control characters escaped as in JSON. */
export const quote = (text: string): string => JSON.stringify(shorten(text));
