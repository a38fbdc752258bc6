import { expect, test } from 'vitest';
import { setOrderId } from '../../../../cli/proof/evidence/setOrderId.ts';

const ID = 590480926522704171n;

// biome-ignore format: one case a line
const cases: [name: string, log: string, result: string][] = [
  ['no order id', '{"stage":"决策 📉" }\n', `{"orderId":${ID},"stage":"决策 📉" }\n`],
  ['space before and after the bracket', ' \n{ "a":1}', ` \n{"orderId":${ID}, "a":1}`],
  ['null', '{"a":1, "orderId" : null , "b":2}', `{"a":1, "orderId" : ${ID} , "b":2}`],
  ['an empty string', '{"orderId":""}', `{"orderId":${ID}}`],
  ['zero', '{"orderId":0,"a":1}', `{"orderId":${ID},"a":1}`],
  ['zero as a string', '{"orderId":"0"}', `{"orderId":${ID}}`],
  ['the same order', `{"orderId":${ID}}`, `{"orderId":${ID}}`],
  ['the same order as a string', `{"orderId":"${ID}"}`, `{"orderId":${ID}}`],
  ['the key in escapes', '{"order\\u0049d":null}', `{"order\\u0049d":${ID}}`],
  ['an order id in a nested object, and one in a string', '{"input":{"orderId":5},"x":[{"orderId":6}],"y":"\\"orderId\\":7"}', `{"orderId":${ID},"input":{"orderId":5},"x":[{"orderId":6}],"y":"\\"orderId\\":7"}`],
  ['a repeated key: the last one counts', '{"orderId":5,"orderId":null}', `{"orderId":5,"orderId":${ID}}`],
];

test.each(cases)('%s', (_name, log, result) => {
  expect(setOrderId(Buffer.from(log), ID).toString()).toBe(result);
});

test('bytes that are not valid UTF-8 stay as they are', () => {
  const log = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]);
  expect(setOrderId(log, 7n)).toEqual(Buffer.concat([Buffer.from('{"orderId":7,'), log.subarray(1)]));
});

test('the id of another order is not overwritten', () => {
  expect(() => setOrderId(Buffer.from('{"orderId":5}'), ID)).toThrow('The log names another order, 5.');
});
