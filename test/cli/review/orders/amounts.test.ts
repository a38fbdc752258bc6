import { describe, expect, test } from 'vitest';
import { findOrderColumns } from '../../../../cli/review/orders/orderColumns.ts';
import { openReader } from './readList.ts';

const { read } = await openReader();

const AT = 1794875400000;

/** Returns for each order if it needs no log, and how many are unknown. */
async function withoutLog(heads: string, ...rows: string[]) {
  const list = rows.map((row, n) => `${n + 1};${AT};${row}\n`);
  const { orders, unknown, states } = await read(`id;time;${heads}\n${list.join('')}`, undefined, '1');
  return { needNone: orders.map(({ cancelled }) => cancelled), unknown, states };
}

// biome-ignore format: the spellings of exchanges and their APIs
const SPELLINGS = ['filled', 'Executed', 'filledQty', 'filled_qty', 'executedQty', 'accFillSz', 'cumExecQty', 'baseVolume', 'Filled Qty.', 'Filled Quantity',
  'FilledQuantity(Cont)', 'Filled Amount', 'Executed Amount', 'Filled Size', 'filled_size', 'Filled Volume', 'Filled Volume (USDT)', 'dealSize', 'dealAmount', 'dealVol', 'deal_quantity', 'cumQty', 'cumQuote',
  'cummulativeQuoteQty', 'cumExecValue', 'quoteVolume', 'Filled Value', 'filled_total', 'dealFunds', 'field-amount', 'Amount Filled', 'Qty Executed', 'Traded Qty', 'Matched Amount', 'Filled/Order Quantity',
  'vol_exec', '已成交', '成交数量', '已成交数量', '成交量', '成交额', '已成交量(BTC)', '成交金额', '成交數量'];

describe('the amount that was filled', () => {
  const columnOf = (heading: string) =>
    findOrderColumns('a', ['order_id', 'time', 'status', heading], true).headings.filled;

  test.each(SPELLINGS)('%s', (heading) => expect(columnOf(heading)).toBe(heading));

  test.each(['Zugeteilt', 'Filled Time', 'Filled Price', 'execType', 'ExecFeeV2', 'Fill %', 'Deal id', 'clientOid'])(
    'is not in the column %s',
    (heading) => expect(columnOf(heading)).toBeUndefined(),
  );

  test('decides if a cancelled order needs a log. It counts, and is told, if nobody says it', async () => {
    expect(SPELLINGS.length).toBeGreaterThan(40);
    const rows = ['canceled;4.9', 'canceled;0', 'canceled;', 'rejected;'];
    const known = await withoutLog('status;Filled', ...rows);
    expect(known).toEqual({ needNone: [false, true, false, true], unknown: 1, states: [] });
    const unsaid = await withoutLog('status;Zugeteilt', ...rows);
    expect(unsaid).toEqual({ needNone: [false, false, false, true], unknown: 3, states: [] });
  });

  test.each(['remaining', 'left', 'leavesQty', 'Remaining Qty', '未成交数量', '剩余数量'])(
    'is what %s leaves of the size',
    async (heading) => {
      const { needNone } = await withoutLog(
        `qty;${heading};status`,
        '10;10;canceled',
        '-10;-4;canceled',
        '10;0;filled',
        '10;;canceled',
      );
      expect(needNone).toEqual([true, false, false, false]);
    },
  );

  test('is read from many forms of a cell', async () => {
    const none = ['0', '0.00 BTC', '0BTC', '-', '--', '0 1000PEPE', '0.00 1INCH', '0/0.5', '0,000', '0.0e0', '+0'];
    const some = ['0,5', 'BTC 0.5', '-0.5', '1e-3', '0.01/0.5', '1,234', '$5', '0.0000000001'];
    const unknown = ['', 'null', 'None', 'NaN', 'N/A'];
    const cells = [...none, ...some, ...unknown].map((cell) => `Canceled;${cell}`);
    const found = await withoutLog('state;filled', ...cells);
    expect(found).toMatchObject({
      needNone: [...none.map(() => true), ...some.map(() => false), ...unknown.map(() => false)],
      unknown: unknown.length,
    });
  });
});

describe('the state of an order', () => {
  // biome-ignore format: one kind a line
  const KINDS = {
    open: ['In progress', '处理中', 'En attente', 'Offen', 'ouvert', 'Открыт', '未約定', '미체결', 'New', 'OPEN', 'live', 'PENDING_NEW', 'Untriggered', 'not triggered', '未成交', '委托中', ''],
    filled: ['Exécuté', 'Ausgeführt', 'Исполнен', '約定済', '체결', 'Filled', 'FULLY_FILLED', 'partially_filled', 'PartiallyFilledCanceled', 'PARTIALLY_CANCELED', 'partial-fill', 'deal', 'Executed', '完全成交', '部分成交已撤销', '部分成交'],
    refused: ['Rejected', 'Deactivated', 'failed', 'INVALID', '已拒绝', '下单失败', '废单'],
    ended: ['Annulé', 'Storniert', 'Отменён', '取消済', '취소됨', 'Cancelled', 'CANCELED', 'expired', 'EXPIRED_IN_MATCH',  'closed', 'finished', 'Done', '已撤销', '已撤銷', '撤单', '已取消', '已过期', 'User Canceled'],
    other: ['Mystery', 'Teilausführung', '神秘'],
  };

  test.each(Object.entries(KINDS))('%s', async (kind, states) => {
    const zero = await withoutLog('state;filled', ...states.map((state) => `${state};0`));
    expect(zero.needNone).toEqual(states.map(() => kind !== 'open'));
    const some = await withoutLog('state;filled', ...states.map((state) => `${state};0.1`));
    expect(some.needNone).toEqual(states.map(() => false));
    const unsaid = await withoutLog('state', ...states);
    expect(unsaid).toEqual({
      needNone: states.map(() => kind === 'refused'),
      unknown: kind === 'ended' ? states.length : 0,
      states: kind === 'other' ? states.toSorted().map((state) => ({ state, orders: 1 })) : [],
    });
  });

  test('that is not known is counted, the most frequent first', async () => {
    const list = `id;time;state;filled\n1;${AT};odd;\n2;${AT};strange;0\n3;${AT};strange;1\n4;${AT};filled;0\n`;
    const { states, inStates, inStatesUnfilled } = await read(list, undefined, '1');
    expect([inStates, inStatesUnfilled]).toEqual([3, 1]);
    expect(states).toEqual([
      { state: 'strange', orders: 2 },
      { state: 'odd', orders: 1 },
    ]);
  });

  test('of KuCoin says if it is active', async () => {
    const { needNone } = await withoutLog('isActive;dealSize', 'false;0', 'true;0', 'false;1');
    expect(needNone).toEqual([true, false, false]);
  });

  test('is not needed for an order of which something was filled, and a list without one has only orders', async () => {
    expect(await withoutLog('filled', '0', '1', '')).toEqual({
      needNone: [false, false, false],
      unknown: 0,
      states: [],
    });
  });
});

describe('the size of an order', () => {
  // biome-ignore format: one case a line
  const SIZES: readonly (readonly [name: string, heads: string, row: string, size: number | null])[] = [
    ['what was filled, beside an amount of the currency', 'Pair;Price;Executed;Amount', 'SOLUSDT;1820;0.5SOL;910USDT', 0.5],
    ['the amount by the price, if nobody says what was filled', 'Pair;Price;Amount', 'BTC-USDT-SWAP;91000;910 USDT', 0.01],
    ['the amount by the price, if both are of the currency', 'Pair;Price;Filled;Amount', 'BTCUSDT;91000;910USDT;910USDT', 0.01],
    ['the amount by the price, if nothing was filled', 'Pair;Price;Filled;Amount', 'BTCUSDT;91000;0BTC;910USDT', 0.01],
    ['none without a price', 'Pair;Amount', 'BTCUSDT;910USDT', null],
    ['in the coin', 'Pair;Price;Amount', 'BTCUSDT;91000;0.01BTC', 0.01],
    ['in a coin that is the price of others', 'Pair;Price;Amount', 'USDT-TRY;40;910USDT', 910],
    ['by the price in a coin', 'Pair;Price;Executed;Amount', 'ETHBTC;0.03;2ETH;0.06BTC', 2],
    ['by the price in a coin of a symbol of WEEX', 'Symbol;Price;Amount', 'cmt_btcusdt;91000;0.01BTC', 0.01],
    ['by the price in a coin behind a slash', 'Symbol;Price;Amount', 'ETH/BTC;0.03;0.06BTC', 2],
    ['in the coin of a symbol of Upbit', 'Market;Price;Amount', 'KRW-BTC;91000;0.01BTC', 0.01],
    ['by the price in the currency of a symbol of Upbit', 'Market;Price;Amount', 'KRW-BTC;91000;910KRW', 0.01],
    ['by the price in a sign', 'Market;Price;Amount', 'KRW-BTC;91000;910원', 0.01],
    ['in a coin of a contract that is the price of others', 'Pair;Price;Amount', 'USDC-USDT-SWAP;2;910USDC', 910],
    ['of contracts', 'Pair;Price;Amount', 'BTCUSDT;91000;3 cont', 3],
    ['without a symbol', 'Price;Amount', '91000;910USDT', 0.01],
    ['in the currency of the heading', 'Pair;Price;Amount (USDT)', 'BTCUSDT;91000;910', 0.01],
    ['in the coin of the heading', 'Pair;Price;Amount (BTC)', 'BTCUSDT;91000;0.01', 0.01],
    ['in the unit of a column', 'Pair;Price;Amount;Trading Unit', 'BTCUSDT;91000;910;USDT', 0.01],
    ['in contracts by a column', 'Pair;Price;Amount;Trading Unit', 'BTCUSDT;91000;910;cont', 910],
    ['in the currency of OKX', 'instId;avgPx;accFillSz;sz;tgtCcy', 'BTC-USDT;91000;0.01;910;quote_ccy', 0.01],
    ['in the coin of OKX', 'instId;avgPx;accFillSz;sz;tgtCcy', 'BTC-USDT;91000;0.01;0.02;base_ccy', 0.02],
    ['of a purchase at the market, whose size is what it costs', 'symbol;priceAvg;baseVolume;size', 'BTCUSDT;91000;0.01;909.7', 0.01],
    ['that is in part filled', 'symbol;priceAvg;baseVolume;size', 'BTCUSDT;91000;0.01;900', 900],
    ['whose price is near 1', 'symbol;priceAvg;baseVolume;size', 'USDCUSDT;1.001;500;500', 500],
    ['that the list lacks', 'symbol;filled;amount', 'BTCUSDT;0.01;--', 0.01],
    ['that is a share', 'symbol;filled', 'BTCUSDT;40%', null],
  ];

  test.each([...Map.groupBy(SIZES, ([, heads]) => heads)])('in a list with %s', async (heads, cases) => {
    const lines = cases.map(([, , row], n) => `${n + 1};${AT};${row}\n`);
    const { orders } = await read(`id;time;${heads}\n${lines.join('')}`, undefined, '1');
    expect(cases.map(([name], n) => [name, orders[n]?.size])).toEqual(cases.map(([name, , , size]) => [name, size]));
  });

  test('of fills with an amount of the currency is their sum', async () => {
    const fills = [0.5, 0.5].map((filled) => `1;${AT};SOLUSDT;1820;${filled}SOL;910USDT;${filled}\n`);
    const list = `id;time;Pair;Price;Executed;Amount;n\n${fills.join('').replace(/0\.5\n/, '1\n')}`;
    expect((await read(list, undefined, '1')).orders).toMatchObject([{ size: 1, price: 1820 }]);
  });

  test('by what was filled is none, if its comma can be read in two ways', async () => {
    const list = `id;time;Pair;Price;Executed;Amount\n1;${AT};SOLUSDT;1820;1,500SOL;2730000USDT\n`;
    const { orders, unclear } = await read(list, undefined, '1');
    expect([orders[0]?.size, unclear]).toEqual([null, [{ cells: 1, line: 2, text: '1,500SOL' }]]);
    const dotted = `id;time;Pair;Price;Executed;Amount\n1;${AT};SOLUSDT;1820;0.5SOL;1,500USDT\n`;
    expect((await read(dotted, undefined, '1')).unclear).toEqual([]);
  });

  test('less what remains in another coin says nothing of what was filled', async () => {
    const { needNone, unknown } = await withoutLog(
      'amount;remaining;state',
      '910USDT;0.01BTC;canceled',
      '1BTC;1BTC;canceled',
    );
    expect([needNone, unknown]).toEqual([[false, true], 1]);
  });
});
