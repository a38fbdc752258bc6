import { quote } from '../quote.ts';

/** White space, then a token of JSON if there is one: a sign, a word, a number, or a string up to its closing quote. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters.
  /[\t\n\r ]*([{}[\]:,]|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\\u0000-\u001f]*)*)?/y;

/** Words that are not JSON, such as `NaN`, `-Infinity`, `None` or `undefined`. Any other character stands alone. */
const WORD = /[-+.\w]+|./suy;

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

/** The text that may follow at a place of JSON, in words; `more`: a comma, a bracket or the end. */
type Expected = `a value${'' | ' or ]'}` | `a name in double quotes${'' | ' or }'}` | 'a colon' | 'more';

/**
 * Finds where a text is no JSON, in time that grows with its length alone: not all messages of V8 say it. @returns
 * `text`, such as `expected a value at position 9 (line 1, column 10)`; `quotation` of what is there, such as `,
 * received "NaN"`; undefined if the text is JSON
 */
export function findSyntaxError(json: string): { text: string; quotation: string } | undefined {
  const open: string[] = [];
  let expected: Expected = 'a value';

  const problemAt = (position: number, problem: string, quotation = '') => {
    const lines = json.slice(0, position).split('\n');
    const column = (lines.at(-1) as string).length + 1;
    return { text: `${problem} at position ${position} (line ${lines.length}, column ${column})`, quotation };
  };

  for (let position = 0; ; ) {
    // It always matches: an empty token is none.
    const [match, token = ''] = matchAt(TOKEN, json, position) as RegExpExecArray;
    const start = position + match.length - token.length;
    position += match.length;
    const close = open.at(-1);
    const isValueExpected = expected.startsWith('a value');
    const isNameExpected = expected.startsWith('a name');

    if (start === json.length && expected === 'more' && close === undefined) return undefined;
    if (token.startsWith('"') && (isValueExpected || isNameExpected)) {
      const end = json[position];
      if (end === undefined) return problemAt(start, 'a string without an end');
      if (end === '\\') return problemAt(position, 'an unknown escape in a string');
      if (end !== '"') return problemAt(position, 'a control character without an escape in a string');
      position += 1;
      expected = isNameExpected ? 'a colon' : 'more';
    } else if (token === '{' && isValueExpected) {
      open.push('}');
      expected = 'a name in double quotes or }';
    } else if (token === '[' && isValueExpected) {
      open.push(']');
      expected = 'a value or ]';
    } else if (/^[-\dtfn]/.test(token) && isValueExpected) {
      expected = 'more';
    } else if (token === ':' && expected === 'a colon') {
      expected = 'a value';
    } else if (token === ',' && expected === 'more' && close !== undefined) {
      expected = close === '}' ? 'a name in double quotes' : 'a value';
    } else if (token !== '' && token === close && (expected === 'more' || expected.endsWith(close))) {
      open.pop();
      expected = 'more';
    } else {
      const next = close === undefined ? 'the end' : `a comma or ${close}`;
      const [found] = matchAt(WORD, json, start) ?? [];
      const received = found === undefined ? 'the end' : found === '"' ? 'a string' : quote(found);
      return problemAt(start, `expected ${expected === 'more' ? next : expected}`, `, received ${received}`);
    }
  }
}
