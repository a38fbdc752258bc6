import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { explanationOf } from '../../../../cli/store/entries/describeEntry.ts';
import { verifyContent } from '../../../../cli/store/entries/verifyContent.ts';
import { composeEntry } from '../../../../functions/ailog/entry.ts';
import { parseExactly } from '../../../../functions/ailog/plainNames.ts';
import { readContent } from '../../../../functions/features/logContent.ts';
import { received } from '../../../ailog/received.ts';
import { misreadNames } from '../../../setup/misreadNames.ts';
import { logText } from '../../../setup/upload.ts';

/**
 * Returns an object whose second name is escaped, after the body of another team that misleads V8 about this name was
 * parsed in this process.
 * @param value the JSON text of the value of the name
 * @param rest the JSON text of the names and values after it
 */
function mislead(name: string, value: string, rest: string): string {
  const { before, after } = misreadNames(name);
  JSON.parse(`${before},${rest}}`);
  return `${after}:${value},${rest}}`;
}

test('an order id under an escaped name is verified, whatever was parsed before', () => {
  const body = mislead('orderId', '"7"', logText({ stage: 's', model: 'm' }).slice(1, -1));
  const rawBody = Buffer.from(body);
  const entry = composeEntry({ orderId: '7', stage: 's', model: 'm' }, { ...received, rawBody });
  expect(verifyContent(entry, rawBody)).toEqual({ digest: 'ok', fields: 'ok' });
});

test('an explanation under an escaped name is shown, whatever was parsed before', () => {
  const body = mislead('explanation', '"why"', '"stage":"s"');
  expect(explanationOf({ body: zstdCompressSync(Buffer.from(body)) })).toBe('why');
});

test.each([
  ['input', 'output'],
  ['output', 'input'],
])('the %s under an escaped name is compared, whatever was parsed before', (name, other) => {
  const rest = `"${other}":{"a":1},"explanation":"e"`;
  expect(readContent(mislead(name, '{"a":1}', rest))).toMatchObject({ hasData: true, data: '[{"a":1},{"a":1}]' });
  // With a name twice, the body is read another way.
  const twice = `${rest},"explanation":"e"`;
  expect(readContent(mislead(name, '{"a":1}', twice)).data).toBe('[{"a":1},{"a":1}]');
});

test('JSON that is read exactly keeps its names, whatever was parsed before', () => {
  const names = mislead('orderId', '2', String.raw`"\n":3,"\"":4,"${'\uffff'}":5,"\\u0061":6`);
  expect(Object.keys(parseExactly(names) as object).slice(1)).toEqual(['orderId', '\n', '"', '\uffff', '\\u0061']);
});
