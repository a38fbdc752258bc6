import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseExactly } from '../../functions/ailog/plainNames.ts';
import { canonicalJson } from '../../functions/features/canonicalJson.ts';
import { readContent } from '../../functions/features/logContent.ts';
import { runs } from '../setup/runs.ts';

const space = fc.constantFrom('', '', ' ', '\n', '\t\r\n  ');
const string = fc
  .array(fc.constantFrom('a', '"', '\\', '\n', '/', '😀', '\ud83d', '{', ']', ':', ',', ' ', '1'), { maxLength: 4 })
  .chain((parts) =>
    fc.tuple(...parts.map((part) => fc.constantFrom(JSON.stringify(part).slice(1, -1), escapeAll(part)))),
  )
  .map((parts) => `"${parts.join('')}"`);
const name = fc.oneof(string, fc.constantFrom('"input"', '"output"', '"\\u0069nput"', '"7"', '"10"', '"__proto__"'));

/** Returns a text as JSON escapes, as Python writes whatever is not ASCII. */
function escapeAll(text: string): string {
  return [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}

/** JSON texts in every spelling: with and without spaces and escapes, with names that occur twice. */
const { object } = fc.letrec<{ value: string; object: string; array: string }>((tie) => {
  const spaced = (value: fc.Arbitrary<string>) => fc.tuple(space, value, space).map((parts) => parts.join(''));
  const member = fc.tuple(spaced(name), spaced(tie('value'))).map((parts) => parts.join(':'));
  const list = (items: fc.Arbitrary<string>, [open, close]: readonly [string, string]) =>
    fc
      .oneof(
        space,
        fc.array(items, { minLength: 1, maxLength: 4 }).map((all) => all.join()),
      )
      .map((inside) => `${open}${inside}${close}`);
  return {
    value: fc.oneof(
      { maxDepth: 3 },
      string,
      fc.constantFrom('0', '-0', '1.50', '1e5', '-1E+400', '9007199254740993', 'true', 'false', 'null'),
      tie('array'),
      tie('object'),
    ),
    object: list(member, ['{', '}']),
    array: list(spaced(tie('value')), ['[', ']']),
  };
});

test('input and output are what parsing and writing makes of them, however the body is written', () => {
  fc.assert(
    fc.property(object, (body) => {
      const { input, output } = parseExactly(body) as Record<string, unknown>;
      expect(readContent(body).data).toBe(JSON.stringify([input, output]));
    }),
    runs(1000, 100_000),
  );
});

test('most bodies of JavaScript and Python need no exact parser', () => {
  const [input, output] = ['{"t":[1.0,{"deep":"a\\n\\"b\\""}],"名":"é"}', '{"text":"看"}'];
  const python =
    '{"orderId": 7, "input": {"t": [1.0, {"deep": "a\\n\\"b\\""}], "\\u540d": "\\u00e9"}, "output": {"text": "\\u770b"}}';
  for (const body of [`{"orderId":7,"input":${input},"output":${output}}`, python]) {
    const { members, names, depth } = canonicalJson(body);
    expect([...members]).toEqual([
      ['orderId', '7'],
      ['input', input],
      ['output', output],
    ]);
    expect([names, depth]).toEqual([7, 4]);
  }
});

test('an empty object has no members', () => {
  expect(canonicalJson(' { } ')).toEqual({ members: new Map(), names: 0, depth: 1 });
});
