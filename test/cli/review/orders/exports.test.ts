import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openReader } from './readList.ts';

const { failure, read } = await openReader();

const FOLDER = new URL('./exports/', import.meta.url);
const contentOf = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8');

/** Most lists have an order at this time. */
const AT = Date.parse('2026-11-27T12:26:04Z');

/** Returns what a list says of each order: its last digits, seconds after `AT`, its size, and if it needs no log. */
async function readAs(name: string) {
  const list = await read(contentOf(name), undefined, '1', name);
  const orders = list.orders.map(({ orderId, placedAt, size, cancelled }) =>
    [orderId.slice(-3), (placedAt - AT) / 1000, size ?? '–', ...(cancelled ? ['no log'] : [])].join(' '),
  );
  return { ...list, orders };
}

const zoneOf = ({ zones: [one] }: Awaited<ReturnType<typeof readAs>>) => one && `${one.zone} ${one.from}`.trim();

/** Returns an order of each of these last digits, as `readAs` writes it. */
const each = (ends: string, rest: string) => ends.split(' ').map((end) => `${end} ${rest}`);

/** The right reading of each file: its orders, its time zone (none: all times have one), and where JSON has its list. */
// biome-ignore format: one file a line
const READINGS: readonly (readonly [name: string, orders: readonly string[], zone?: string | undefined, list?: string])[] = [
  ['bitget-futures.csv', [...each('770 771 772', '0 0.01'), '773 0 0.01 no log'], '+00:00'],
  ['okx-trades.csv', each('770 771 772 773', '0 0.01'), '+08:00 line 1'],
  ['okx-fills.csv', each('770 771 772 773', '0 0.03'), '+08:00 line 1'],
  ['okx-chinese.csv', ['770 0 1', '771 60 1 no log'], '+08:00 line 1'],
  ['bybit-spot.csv', [...each('770 771 772', '-4 0.00003'), '773 -4 0.00003 no log'], '+00:00 the heading "Timestamp (UTC)"'],
  ['bybit-derivatives.csv', each('770 771 772 773', '0 0.01'), '+00:00 the heading "Order Time(UTC+0)"'],
  ['binance-spot.csv', ['773 -8764 0.01 no log', ...each('770 771 772', '0 0.01')], '+00:00 the heading "Date(UTC)"'],
  ['binance-orders.csv', ['770 0 0.01', '771 60 0.01 no log'], '+00:00 the heading "Date(UTC)"'],
  ['binance-futures-chinese.csv', ['770 0 0.01', '771 60 0.01 no log'], '+08:00 the heading "时间(UTC+8)"'],
  ['weex-api.json', each('770 771 772 773', '0 0.01')],
  ['bitget-api.json', each('770 771 772 773', '0 0.01'), undefined, 'data.entrustedList'],
  ['bitget-ioc.json', [...each('770 771 772', '-3980 5'), ...each('770 771 772', '0 0.01')]],
  ['bitget-pages.jsonl', each('770 771 775', '0 1'), undefined, 'data.entrustedList'],
  ['bybit-api.json', ['770 0 0.01', '771 0 0.01', '775 0 0.01 no log'], undefined, 'result.list'],
  ['okx-api.json', ['770 0 1 no log', '771 0 1'], undefined, 'data'],
  ['kucoin-api.json', ['770 0 0.01 no log', '771 0 0.01', '775 0 0.01'], undefined, 'data.items'],
  ['binance-api.json', ['770 0 0.01 no log', '771 0 0.01']],
  ['gate-futures.json', ['770 0.123 -10 no log', '771 0.123 10']],
  ['ccxt.json', each('770 771 772 773', '0 0.01')],
  ['ccxt-trades.json', ['770 0 0.06']],
  ['pandas.csv', each('770 771 772 773', '0.123 0.01')],
  // Nothing says that its times are those of Beijing.
  ['chinese.csv', each('770 771 772 773', '28800 0.01'), '+00:00'],
  ['chinese-states.csv', ['770 0 0.01', '771 0 0.01', '999 -3980 0.01 no log'], '+00:00 the heading "Time(UTC)"'],
  ['beijing.csv', each('770 771 775', '0 1 no log'), '+08:00 the heading "委托时间(北京时间)"'],
];

describe('the export', () => {
  test.each(READINGS.map(([name, ...reading]) => [name, reading] as const))(
    '%s',
    async (name, [orders, zone, place]) => {
      const list = await readAs(name);
      expect([list.orders, zoneOf(list), list.list]).toEqual([orders, zone, place]);
      expect([list.states, list.unknown]).toEqual([[], 0]);
    },
  );

  test('kucoin.csv has masked UIDs, and says what to do', async () => {
    const content = contentOf('kucoin.csv');
    for (const uid of [undefined, '1', '10001']) {
      const said = await failure(content, undefined, uid);
      expect(said).toContain('Line 2: "****0001" is not a UID, a decimal number without leading zeros.\n');
      expect(said).toContain('If all orders are of one team, remove the column "UID", and give --uid UID');
    }
    const { orders, zones } = await read(content.replace('UID,', 'Masked,'), undefined, '7');
    expect(orders).toMatchObject(
      [770, 771, 772, 773].map(() => ({ uid: '7', placedAt: AT, size: 0.01, price: 91_000 })),
    );
    expect(zones).toEqual([{ zone: '+05:30', from: 'the heading "Order Time(UTC+05:30)"' }]);
  });

  test('okx-fills.csv has the average prices of its fills', async () => {
    const { orders, inFills } = await read(contentOf('okx-fills.csv'), undefined, '1');
    expect([orders.map(({ price }) => price), inFills]).toEqual([Array(4).fill(90_000), 4]);
  });
});

const ID = '702628302073888771';

describe('an order with a line for each fill', () => {
  const HEAD = 'order_id,time(utc),symbol,side,qty,price,state';
  const list = (...fills: string[]) => `${HEAD}\n${fills.map((fill) => `${ID},${fill}\n`).join('')}`;

  test('counts once, at its earliest time, with the sum of sizes and the average price', async () => {
    const { orders, inFills, merged } = await read(
      list(
        '2026-11-27 12:26:09,BTC,buy,3,100,filled',
        '2026-11-27 12:26:04,BTC,buy,1,200,filled',
        '2026-11-27 12:26:09,BTC,buy,3,100,filled',
      ),
      undefined,
      '1',
    );
    expect(orders).toMatchObject([{ orderId: ID, placedAt: AT, size: 4, price: 125 }]);
    expect([inFills, merged]).toEqual([1, 1]);
  });

  test('keeps the size of the whole order beside the amounts of its fills', async () => {
    const content = `order_id,time,order_qty,exec_qty\n${ID},${AT},5,2\n${ID},${AT + 1},5,3\n`;
    expect((await read(content, undefined, '1')).orders).toMatchObject([{ size: 5, cancelled: false }]);
  });

  test('needs a log if one of them was filled', async () => {
    const fills = (...amounts: number[]) =>
      amounts.map((filled, n) => `${ID},${AT + n},1,${filled},canceled\n`).join('');
    const { orders } = await read(`order_id,time,qty,filled,state\n${fills(0, 1)}`, undefined, '1');
    expect(orders).toMatchObject([{ cancelled: false }]);
    const none = await read(`order_id,time,qty,filled,state\n${fills(0, 0)}8,${AT},1,1,filled\n`, undefined, '1');
    expect(none.orders).toMatchObject([{ cancelled: false }, { cancelled: true }]);
  });

  test('in JSON is the order, not the list of fills within it', async () => {
    const order = { orderId: ID, time: AT, size: 3, fills: [{ orderId: ID, time: AT + 9, size: 1 }] };
    const { orders, list } = await read(JSON.stringify({ data: [order] }), undefined, '1');
    expect([orders, list]).toMatchObject([[{ placedAt: AT, size: 3 }], 'data']);
  });

  test.each([
    ['another side', '2026-11-27 12:26:05,BTC,sell,1,200,filled'],
    ['another symbol', '2026-11-27 12:26:05,ETH,buy,1,200,filled'],
    ['another state', '2026-11-27 12:26:05,BTC,buy,1,200,new'],
  ])('has no line with %s', async (_what, other) => {
    const first = '2026-11-27 12:26:04,BTC,buy,1,200,filled';
    expect(await failure(list(first, other), undefined, '1')).toContain(`Lines 2 and 3: ${ID}.\n`);
  });
});

describe('the UID of a list', () => {
  const list = (...uids: string[]) => `UID,id,time\n${uids.map((uid, n) => `${uid},${n + 1},${AT}\n`).join('')}`;

  test('that is another one than that of --uid is a question', async () => {
    expect(await failure(list('77', '77'), undefined, '1')).toBe(
      'All orders of FILE are of UID 77 by its column "UID", not of 1.\nLeave out --uid to read them as orders of 77. If all orders are of one team, remove the column "UID", and give --uid UID: it counts only without such a column.',
    );
  });

  test.each([
    ['the same one', ['1', '1'], '1'],
    ['one of several', ['1', '77'], '1'],
    ['none of several, of which one has no orders', ['76', '77'], '1'],
    ['without --uid', ['77'], undefined],
  ])('counts: %s', async (_what, uids, uid) => {
    expect((await read(list(...uids), undefined, uid)).orders.map((order) => order.uid)).toEqual(uids);
  });
});

test('characters that nobody sees are escaped in messages, and do not count around cells', async () => {
  const cells = ['\u00a0', '\u200b', '\ufeff', '\u3000', '\u2009'].map(
    (hidden, n) => `1,${hidden}${n + 1}${hidden},${AT}\n`,
  );
  expect((await read(`uid,order\u00a0id,time\n${cells.join('')}`)).orders).toHaveLength(5);
  const said = await failure(`uid,id,time,fe\u202ee\n1,5\u00a06,${AT},\n1,5\u200b6,${AT},\n`);
  expect(said).toContain('Line 2: "5\\u00a06" is not an order id');
  expect(said).toContain('Line 3: "5\\u200b6" is not an order id');
  expect(await failure('uid,id,t\u2800x,f\u00a0e\u202ee\n')).toContain(
    'It has: uid, id, t\\u2800x, f\\u00a0e\\u202ee.',
  );
});
