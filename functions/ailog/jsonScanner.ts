/** A JSON string. One that is cut reaches to the end, else each escaped quotation mark would start another scan. */
export const JSON_STRING = String.raw`"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)`;

const TOKEN = new RegExp(String.raw`(${JSON_STRING})(?:\s*:\s*(${JSON_STRING}|[^\s"{}[\],]+))?|[{}[\]]`, 'g');

/**
 * Finds the last plain value of a key at the top level of an object as spelled, as JSON.parse rounds beyond 2^53
 * (docs/decisions.md#order-id-digits). @returns it, and where it starts; undefined if there is none
 */
export function findTopLevelValue(json: string, key: string) {
  let depth = 0;
  let found: { readonly text: string; readonly start: number } | undefined;
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

const NUMBER = /\s*:\s*([-+.\dEe]+)/y;

/** Returns the number of a key as spelled. It looks at the whole text only if the key may be spelled twice. */
export function spellingOfNumber(json: string, key: string): string | undefined {
  const name = JSON.stringify(key);
  const at = json.indexOf(name);
  // `\u00` begins the escape of every ASCII letter.
  if (at !== -1 && json.indexOf(name, at + 1) === -1 && !json.includes('\\u00')) {
    NUMBER.lastIndex = at + name.length;
    const [, number] = NUMBER.exec(json) ?? [];
    if (number !== undefined) return number;
  }
  return findTopLevelValue(json, key)?.text;
}
