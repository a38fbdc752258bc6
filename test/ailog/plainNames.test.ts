import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, withPlainNames } from '../../functions/ailog/plainNames.ts';
import { execute, runs } from '../setup/world.ts';

/** Spells a text as JSON escapes, as far as `escaped` says for each character. */
const spell = (text: string, escaped: readonly boolean[]): string =>
  [...text]
    .map((character, index) =>
      escaped[index % escaped.length]
        ? [...Array(character.length).keys()]
            .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
            .join('')
        : JSON.stringify(character).slice(1, -1),
    )
    .join('');

/** Names of characters that V8 confuses, and of others. */
const plain = fc.string({ unit: fc.constantFrom('a', 'b', 'u', '0', '6', '1', 'é', '😀', ' '), maxLength: 9 });
const special = fc.string({
  unit: fc.constantFrom('a', 'u', '0', '6', '1', '\\', '"', '\n', '\0', '\uFFFF'),
  maxLength: 9,
});
const escapes = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });

test('a name is read as it is spelled, whatever was parsed before', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.oneof(plain, special), plain, escapes), { minLength: 1 }), (cases) => {
      for (const [earlier, name, escaped] of cases) {
        JSON.parse(`{${JSON.stringify(earlier)}:0,"${spell(earlier, escaped)}":0}`);
        expect(
          parseJson(`{"q":1,"${spell(name, escaped)}":{"${spell(name, escaped)}":"${spell(name, escaped)}"}}`),
        ).toEqual({ q: 1, [name]: { [name]: name } });
      }
    }),
    runs(100, 2000),
  );
});

test('no two names become the same, and none becomes a name without special characters', () => {
  fc.assert(
    fc.property(special, special, plain, escapes, (one, other, name, escaped) => {
      const read = (text: string) => Object.keys(parseJson(`{"${spell(text, escaped)}":0}`) as object)[0];
      expect(read(one) === read(other)).toBe(one === other);
      if (one !== name) expect(read(one)).not.toBe(name);
    }),
    runs(5000, 100_000),
  );
});

test('a name of the mark and a letter is not the character that they stand for', () => {
  expect(Object.keys(parseJson('{"\\u0000":1,"\uffff\u0100":2,"\\"":3,"\uffff\u0122":4}') as object)).toHaveLength(4);
});

test('a text without escaped names stays the same', () => {
  for (const json of ['{"a":"\\u0061","b":["\\"",{"c":"\\\\"}]}', '"\\u0061"', '["\\u0061", "b"]', '', '{"a"']) {
    expect(withPlainNames(json)).toBe(json);
  }
});

test.each(['{"\\x":1}', '{"\\u00g1":1}', '{"a\\', '{"\\u0061', '{"\\u0061"', '{"\\u0061":}', '{"\n\\u0061":1}'])(
  '%s stays invalid',
  (json) => {
    expect(() => parseJson(json)).toThrow(SyntaxError);
  },
);

test('white space after a name, and names at every depth', () => {
  expect(parseJson('[{"\\u0061" \n: {"b":[{"\\u0063":1}]}}, "\\u0064:"]')).toEqual([{ a: { b: [{ c: 1 }] } }, 'd:']);
});

test('a text of quotation marks without end takes one pass', () => {
  const text = `"${'\\"'.repeat(500_000)}`;
  expect(withPlainNames(text)).toBe(text);
});

test('docs/decisions.md names the versions of Node.js that misread names', async () => {
  // In a process of its own: V8 expects no name any more where it has read thousands.
  const module = new URL('../setup/misreadNames.ts', import.meta.url).href;
  const program = `import { isMisreadByV8 } from '${module}'; console.log(isMisreadByV8());`;
  const { stdout } = await execute([process.execPath, '--input-type=module', '-e', program]);
  // If this fails on a newer runtime, V8 is cured there: the page and `withPlainNames` say until when they are needed.
  expect(stdout).toBe(`${Number(process.versions.node.split('.')[0]) >= 24}\n`);
});
