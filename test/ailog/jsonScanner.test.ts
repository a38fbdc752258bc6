import { expect, test } from 'vitest';
import { findTopLevelValue, spellingOfNumber } from '../../functions/ailog/jsonScanner.ts';

test.each([
  ['of the only key', '{"orderId":590480926522704171}', '590480926522704171'],
  ['between white space', '{ "orderId"\n:\t590480926522704171 }', '590480926522704171'],
  ['of the last of two equal keys', '{"orderId":1,"orderId":9223372036854775807}', '9223372036854775807'],
  ['that is a float', '{"orderId":5.90480926522704171E+17}', '5.90480926522704171E+17'],
  ['that is negative', '{"orderId":-0}', '-0'],
  ['of a key with an escape', '{"order\\u0049d":7}', '7'],
  ['after the same key in an object', '{"output":{"orderId":1},"orderId":2}', '2'],
  ['before the same key in an object', '{"orderId":2,"output":{"orderId":1,"list":[{"orderId":3}]}}', '2'],
  ['after the same key in a string', '{"input":{"a":"\\"orderId\\":1}"},"orderId":2}', '2'],
  ['after a string that equals the key', '{"a":"orderId","orderId":2,"b":1}', '2'],
  ['after brackets in a string', '{"a":"}]{[\\\\","orderId":2}', '2'],
  ['as undefined if the key is only in an object', '{"output":{"orderId":1}}', undefined],
  ['that is a string', '{"orderId":"5"}', '"5"'],
  ['that is null', '{"orderId":null,"a":1}', 'null'],
])('finds the value %s', (_name, json, written) => {
  const found = findTopLevelValue(json, 'orderId');
  expect(found?.text).toBe(written);
  if (found) expect(json.slice(found.start, found.start + found.text.length)).toBe(written);
  // JSON.parse returns the same value, within the precision of a JavaScript number.
  const { orderId } = JSON.parse(json);
  expect(found && JSON.parse(found.text)).toEqual(orderId);
  if (typeof orderId === 'number') expect(spellingOfNumber(json, 'orderId')).toBe(written);
});

const LONG = `"a":"${'x'.repeat(1000)}"`;

test.each([
  ['at the end', `{${LONG},"orderId":590480926522704171}`, '590480926522704171'],
  ['as a value and as an escaped key', '{"a":"orderId","order\\u0049d":7}', '7'],
  ['in an object and as an escaped key', '{"\\u006frderId":7,"output":{"orderId":8}}', '7'],
  ['in an object and as an escaped key in upper case', '{"order\\u0049\\u0064":7,"output":{"orderId":8}}', '7'],
  ['beside Chinese escapes', `{"a":"\\u51b3",${LONG},"orderId" : -1.5E+3}`, '-1.5E+3'],
])('finds the spelling of a number %s', (_name, json, written) => {
  expect(spellingOfNumber(json, 'orderId')).toBe(written);
});
