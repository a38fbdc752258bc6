import { expect, test } from 'vitest';
import { findTopLevelValue } from '../../functions/ailog/jsonScanner.ts';

test.each([
  ['alone', '{"orderId":590480926522704171}', '590480926522704171'],
  ['with white space', '{ "orderId"\n:\t590480926522704171 }', '590480926522704171'],
  ['as the last of two', '{"orderId":1,"orderId":9223372036854775807}', '9223372036854775807'],
  ['as a float', '{"orderId":5.90480926522704171E+17}', '5.90480926522704171E+17'],
  ['negative', '{"orderId":-0}', '-0'],
  ['under a name with an escape', '{"order\\u0049d":7}', '7'],
  ['after one in an object', '{"output":{"orderId":1},"orderId":2}', '2'],
  ['before one in an object', '{"orderId":2,"output":{"orderId":1,"list":[{"orderId":3}]}}', '2'],
  ['beside one in a string', '{"input":{"a":"\\"orderId\\":1}"},"orderId":2}', '2'],
  ['beside a string that is its name', '{"a":"orderId","orderId":2,"b":1}', '2'],
  ['after brackets in a string', '{"a":"}]{[\\\\","orderId":2}', '2'],
  ['only in an object', '{"output":{"orderId":1}}', undefined],
  ['as a string', '{"orderId":"5"}', '"5"'],
  ['as null', '{"orderId":null,"a":1}', 'null'],
])('finds the value %s', (_name, json, written) => {
  const found = findTopLevelValue(json, 'orderId');
  expect(found?.text).toBe(written);
  if (found) expect(json.slice(found.start, found.start + found.text.length)).toBe(written);
  // The parser agrees on which value it is, as far as a JavaScript number goes.
  expect(found && JSON.parse(found.text)).toEqual(JSON.parse(json).orderId);
});
