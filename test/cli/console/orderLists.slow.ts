import { expect, test } from 'vitest';
import { localWorld, type Team } from '../../setup/world.ts';
import { openConsole } from './openConsole.ts';

const BIG = 590480926522704171n;

const local = await localWorld();
const [alpha, beta] = [await local.oldTeam(), await local.oldTeam()];
await local.uploadAt(alpha, Date.parse('2025-11-14T09:05:00Z'), { orderId: BIG });
const lines = [0n, 1n, 2n].map((n) => `${alpha.uid},${BIG + n},2025-11-14T09:00:00Z`);
const running = await openConsole(local.folder, [
  '--orders',
  local.file('orders.csv', ['uid,order_id,time', ...lines, ''].join('\n')),
]);

const status = async () => (await running.get('status')).answer;
const ordersOf = async (uid: string) =>
  (await running.get('board')).answer.teams.find((team: Team) => team.uid === uid).orders;

test('an order list can be dropped, get the team of an account, replace one of their name and team, and be left out', async () => {
  // A list that comes before the first figures is read with them.
  await running.get('board');
  const list = `order_id,time\n${BIG + 7n},2025-11-14 10:00:00\n`;
  const refused = await running.post('addOrders', { name: 'account.csv', text: list });
  expect(refused).toMatchObject({
    status: 400,
    answer: { message: 'account.csv has no column uid. It has: order_id, time.' },
  });
  const broken = await running.post('addOrders', { name: 'broken.csv', text: 'uid,order_id,time\n1,x,1\n1,5,y\n' });
  expect(broken.answer.message).toMatch(/^broken\.csv has invalid lines:\nLine 2: .*\nLine 3: /);
  expect((await status()).orders).toEqual([{ name: 'orders.csv' }]);
  expect((await running.post('addOrders', { name: 'account.csv', text: list, uid: 'x' })).status).toBe(400);
  const before = (await status()).view;
  expect((await running.post('addOrders', { name: 'account.csv', text: list, uid: beta.uid })).status).toBe(200);
  expect(await status()).toMatchObject({ orders: [{ name: 'orders.csv' }, { name: 'account.csv', uid: beta.uid }] });
  expect((await status()).view).toBeGreaterThan(before);
  expect([await ordersOf(alpha.uid), await ordersOf(beta.uid)]).toEqual([3, 1]);
  const two = `${list}${BIG + 8n},2025-11-14 10:05:00\n`;
  await running.post('addOrders', { name: 'account.csv', text: two, uid: beta.uid });
  expect((await status()).orders).toHaveLength(2);
  expect([await ordersOf(alpha.uid), await ordersOf(beta.uid)]).toEqual([3, 2]);
  const other = `order_id,time\n${BIG + 9n},2025-11-14 10:10:00\n`;
  await running.post('addOrders', { name: 'account.csv', text: other, uid: alpha.uid });
  expect([await ordersOf(alpha.uid), await ordersOf(beta.uid)]).toEqual([4, 2]);
  await running.post('removeOrders', { name: 'account.csv', uid: beta.uid });
  expect([await ordersOf(alpha.uid), await ordersOf(beta.uid)]).toEqual([4, 0]);
  await running.post('removeOrders', { name: 'account.csv', uid: alpha.uid });
  expect([await ordersOf(alpha.uid), await ordersOf(beta.uid)]).toEqual([3, 0]);
});

test('of two order lists that are dropped at once, or left out while one is read, none gets lost or comes back', async () => {
  const listOf = (order: bigint) => `order_id,time\n${order},2025-11-14 10:00:00\n`;
  const names = ['one.csv', 'two.csv'];
  const dropped = names.map((name, at) =>
    running.post('addOrders', { name, text: listOf(BIG + 70n + BigInt(at)), uid: beta.uid }),
  );
  expect((await Promise.all(dropped)).map(({ status }) => status)).toEqual([200, 200]);
  const namesNow = async () => (await status()).orders.map(({ name }: { name: string }) => name).sort();
  expect(await namesNow()).toEqual(['one.csv', 'orders.csv', 'two.csv']);
  await Promise.all(names.map((name) => running.post('removeOrders', { name, uid: beta.uid })));
  expect(await namesNow()).toEqual(['orders.csv']);
});
