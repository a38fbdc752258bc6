/** A string with the plain value that follows it if it is a key, or one bracket, of a JSON text. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(?:\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|[^\s"{}[\],]+))?|[{}[\]]/g;

/** A plain value (string, number, literal) in a JSON text, as it is written there. */
export interface ScannedValue {
  readonly text: string;
  /** The index of its first character. */
  readonly start: number;
}

/**
 * Finds the plain value of a key at the top level of a JSON object, exactly as it was written. `JSON.parse` rounds numbers
 * beyond 2^53, and Middy's body parser does not pass on their source text.
 * @param json a JSON object, known to be valid
 * @returns the last value of that key, which is the one that `JSON.parse` returns; undefined if there is none
 */
export function findTopLevelValue(json: string, key: string): ScannedValue | undefined {
  let depth = 0;
  let found: ScannedValue | undefined;
  for (const match of json.matchAll(TOKEN)) {
    const [token, name, text] = match;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && text !== undefined && JSON.parse(name as string) === key) {
      found = { text, start: match.index + token.length - text.length };
    }
  }
  return found;
}
