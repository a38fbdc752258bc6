import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { csvLine } from '../../../cli/terminal/csv.ts';
import {
  formatDuration,
  formatFacts,
  formatJson,
  formatTable,
  prettyJson,
  visible,
} from '../../../cli/terminal/format.ts';

test('a table is aligned by the width on a terminal, not by the number of characters', () => {
  expect(
    formatTable([
      { team: '决策', n: 5 },
      { team: '📉', n: 12 },
      { team: 'é\u0301', n: undefined },
    ]),
  ).toEqual(['team  n', '决策  5', '📉    12', 'é\u0301']);
  expect(formatTable([{ n: 5 }, { n: 12 }])).toEqual([' n', ' 5', '12']);
  expect(formatTable([])).toEqual(['']);
});

test.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['a\nb\tc', 'a\\nb\\u0009c'],
  ['\u009b31m', '\\u009b31m'],
  ['\u202egpj.exe', '\\u202egpj.exe'],
  ['均线 📉', '均线 📉'],
])('%j is shown as %s', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠SUM(A1)', "'＠SUM(A1)"],
  ['=1,"2"\n3', `'=1,"2"\n3`],
  ['a=1', 'a=1'],
  ['', ''],
])('free text %j is the cell %j of CSV, and a value of the service stays as it is', (text, cell) => {
  expect(parse(csvLine([{ freeText: text }, text, 'end']))).toEqual([[cell, text, 'end']]);
});

test('facts start in one column, a multiple of four, and those without a value are not shown', () => {
  expect(formatFacts({ accessKey: 'k', passphrase: 'p\n', none: null, never: undefined })).toEqual([
    'accessKey   k',
    'passphrase  p\\n',
  ]);
  expect(formatFacts({ accessKey: 'k', file: 5 })).toEqual(['accessKey   k', 'file        5']);
  expect(formatFacts({ 'signature check': 'ok' })).toEqual(['signature check ok']);
});

describe('JSON', () => {
  test('formatted keeps every digit as it was written', () => {
    expect(prettyJson('{"a":[1.0,590480926522704171,-0,1E+2],"__proto__":{"b":0.1}}')).toBe(
      '{\n  "a": [\n    1.0,\n    590480926522704171,\n    -0,\n    1E+2\n  ],\n  "__proto__": {\n    "b": 0.1\n  }\n}',
    );
  });

  test('that is nested too deeply stays as it is', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(prettyJson(deep)).toBe(deep);
  });

  test('of big integers keeps all digits', () => {
    expect(formatJson({ orderId: 590480926522704171n })).toBe('{\n  "orderId": "590480926522704171"\n}');
  });
});

test.each([
  [0, '0 s'],
  [999, '0 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
])('%i ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
