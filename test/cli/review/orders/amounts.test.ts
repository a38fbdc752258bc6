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
  const columnOf = (heading: string) => findOrderColumns('a', ['id', 'time', 'status', heading], true).headings.filled;

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
    open: ['New', 'OPEN', 'live', 'PENDING_NEW', 'Untriggered', 'not triggered', '未成交', '委托中', ''],
    filled: ['Filled', 'FULLY_FILLED', 'partially_filled', 'PartiallyFilledCanceled', 'PARTIALLY_CANCELED', 'partial-fill', 'deal', 'Executed', '完全成交', '部分成交已撤销', '部分成交'],
    refused: ['Rejected', 'Deactivated', 'failed', 'INVALID', '已拒绝', '下单失败', '废单'],
    ended: ['Cancelled', 'CANCELED', 'expired', 'EXPIRED_IN_MATCH',  'closed', 'finished', 'Done', '已撤销', '已撤銷', '撤单', '已取消', '已过期', 'User Canceled'],
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
    const { states } = await withoutLog('state', 'odd', 'strange', 'strange', 'filled');
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
