import { expect, test } from 'vitest';
import { wrapLine } from '../../../../cli/shell/terminal/wrapLine.ts';

const ID = '1795277514564-061133eed27712f02cbb2c8818f403c0';

// biome-ignore format: one case a line
test.each<[string, string, number, string[]]>([
  ['fits', 'one two', 7, ['one two']],
  ['breaks between words', 'one two three', 8, ['one two', 'three']],
  ['keeps the indentation', '  one two three', 9, ['  one two', '  three']],
  ['keeps the column of the text', 'ok      one two three', 16, ['ok      one two', '        three']],
  ['keeps the column of the text of an indented line', '  WRONG  one two three', 18, ['  WRONG  one two', '         three']],
  ['takes no gap in the second half for a column', 'one two three  four five', 22, ['one two three  four', 'five']],
  ['measures the width on a terminal', '决策 决策 决策', 9, ['决策 决策', '决策']],
  ['never breaks an id, which goes as far to the left as it needs', `ok    2001  ${ID}  digest ok`, 50, ['ok    2001', `    ${ID}`, '            digest ok'],],
  ['never breaks a word that is wider than the terminal', `see ${ID} there`, 20, ['see', ID, 'there']],
  ['never breaks a command with its arguments', 'Approve first: ailog allowlist add 901 --team X. Or give --unlisted.', 40, ['Approve first:', 'ailog allowlist add 901 --team X. Or', 'give --unlisted.']],
  ['drops the blanks at its end', `one two${' '.repeat(9)}`, 8, ['one two']],
  ['never breaks a command in brackets', 'Save it (node ailog.mjs verify log.json), then go on', 36, ['Save it', '(node ailog.mjs verify log.json),', 'then go on']],
])('%s', (_name, line, width, lines) => {
  expect(wrapLine(line, width)).toEqual(lines);
});

test('marks where a line goes on', () => {
  expect(wrapLine('  "a": "one two three"', 16, { mark: '… ' })).toEqual(['  "a": "one two', '  … three"']);
});

test('keeps all of a long text, in lines that fit', () => {
  const text = Array.from({ length: 20_000 }, (_, n) => `w${n}`).join(' ');
  const lines = wrapLine(`  ${text}`, 80);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.map((line) => line.trim()).join(' ')).toBe(text);
});
