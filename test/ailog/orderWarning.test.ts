import { expect, test } from 'vitest';
import { orderWarning } from '../../functions/ailog/orderWarning.ts';
import { withPlainNames } from '../../functions/ailog/plainNames.ts';
import type { AiLog } from '../../functions/ailog/schema.ts';

const warningOf = (fields: Record<string, unknown>) => orderWarning(fields as AiLog);
const unknown = (key: string) => `the key ${key} is unknown: did you mean "orderId"?`;

// biome-ignore format: several a line
test.each([
  'order_id', 'orderID', 'OrderId', 'order-id', 'orderid', ' ORDER ID ', 'ordrId', 'orderIdd', 'orderdI', 'irderId',
  'orderI', 'ordId', 'oid', 'order', 'orderNo', 'order_number',
])('a log without an order has the key %j', (key) => {
  expect(warningOf({ stage: 's', [key]: 7 })).toBe(unknown(JSON.stringify(key)));
  expect(warningOf({ [key]: 7, orderId: '5' })).toBeUndefined();
  for (const orderId of ['', '0', null, undefined]) {
    expect(warningOf({ orderId, [key]: 7 })).toBe(unknown(JSON.stringify(key)));
  }
});

// biome-ignore format: several a line
test.each([
  'ordered', 'borders', 'recorder', 'rodreid', 'ordderiid', 'id', 'rid', 'clientOid', 'orexrid', 'orxdrid',
  'orderType', '', '_',
])('the key %j does not look like orderId', (key) => {
  expect(warningOf({ [key]: 7 })).toBeUndefined();
});

test.each([7, 1.5, '590480926522704171', 'a1', '-'.repeat(99).replace('-', '7')])('%j may be an id', (value) => {
  expect(warningOf({ order_id: value })).toBe(unknown('"order_id"'));
});

test.each([null, '', 'market', 'sell at 5', true, { id: 1 }, [1]])('%j is no id', (value) => {
  expect(warningOf({ order_id: value })).toBeUndefined();
});

test('an order id that is empty names no order; one that says so has no warning', () => {
  expect(warningOf({ orderId: '' })).toBe('orderId is empty: the log names no order');
  for (const orderId of [undefined, null, '0', '1']) expect(warningOf({ orderId })).toBeUndefined();
});

test('the first key that looks like it is named, and nested ones are not', () => {
  expect(warningOf({ order_type: 1, oid: 2, order_id: 3 })).toBe(unknown('"oid"'));
  expect(warningOf({ input: { order_id: 7 } })).toBeUndefined();
});

test('a warning is a legal header of at most 600 characters, whatever the key', () => {
  // biome-ignore format: several a line
  const keys = [
    '📉'.repeat(28), '\u0000'.repeat(57), '"'.repeat(57), '\\'.repeat(57), '\r\n'.repeat(28), '\ud83d'.repeat(57),
  ];
  for (const filling of keys) {
    const json = withPlainNames(JSON.stringify({ [`${filling}orderid`]: 7 }));
    const warning = warningOf(JSON.parse(json)) ?? '';
    expect(warning).toMatch(/^the key "[ -~]+" is unknown: did you mean "orderId"\?$/);
    expect(warning.length).toBeLessThanOrEqual(600);
  }
  expect(warningOf({ [`order${'_'.repeat(57)}id`]: 7 })).toBe(unknown(String.raw`"order${'_'.repeat(35)}\u2026"`));
  expect(warningOf({ [`order${'_'.repeat(58)}id`]: 7 })).toBeUndefined();
});
