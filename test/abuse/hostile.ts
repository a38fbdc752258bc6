import fc from 'fast-check';
import { aiLog, jsonOf } from '../setup/upload.ts';

/** Texts that break careless parsers, tables, logs or headers. */
// biome-ignore format: several a line
const NASTY = [
  '', ' ', '\u00a0', '0', '-1', 'null', 'undefined', '[object Object]', '__proto__', 'constructor',
  '../../etc/passwd', '$'.concat('{jndi:ldap://x}'), '{{7*7}}', "' OR 1=1 --", '<script>alert(1)</script>', '%00',
  '%0d%0aSet-Cookie: a=b', '\r\nSet-Cookie: a=b', '{reason}', '$& $1 $$', 'é', '\ufeff', '\ud83d', 'x'.repeat(2049),
  'x'.repeat(9000), '0'.repeat(2048), '9'.repeat(13),
];

/** Any text: nasty or random, half emojis included. */
export const anyText = fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 60 }));

/** Text that a header can contain. A gateway decodes bytes, so it never contains half an emoji. */
export const headerText = anyText.map((text) => text.toWellFormed());

/** Headers that the endpoint does not use, or that resemble the ones it uses. */
// biome-ignore format: several a line
export const anyHeaders = fc.array(
  fc.tuple(
    fc.oneof(
      anyText,
      fc.constantFrom(
        'access-key', 'Access-Sign', 'X-Forwarded-For', 'Host', 'Content-Type', 'content-encoding', 'LOCALE',
      ),
    ),
    headerText,
  ),
  { maxLength: 4 },
);

/** Well-formed and malformed query strings. */
export const anyQuery = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.webQueryParameters() },
  {
    weight: 1,
    // biome-ignore format: several a line
    arbitrary: fc.constantFrom(
      '&', '=', 'a', 'a=1&a=2&b=3&a=4', '__proto__=1', '%', '%zz=%', 'a=%ff', `x=${'y'.repeat(5000)}`,
    ),
  },
);

/** JSON values as text: ordinary ones, legal but unusual ones, and illegal ones. */
const anyValue = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 3 }) },
  {
    weight: 4,
    // biome-ignore format: several a line
    arbitrary: fc.constantFrom(
      'null', '""', '"x"', '{}', '[]', '0', '-0', '1e999', '-1e-999', '9223372036854775807', '9223372036854775808',
      '"9223372036854775807"', '0.1e1', '1'.repeat(400), 'true', '{"a":{"a":{}}}', '{"":""}', '"\\ud83d"',
      '"\\u0000"', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":{"x":1}}}',
      '{"toString":1,"valueOf":2,"length":3}', 'NaN', '-Infinity', "'x'", '{a:1}', '[1,]', '01', '"\t"', '"\\x41"',
      '/**/1', '"unended', '\u00a01', '{', ']', '['.repeat(20_000), `${'['.repeat(3000)}${']'.repeat(3000)}`,
      `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`, `"${'x'.repeat(1001)}"`, `"${'📉'.repeat(1000)}"`,
      `"${'\\\\'.repeat(50_000)}"`, `"${'\\"'.repeat(50_000)}"`,
    ),
  },
  { weight: 2, arbitrary: anyText.map((text) => JSON.stringify(text)) },
);

const valid = Object.fromEntries(Object.entries(aiLog).map(([field, value]) => [field, jsonOf(value)]));
const FIELDS = Object.keys(valid);

/** A valid log with some fields replaced, repeated, left out or added. */
const mutatedLog = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...FIELDS), anyValue, { maxKeys: 2, noNullPrototype: true }),
    fc.array(fc.constantFrom(...FIELDS), { maxLength: 1 }),
    fc.array(fc.tuple(fc.oneof(anyText, fc.constantFrom(...FIELDS)), anyValue), { maxLength: 2 }),
  )
  .map(([changed, dropped, more]) => {
    const members = Object.entries({ ...valid, ...changed }).filter(([field]) => !dropped.some((one) => one === field));
    return `{${[...members, ...more].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
  });

/** The bytes of a valid log, some of them overwritten. */
const damagedLog = fc
  .array(fc.tuple(fc.nat(jsonOf(aiLog).length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 })
  .map((changes) => {
    const bytes = Buffer.from(jsonOf(aiLog));
    for (const [at, byte] of changes) bytes[at] = byte;
    return bytes;
  });

/** Request bodies: almost valid, far from valid, or not JSON. */
export const anyBody = fc.oneof(
  { weight: 6, arbitrary: mutatedLog.map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: damagedLog },
  { weight: 1, arbitrary: anyValue.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: anyText.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: mutatedLog.map((text) => Buffer.from(text, 'utf16le')) },
);
