import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { formatFacts, formatTable } from '../../../../cli/shell/terminal/format.ts';
import { csvLine } from '../../../../cli/shell/text/csvLine.ts';
import { formatJson } from '../../../../cli/shell/text/json.ts';
import { prettyJson } from '../../../../cli/shell/text/prettyJson.ts';
import { fromSpreadsheet, toSpreadsheet } from '../../../../cli/shell/text/spreadsheet.ts';
import { formatDuration, formatTime } from '../../../../cli/shell/text/time.ts';
import { byUid } from '../../../../cli/shell/text/uid.ts';
import { parseExactly } from '../../../../functions/ailog/plainNames.ts';
import { runs } from '../../../setup/runs.ts';

test('a table is aligned by the width on a terminal, not by the number of characters', () => {
  expect(
    formatTable([
      { team: '决策', n: 5 },
      { team: '📉', n: 12 },
      { team: 'é\u0301', n: undefined },
    ]).lines,
  ).toEqual(['team   n', '决策   5', '📉    12', 'é\u0301']);
  expect(formatTable([{ n: 5 }, { n: 12 }]).lines).toEqual([' n', ' 5', '12']);
  expect(formatTable([])).toEqual({ lines: [''], cut: [], leftOut: [] });
});

describe('a table that is wider than the terminal', () => {
  const rows = [
    {
      entry: '1795265584548-42d5fb63970822c5f7ddd1790dc15f99',
      signed: '2026-11-21T12:53:04Z',
      order: 590480926522704171n,
      stage: '决策'.repeat(30),
      model: 'GPT-5-mini',
      bytes: 193,
    },
    { entry: '1795265584549-00', signed: '2026-11-21T12:53:05Z', order: 1n, stage: 'S', model: 'M', bytes: 2 },
  ];

  test('long texts are cut, ids of orders, times and numbers are not', () => {
    const width = 100;
    const { lines, cut } = formatTable(rows, { width });
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(
      /^1795265584548-42d5f[0-9a-f]*… {2}2026-11-21T12:53:04Z {2}590480926522704171 {2}决策.*… {2}.* 193$/,
    );
    expect(cut).toEqual(expect.arrayContaining(['entry', 'stage']));
  });

  test('columns without any text are left out first, the last one too', () => {
    const row = { uid: '3043', order: 590481171950195006n, owner: '', timing: 'late', after: undefined };
    expect(formatTable([row], { width: 35 })).toMatchObject({
      lines: ['uid   order               timing', '3043  590481171950195006  late'],
      leftOut: ['owner', 'after'],
    });
    expect(formatTable([row], { width: 80 }).leftOut).toEqual([]);
    expect(formatTable([{ nothing: '', more: '' }], { width: 1 }).lines).toEqual(['nothing', '']);
  });

  test('a column is left out before the last one gets narrower than it should be', () => {
    const note = 'x'.repeat(60);
    const { lines, leftOut } = formatTable([{ uid: '1', owner: '', note }], { width: 42, lastWidth: 36 });
    expect([lines[1], leftOut]).toEqual([`1    ${note.slice(0, 36)}…`, ['owner']]);
    expect(formatTable([{ uid: '1', note }], { width: 30, lastWidth: 36 }).lines[1]).toBe(`1    ${note.slice(0, 24)}…`);
  });

  test('the texts of a last column are wrapped if they are the answer', () => {
    const says = 'the clock of this machine is 40 s ahead, so every upload is rejected';
    expect(formatTable([{ check: 'clock', says }], { width: 50, wraps: true })).toEqual({
      lines: ['check  says', 'clock  the clock of this machine is 40 s ahead, so', '       every upload is rejected'],
      cut: [],
      leftOut: [],
    });
    expect(formatTable([{ check: 'clock', says: 'x '.repeat(500) }], { wraps: true }).cut).toEqual([]);
  });

  test('--wide cuts nothing', () => {
    const { lines, cut } = formatTable(rows, { width: 80, wide: true });
    expect(cut).toEqual([]);
    expect(lines[1]).toContain(rows[0]?.stage);
  });

  test('a cell is bounded without a terminal too', () => {
    const { lines, cut } = formatTable([{ stage: '\u202e'.repeat(390_000), n: 1 }]);
    expect(cut).toEqual(['stage']);
    expect(lines.join('').length).toBeLessThan(600);
    expect(formatTable([{ stage: 'x'.repeat(256) }]).cut).toEqual([]);
    expect(formatTable([{ stage: 'x'.repeat(257) }]).cut).toEqual(['stage']);
  });
});

describe('CSV', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "\t'=1"],
    ['\r=1', '\\u{000d}=1'],
    ['\n=1', "\n'=1"],
    ['\r\n =1', "\r\n '=1"],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['=1,"2"\n3', `'=1,"2"\n3`],
    ['a;=1', "a;'=1"],
    ['a\t@x', "a\t'@x"],
    ['a|-1', "a|'-1"],
    ['a;"=1"', `a;"'=1"`],
    ['a\n+2', "a\n'+2"],
    ["a;'=1", "a;''=1"],
    ['a=1', 'a=1'],
    ['[1,-2]', '[1,-2]'],
    ['590480926522704171', "'590480926522704171"],
    ['12345678901', '12345678901'],
    ['\u202e\u0007x\u009b', '\\u{202e}\\u{0007}x\\u{009b}'],
    ['\\u{202e}', '\\~u{202e}'],
    ['', ''],
  ])('free text %j is the cell %j', (text, cell) => {
    expect(parse(csvLine([{ freeText: text }, 'end']))).toEqual([[cell, 'end']]);
    expect(fromSpreadsheet(cell)).toBe(text);
  });

  test('an escape beyond the last character is text', () => {
    expect(['\\u{10ffff}', '\\u{110000}'].map(fromSpreadsheet)).toEqual(['\u{10ffff}', '\\u{110000}']);
  });

  test('a value of the service stays as it is, but no digit of a long number is lost', () => {
    expect(csvLine(['+aZ/=', 590480926522704171n, 42, '1795265584548'])).toBe(
      "+aZ/=,'590480926522704171,42,'1795265584548\n",
    );
  });

  test('no cell of any text starts a formula, whatever separator the spreadsheet uses; each change can be undone', () => {
    const text = fc.string({
      unit: fc.constantFrom(...'=+-@＝;|,\t\n\r\'"\\~u{}202e1 \u202e\u0085', 'u{202e}', 'x', '📉'),
      maxLength: 30,
    });
    fc.assert(
      fc.property(text, (free) => {
        const line = csvLine([1, { freeText: free }, 'end']);
        const [[, cell = ''] = []] = parse(line);
        expect(fromSpreadsheet(cell)).toBe(free);
        for (const separator of [';', '\t', '|', '\n', '\r']) {
          for (const part of cell.split(separator)) expect(part).not.toMatch(/^[\s"']*(?<!'[\s"']*)[=+\-@＝＋－＠]/);
        }
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
        expect(line).not.toMatch(/[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/);
      }),
      runs(2000, 100_000),
    );
  });

  test('the escapes of any text can be undone', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10ffff)), (points) => {
        const text = String.fromCodePoint(...points);
        return fromSpreadsheet(toSpreadsheet(text)) === text;
      }),
      runs(100, 20_000),
    );
  });

  test('keeps the digits of a number that a spreadsheet would shorten, from 12 on', () => {
    expect(['12345678901', '123456789012'].map(toSpreadsheet)).toEqual(['12345678901', "'123456789012"]);
  });
});

test('facts start in one column, a multiple of four, and those without a value are not shown', () => {
  expect(formatFacts({ accessKey: 'k', passphrase: 'p\n', none: null, never: undefined })).toEqual([
    'accessKey   k',
    'passphrase  p\\n',
  ]);
  expect(formatFacts({ accessKey: 'k', file: 5 })).toEqual(['accessKey   k', 'file        5']);
  expect(formatFacts({ 'signature check': 'ok' })).toEqual(['signature check ok']);
});

test('a very long fact is cut and says by how much', () => {
  const [line = ''] = formatFacts({ stage: 'x'.repeat(390_000) });
  expect(line).toMatch(/x… \(385904 more characters\)$/);
  expect(formatFacts({ stage: 'x'.repeat(390_000) }, { full: true })[0]).toHaveLength(390_008);
});

const pretty = (text: string) => [...prettyJson(text)].join('\n');

describe('JSON', () => {
  test('formatted keeps every digit as it was written, and repeated keys', () => {
    expect(pretty('{"a":[1.0,590480926522704171,-0,1E+2,true,null],"__proto__":{"b":0.1},"a":{ },"c":[\n]}')).toBe(
      '{\n  "a": [\n    1.0,\n    590480926522704171,\n    -0,\n    1E+2,\n    true,\n    null\n  ],\n  "__proto__": {\n    "b": 0.1\n  },\n  "a": {},\n  "c": []\n}',
    );
  });

  test('formatted shows text with its line breaks, and no line of it can look like JSON', () => {
    const prompt = 'You trade.\r\n"output": {\n\u001b[2J\u202e决策';
    expect(pretty(JSON.stringify({ input: { prompt, n: 1 }, list: ['a\nb'], last: 'x\ny' }))).toBe(
      [
        '{',
        '  "input": {',
        '    "prompt":',
        '      | You trade.',
        '      | "output": {',
        '      | \\u001b[2J\\u202e决策',
        '    "n": 1',
        '  },',
        '  "list": [',
        '      | a',
        '      | b',
        '  ],',
        '  "last":',
        '    | x',
        '    | y',
        '}',
      ].join('\n'),
    );
  });

  test('formatted decodes escapes of text, but not of hidden characters', () => {
    expect(pretty('["\\u51b3\\u7b56 \\u202e \\" \\ud83d"]')).toBe('[\n  "决策 \\u202e \\" \\ud83d"\n]');
  });

  test('nested deeply stays small: the indentation is bounded', () => {
    const deep = '['.repeat(112_000) + ']'.repeat(112_000);
    const text = pretty(deep);
    expect(text.slice(0, 9)).toBe('[\n  [\n   ');
    expect(text.length).toBeLessThan(16_000_000);
  });

  test('that is not JSON stays as it is, but for its hidden characters', () => {
    expect(pretty('{"a": \u001b[2J\n"b"')).toBe('{"a": \\u001b[2J\n"b"');
  });

  test('hides no character, and its value stays the same', () => {
    const value = { stage: '\u202e\u0085\u200e\u{e0041}', line: 'a\nb' };
    const text = formatJson(value);
    expect(text).toContain('\\u202e\\u0085\\u200e\\udb40\\udc41');
    expect(JSON.parse(text)).toEqual(value);
  });

  test('of big integers keeps all digits', () => {
    expect(formatJson({ orderId: 590480926522704171n })).toBe('{\n  "orderId": "590480926522704171"\n}');
  });
});

test('JSON that is read exactly has every digit when it is written again', () => {
  const text = '{"a":1.0,"b":[590480926522704171,-0,1E+2],"c":"1.0","d":null}';
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

test('UIDs are sorted as numbers', () => {
  const uids = ['10', '9', '100', '11', '9', '99999999999999999999', '10000000000000000000'];
  expect(
    uids
      .map((uid) => ({ uid }))
      .sort(byUid)
      .map(({ uid }) => uid),
  ).toEqual(['9', '9', '10', '11', '100', '10000000000000000000', '99999999999999999999']);
});

test('a value that is not a time does not end the command', () => {
  expect([formatTime(Number.NaN), formatTime(0)]).toEqual(['NaN', '1970-01-01T00:00:00Z']);
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
