import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSyntaxError } from '../../functions/ailog/findSyntaxError.ts';

const said = (json: string) => {
  const problem = findSyntaxError(json);
  return problem && problem.text + problem.quotation;
};

// biome-ignore format: one case a line
test.each([
  ['', 'expected a value at position 0 (line 1, column 1), received the end'],
  ['{"a": NaN}', 'expected a value at position 6 (line 1, column 7), received "NaN"'],
  ['{"a":\n -Infinity}', 'expected a value at position 7 (line 2, column 2), received "-Infinity"'],
  ['{"a":tru}', 'expected a value at position 5 (line 1, column 6), received "tru"'],
  ['\u{1F600}', 'expected a value at position 0 (line 1, column 1), received "\u{1F600}"'],
  ['[1,]', 'expected a value at position 3 (line 1, column 4), received "]"'],
  ['[', 'expected a value or ] at position 1 (line 1, column 2), received the end'],
  ['[1 2]', 'expected a comma or ] at position 3 (line 1, column 4), received "2"'],
  ['[1}', 'expected a comma or ] at position 2 (line 1, column 3), received "}"'],
  ["{'a':1}", 'expected a name in double quotes or } at position 1 (line 1, column 2), received "\'"'],
  ['{"a":1,}', 'expected a name in double quotes at position 7 (line 1, column 8), received "}"'],
  ['{"a" 1}', 'expected a colon at position 5 (line 1, column 6), received "1"'],
  ['{"a":1 "b":2}', 'expected a comma or } at position 7 (line 1, column 8), received a string'],
  ['{}x', 'expected the end at position 2 (line 1, column 3), received "x"'],
  ['01', 'expected the end at position 1 (line 1, column 2), received "1"'],
  ['["abc', 'a string without an end at position 1 (line 1, column 2)'],
  ['["a\\x"]', 'an unknown escape in a string at position 3 (line 1, column 4)'],
  ['["a\tb"]', 'a control character without an escape in a string at position 3 (line 1, column 4)'],
])('%j: %s', (json, problem) => {
  expect(said(json)).toBe(problem);
});

// biome-ignore format: several a line
const PARTS = [
  '{', '}', '[', ']', ':', ',', '"', '\\', 'n', 'u0061', '1', '0', '-', '.', 'e', '+', 'true', ' ', '\n', '"a"',
  '"b":',
];

test('finds an error in every text that JSON.parse rejects, and in no other', () => {
  const texts = fc.oneof(
    fc.json(),
    fc.array(fc.constantFrom(...PARTS), { maxLength: 9 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(texts, (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(findSyntaxError(text) === undefined, text).toBe(isJson);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['brackets', '['],
  ['objects', '{"a":'],
  ['escapes', '"\\n'],
  ['spaces', ' '],
  ['digits', '1'],
  ['lines', '\n'],
  ['empty strings', '"",'],
])('a body of hostile %s takes linear time', (_, part) => {
  const text = `[${part.repeat(1_000_000 / part.length)}`;
  const start = process.cpuUsage();
  expect(findSyntaxError(text)).toBeDefined();
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});
