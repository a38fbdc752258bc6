/** One string with what follows it if it is a key with a number as its value, or one bracket, of a JSON text. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(?:\s*:\s*(-?\d[\d.eE+-]*))?|[{}[\]]/g;

/**
 * The digits of a number at the top level of a JSON object, as they were written: `JSON.parse` rounds what is beyond
 * 2^53, and its `source` is no longer there when the body parser is done.
 * @param text a JSON object, known to be valid
 * @returns the last number with that key, which is the one that counts for `JSON.parse`
 */
export function digitsOf(key: string, text: string): string | undefined {
  let depth = 0;
  let digits: string | undefined;
  for (const [token, string, number] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && number !== undefined && JSON.parse(string as string) === key) digits = number;
  }
  return digits;
}
