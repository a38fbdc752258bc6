import { describe, expect, test } from 'vitest';
import { type Log, reviewOf, type TestOrder } from './review.ts';

type Case = readonly [order: string, reading: 'same' | 'other' | 'untold', output: unknown, rest?: Partial<Said>];
interface Said {
  readonly input: unknown;
  readonly explanation: string;
  readonly [member: string]: unknown;
}

/** Input of a log about a symbol, as bots send it. */
const at = (symbol: string) => ({
  input: { prompt: 'You trade futures.', market: { symbol, price: 91_000, rsi: 48.2 } },
});
const says = (explanation: string): Partial<Said> => ({ explanation });

/** Reads each log beside its order, which is of a team of its own. @returns the readings, and the teams with facts */
async function readAll(cases: readonly Case[]) {
  const logs = cases.map(([, , output, rest], n): Log => {
    const body = { input: {}, explanation: '', ...rest, output };
    return { uid: String(n + 1), second: n * 60 + 5, orderId: n + 1, body: JSON.stringify(body) };
  });
  const orders = cases.map(([order], n): TestOrder => {
    const [side, symbol] = order.split(' ');
    return [String(n + 1), n * 60, n + 1, false, symbol === '-' ? undefined : symbol, side === '-' ? undefined : side];
  });
  const { orderList, of } = await reviewOf(logs, { orders });
  const tradeOf = new Map(orderList.map(({ uid, trade }) => [uid, trade]));
  return { readings: cases.map((_case, n) => tradeOf.get(String(n + 1))), of };
}

// biome-ignore format: one case a line
const SYMBOLS: readonly Case[] = [
  // Symbols as exchanges write them, beside a log of the same coin in another spelling.
  ...['BTC-USDT-SWAP', 'cmt_btcusdt', 'XBTUSD', 'BTCUSDT_UMCBL', 'BTC/USDT:USDT', 'BTCUSDT', 'BTC_USDT', 'XBTUSDTM', 'BTC-PERPETUAL',
    'BINANCE:BTCUSDT.P', 'BTCUSDT_240927', 'BTC-USD-240927', 'PI_XBTUSD', 'BTCUSD_PERP', 'BTCPERP', 'BTC-PERP-INTX', 'btcusdt',
    'BTCUSDT永续', 'BTC', 'BTCUSDC', 'XXBTZUSD'].flatMap((symbol): Case[] => [
    [`- ${symbol}`, 'same', { symbol: 'BTC/USDT' }],
    [`- ${symbol}`, 'other', { symbol: 'ETHUSDT' }],
    ['- ETHUSDT', 'other', { symbol }],
  ]),
  ...['1000PEPEUSDT', 'kPEPE', 'PEPE-USDT', '1000PEPE/USDT:USDT'].map((symbol): Case => [`- ${symbol}`, 'same', { symbol: 'PEPEUSDT' }]),
  ['- 10000SATSUSDT', 'same', { symbol: '1000SATSUSDT' }],
  // Names of the property, and of the coin.
  ...['symbol', 'pair', 'instId', 'inst_id', 'contract', 'coin', 'trading_pair', 'product_id', '交易对', '币种', 'Symbol'].map((name): Case =>
    ['- BTCUSDT', 'other', { order: { [name]: 'ETHUSDT' } }]),
  ...['Ethereum', '以太坊', 'ETH', 'eth'].flatMap((name): Case[] => [['- BTCUSDT', 'other', { coin: name }], ['- ETHUSDT', 'same', { coin: name }]]),
  ['- BTCUSDT', 'other', { tool: JSON.stringify({ symbol: 'ETHUSDT' }) }],
  ['- BTCUSDT', 'other', { ok: true }, at('ETHUSDT')],
  ['- BTCUSDT', 'other', { ok: true }, { symbol: 'ETHUSDT' }],
  ['- BTCUSDT', 'other', {}, says('I sell 2 ETHUSDT at 3050: the trend is weak.')],
  ['- BTCUSDT', 'other', { text: '因此卖出 ETHUSDT，价格约 3050。' }],
  ['- BTCUSDT', 'other', { symbol: 'ETHUSDT', text: 'SOL is weak as well.' }],
  ['- BTCUSDT', 'same', { symbol: 'BTCUSDT', text: 'ETH leads, SOL lags.' }, at('ETHUSDT')],
  // What names several, or one that is not known, tells nothing.
  ['- BTCUSDT', 'untold', { legs: [{ symbol: 'ETHUSDT' }, { symbol: 'SOLUSDT' }] }],
  ['- BTCUSDT', 'untold', { symbol: 'ABCDEUSDT' }],
  ['- ABCDEUSDT', 'untold', { symbol: 'BTCUSDT' }],
  ['- ETHBTC', 'untold', { symbol: 'SOLUSDT' }],
  ['- -', 'untold', { symbol: 'SOLUSDT' }],
  ['- BTCUSDT', 'untold', { symbol: 'spot', market: 'crypto' }],
  // The coin of the order is named anywhere, in any language.
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT', hedge: 'xbt' }],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT' }, says('Bitcoin leads.')],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT' }, says('比特币走强')],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT' }, { input: { watch: ['cmt_btcusdt'] } }],
  ['- BTCUSDT', 'same', { raw: JSON.stringify({ text: '\u6bd4\u7279\u5e01' }).replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`), symbol: 'ETHUSDT' }],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT', text: 'Legs:\nBTC 1\nETH 2' }],
  ['- SOLUSDT', 'untold', { action: 'HOLD' }, says('BTCUSDT leads the market, and funding is low.')],
  ['- SOLUSDT', 'untold', { action: 'HOLD' }, { input: { positions: [{ symbol: 'ETHUSDT' }], benchmark: { symbol: 'BTCUSDT' } } }],
];

// biome-ignore format: one case a line
const SIDES: readonly Case[] = [
  ...['BUY', 'Long', 'open_long', 'ENTER_LONG', 'buy to open', 'OpenLong', '做多', '买入', '开多', '買入', 'comprar', 'kaufen', 'купить', '매수', '買い', 'شراء'].flatMap((word): Case[] => [
    ['buy BTCUSDT', 'same', { side: word }], ['sell BTCUSDT', 'other', { side: word }]]),
  ...['sell', 'SHORT', 'open_short', 'GO_SHORT', '做空', '卖出', '开空', '賣出', 'vender', 'verkaufen', 'продать', '매도', '売り', 'بيع'].flatMap((word): Case[] => [
    ['SELL BTCUSDT', 'same', { action: word }], ['Open_Long BTCUSDT', 'other', { action: word }]]),
  ...['action', 'direction', 'decision', 'signal', 'order_side', 'positionSide', '方向', '操作', 'final_decision'].map((name): Case =>
    ['buy BTCUSDT', 'other', { plan: { [name]: 'sell' } }]),
  ['买入 BTCUSDT', 'other', { action: 'SELL 2 BTCUSDT at market' }],
  ['buy BTCUSDT', 'other', { text: JSON.stringify({ action: 'SELL' }) }],
  // Ends of positions: in hedge mode, a list may call them by the side of the position.
  ...['close_long', 'CLOSE', 'exit short', '平仓', '平多', '卖平', 'reduce', 'TAKE_PROFIT'].flatMap((word): Case[] => [
    ['buy BTCUSDT', 'untold', { action: word }], ['sell BTCUSDT', 'untold', { action: word }]]),
  ...['close_long', 'Close Short', '平多', '3', '-'].map((side): Case => [`${side} BTCUSDT`, 'untold', { action: 'SELL' }]).map(([order, , output]): Case => [order.replace('Close Short', 'close-short'), 'untold', output]),
  ['sell BTCUSDT', 'untold', { side: 'long', event: 'TAKE_PROFIT', pnl: 12 }],
  ['sell BTCUSDT', 'untold', { side: 'LONG', reduceOnly: true }],
  ['sell BTCUSDT', 'other', { side: 'LONG', reduceOnly: false, take_profit: 98_000 }],
  ['sell BTCUSDT', 'untold', { side: 'LONG' }, says('Stop loss hit.')],
  ['sell BTCUSDT', 'untold', { side: 'LONG', status: 'closed' }],
  ['sell BTCUSDT', 'untold', { action: 'BUY' }, { stage: 'Exit' }],
  // Both sides, or what may be a trade of two.
  ['buy BTCUSDT', 'untold', { votes: [{ action: 'buy' }, { action: 'sell' }], action: 'sell' }],
  ['buy BTCUSDT', 'untold', { action: 'SELL' }, says('Not a short: I go long.')],
  ['buy BTCUSDT', 'untold', { action: 'SELL' }, says('空头回补，做多。')],
  ['buy BTCUSDT', 'untold', { action: 'SELL' }, says('A hedge of the spot position.')],
  ['buy BTCUSDT', 'untold', { action: 'SHORT' }, says('Funding arbitrage.')],
  ['buy BTCUSDT', 'untold', { signal: 'sell' }, says('I fade the crowd: contrarian.')],
  ['buy BTCUSDT', 'untold', { direction: 'neutral', action: 'HOLD' }],
  ['buy BTC-240927-60000-P', 'untold', { action: 'SELL' }],
  ['buy BTCUSDT', 'untold', { text: 'Sellers are exhausted, buyers wait.' }],
  ['buy BTCUSDT', 'untold', {}, says('I sell now.')],
  ['sell BTCUSDT', 'other', { action: 'buy' }, says('The long-term trend is up, the short-term one too.')],
];

describe.each([
  ['symbols', SYMBOLS],
  ['sides', SIDES],
])('a log beside its order: %s', async (_name, cases) => {
  const { readings } = await readAll(cases);
  test.each(cases.map((one, n) => [JSON.stringify(one), one[1], n] as const))('%s', (_name, expected, n) => {
    expect(readings[n]).toBe(expected);
  });
});
