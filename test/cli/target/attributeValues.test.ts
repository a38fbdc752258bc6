import { expect, test } from 'vitest';
import { nativeNumber, nextKeyOf, readResponse, toEntry } from '../../../cli/target/attributeValues.ts';

const bytesOf = (response: object) => Buffer.from(JSON.stringify(response));

test.each([
  ['1.5', 1.5],
  ['-3', -3],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', 9_007_199_254_740_992n],
  ['-9007199254740993', -9_007_199_254_740_993n],
  ['1E+30', 1e30],
  ['9007199254740993.5', 9_007_199_254_740_994],
])('the number %s of DynamoDB is %s', (text, value) => {
  expect(nativeNumber(text)).toBe(value);
});

test('a response has its items with native values of every type, and the number of items that were read', () => {
  const item = {
    uid: { S: '1' },
    receivedAt: { N: '5' },
    body: { B: 'aGk=' },
    yes: { BOOL: true },
    no: { NULL: true },
    texts: { SS: ['a'] },
    numbers: { NS: ['1', '9007199254740993'] },
    blobs: { BS: ['aGk='] },
    list: { L: [{ S: 'a' }, { M: { deep: { N: '1' } } }] },
    other: { X: 'unknown' },
    // The name of an attribute, not the prototype.
    ['__proto__']: { S: 'text' },
  };
  const { entries, scanned } = readResponse(bytesOf({ Items: [item], ScannedCount: 7 }));
  const [entry] = entries as unknown as Record<string, unknown>[];
  expect(scanned).toBe(7);
  expect({ ...entry }).toEqual({
    uid: '1',
    receivedAt: 5,
    body: Buffer.from('hi'),
    yes: true,
    no: null,
    texts: new Set(['a']),
    numbers: new Set([1, 9_007_199_254_740_993n]),
    blobs: new Set([Buffer.from('hi')]),
    list: ['a', { deep: 1 }],
    other: undefined,
    ['__proto__']: 'text',
  });
  expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
  expect(readResponse(bytesOf({}))).toEqual({ entries: [], scanned: 0 });
});

test('an order id that is a whole number is a bigint, and any other stays as it is', () => {
  expect(toEntry({ orderId: 7 }).orderId).toBe(7n);
  expect(toEntry({ orderId: 1.5 }).orderId).toBe(1.5);
  expect(toEntry({})).not.toHaveProperty('orderId');
});

test.each([
  ['the last page', { Items: [] }, undefined],
  ['a page before another', { Items: [], LastEvaluatedKey: { uid: { S: '1' } } }, { uid: '1' }],
  ['the last page, with an attribute of that name', { Items: [{ LastEvaluatedKey: { S: 'x' } }], Count: 1 }, undefined],
  [
    'a page with the key before other fields',
    { LastEvaluatedKey: { n: { N: '2' } }, Items: [{ text: { S: '"LastEvaluatedKey":' } }] },
    { n: 2 },
  ],
])('the next key of %s', (_page, response, key) => {
  expect(nextKeyOf(bytesOf(response))).toEqual(key);
});
