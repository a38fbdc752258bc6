import { describe, expect, test } from 'vitest';
import { type Log, reviewOf, type TestOrder } from './review.ts';

type Case = readonly [
  order: string,
  reading: 'same' | 'other' | 'untold',
  output: unknown,
  rest?: Partial<Said> | undefined,
];
interface Said {
  readonly input: unknown;
  readonly explanation: string;
  readonly [member: string]: unknown;
}

/** Input of a log about a symbol, as bots send it. */
const at = (symbol: string) => ({
  input: { prompt: 'You trade futures.', market: { symbol, price: 91_000, rsi: 48.2 } },
});
/** A trade in a symbol, as a decision states it. */
const sells = (symbol: string) => ({ symbol, action: 'SELL' });
const MANY_COINS =
  'BTC ETH SOL XRP DOGE BNB ADA TRX AVAX LINK DOT LTC BCH ETC XLM HBAR SUI APT NEAR ICP FIL ATOM UNI AAVE TON SHIB';
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
    [`- ${symbol}`, 'other', sells('ETHUSDT')],
    ['- ETHUSDT', 'other', sells(symbol)],
  ]),
  ...['1000PEPEUSDT', 'kPEPE', 'PEPE-USDT', '1000PEPE/USDT:USDT'].map((symbol): Case => [`- ${symbol}`, 'same', { symbol: 'PEPEUSDT' }]),
  ['- 10000SATSUSDT', 'same', { symbol: '1000SATSUSDT' }],
  // Names of the property, and of the coin.
  ...['symbol', 'pair', 'instId', 'inst_id', 'contract', 'coin', 'trading_pair', 'product_id', '交易对', '币种', 'Symbol'].map((name): Case =>
    ['- BTCUSDT', 'other', { order: { [name]: 'ETHUSDT', side: 'sell' } }]),
  ...['Ethereum', '以太坊', 'ETH', 'eth'].flatMap((name): Case[] => [['- BTCUSDT', 'other', { coin: name, action: 'LONG' }], ['- ETHUSDT', 'same', { coin: name }]]),
  ['- BTCUSDT', 'other', { tool: JSON.stringify(sells('ETHUSDT')) }],
  ['- BTCUSDT', 'other', { action: 'sell' }, { symbol: 'ETHUSDT' }],
  ['- BTCUSDT', 'other', { action: 'sell' }, says('I sell 2 ETHUSDT at 3050: the trend is weak.')],
  ['- BTCUSDT', 'other', { action: '卖出', text: '因此卖出 ETHUSDT，价格约 3050。' }],
  ['- BTCUSDT', 'other', { ...sells('ETHUSDT'), text: 'SOL is weak as well.' }],
  ['- BTCUSDT', 'same', { symbol: 'BTCUSDT', text: 'ETH leads, SOL lags.' }, at('ETHUSDT')],
  // A symbol without a decision to trade it may be data, a market that leads, or one that is left alone.
  ...[{}, { action: 'HOLD' }, { action: 'close' }, { direction: 'long' }, { signal: 'buy' }].map((rest): Case =>
    ['- SOLUSDT', 'untold', { symbol: 'BTCUSDT', ...rest }]),
  ['- SOLUSDT', 'untold', { action: 'BUY', raw: '{"symbol":"BTCUSDT"}' }],
  ['- SOLUSDT', 'untold', { action: 'BUY', raw: { symbol: 'BTCUSDT', last: 91_000 } }],
  ['- SOLUSDT', 'untold', { action: 'BUY', text: JSON.stringify(sells('BTCUSDT')) }],
  ['- SOLUSDT', 'other', { action: 'BUY', response: '{"symbol":"BTCUSDT"}' }],
  ...['ticker', 'asset', 'market', 'token', 'base_currency', 'currency'].map((name): Case => ['- SOLUSDT', 'untold', { action: 'BUY', [name]: 'BTC' }]),
  ['- SOLUSDT', 'untold', { action: 'BUY', symbol: 'BTCUSDT', raw: { symbol: 'ETHUSDT' } }],
  ['sell SOLUSDT', 'same', { action: 'BUY', symbol: 'BTCUSDT', about: 'SOL' }],
  ['sell BTCUSDT', 'same', { action: 'BUY', from: 'BTC', to: 'USDT' }],
  ['sell BTCUSDT', 'other', { action: 'BUY', symbol: 'BTCUSDT', market: 'spot' }],
  // A rule, a feed, or what others do.
  ...['Rule 3: sell BTCUSDT', 'News: “sell BTCUSDT at 91000”', 'Funds will sell BTCUSDT', 'The market: sell 2 BTCUSDT at 91000'].map((text): Case =>
    ['sell SOLUSDT', 'same', { action: 'sell' }, says(text)]),
  // Lists of orders may lack the one that the log names.
  ...[{ decisions: [{ symbol: 'BTCUSDT', action: 'HOLD' }] }, { orders: [sells('BTCUSDT')] }, { text: `[${JSON.stringify(sells('BTCUSDT'))}]` },
    { ...sells('BTCUSDT'), child_orders: [7, 8] }, { ...sells('BTCUSDT'), why: 'One leg of two.' }, { order: [sells('BTCUSDT')] },
    { ...sells('BTCUSDT'), portfolio: { orders: { 7: 1 } } }, { ...sells('BTCUSDT'), 理由: '对冲' }].map((output): Case => ['sell SOLUSDT', 'untold', output]),
  ['- SOLUSDT', 'other', { ...sells('BTCUSDT'), orders: [], votes: [1, 2] }],
  // What names several, or one that is not known, tells nothing.
  ['- BTCUSDT', 'untold', { legs: [{ symbol: 'ETHUSDT' }, { symbol: 'SOLUSDT' }] }],
  ['- BTCUSDT', 'untold', { symbol: 'ABCDEUSDT' }],
  ['- ABCDEUSDT', 'untold', { symbol: 'BTCUSDT' }],
  ['- ETHBTC', 'untold', { symbol: 'SOLUSDT' }],
  ['- ETH/BTC', 'untold', { symbol: 'SOLUSDT' }],
  ['- -', 'untold', { symbol: 'SOLUSDT' }],
  ['- BTCUSDT', 'untold', { symbol: 'spot', market: 'crypto' }],
  // The coin of the order is named anywhere, in any language.
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT', hedge: 'xbt' }],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT' }, says('Bitcoin leads.')],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT' }, says('比特币走强')],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT' }, { input: { watch: ['cmt_btcusdt'] } }],
  ['- BTCUSDT', 'same', { raw: JSON.stringify({ text: '\u6bd4\u7279\u5e01' }).replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`), symbol: 'ETHUSDT' }],
  ['- BTCUSDT', 'same', { symbol: 'ETHUSDT', text: 'Legs:\nBTC 1\nETH 2' }],
  // What a model is given may be the market that leads.
  ['- BTCUSDT', 'untold', { ok: true }, at('ETHUSDT')],
  ['- SOLUSDT', 'untold', { action: 'HOLD' }, says('BTCUSDT leads the market, and funding is low.')],
  ['- SOLUSDT', 'untold', { action: 'HOLD' }, { input: { positions: [{ symbol: 'ETHUSDT' }], benchmark: { symbol: 'BTCUSDT' } } }],
];

// biome-ignore format: one case a line
const SIDES: readonly Case[] = [
  ...['BUY', 'open_long', 'ENTER_LONG', 'buy to open', 'OpenLong', '买入', '开多', '買入', 'comprar', 'kaufen', 'купить', '매수', '買い', 'شراء'].flatMap((word): Case[] => [
    ['buy BTCUSDT', 'same', { action: word }], ['sell BTCUSDT', 'other', { action: word }]]),
  ...['sell', 'open_short', 'GO_SHORT', '卖出', '开空', '賣出', 'vender', 'verkaufen', 'продать', '매도', '売り', 'بيع'].flatMap((word): Case[] => [
    ['SELL BTCUSDT', 'same', { action: word }], ['Open_Long BTCUSDT', 'other', { action: word }]]),
  ...['action', 'direction', 'decision', 'side', 'order_side', '方向', '操作', 'final_decision'].map((name): Case =>
    ['buy BTCUSDT', 'other', { plan: { [name]: 'sell' } }]),
  ['买入 BTCUSDT', 'other', { action: 'SELL 2 BTCUSDT at market' }],
  ['buy BTCUSDT', 'other', { response: JSON.stringify({ action: 'SELL' }) }],
  // Positions are no sides: whoever is long sells, too.
  ...['Long', 'SHORT', '做多', '多'].map((word): Case => ['sell BTCUSDT', 'untold', { action: word }]),
  ...['LONG', '空'].map((side): Case => [`${side} BTCUSDT`, 'untold', { action: 'SELL' }]),
  // What is no side, or no decision to trade.
  ...['HOLD', 'wait', 3, true, 'REBALANCE', '观望'].map((decision): Case => ['sell BTCUSDT', 'untold', { decision, side: 'BUY' }]),
  ...['place_order', 'open position', ''].map((tool): Case => ['sell BTCUSDT', 'other', { operation: tool || undefined, side: 'BUY' }]),
  // Ends of positions: in hedge mode, a list may call them by the side of the position.
  ...['close_long', 'CLOSE', 'exit short', '平仓', '平多', '卖平', 'reduce', 'TAKE_PROFIT'].flatMap((word): Case[] => [
    ['buy BTCUSDT', 'untold', { action: word }], ['sell BTCUSDT', 'untold', { action: word }]]),
  ...['close_long', 'Close Short', '平多', '3', '-'].map((side): Case => [`${side} BTCUSDT`, 'untold', { action: 'SELL' }]).map(([order, , output]): Case => [order.replace('Close Short', 'close-short'), 'untold', output]),
  ['sell BTCUSDT', 'untold', { side: 'long', event: 'TAKE_PROFIT', pnl: 12 }],
  ['sell BTCUSDT', 'untold', { side: 'LONG', reduceOnly: true }],
  ['sell BTCUSDT', 'other', { action: 'BUY', reduceOnly: false, take_profit: 98_000 }],
  ['sell BTCUSDT', 'untold', { side: 'LONG' }, says('Stop loss hit.')],
  ['sell BTCUSDT', 'untold', { side: 'LONG', status: 'closed' }],
  ['sell BTCUSDT', 'untold', { action: 'BUY' }, { stage: 'Exit' }],
  ['buy-close BTCUSDT', 'untold', { action: 'SELL' }],
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
  ['sell BTCUSDT', 'other', { action: 'buy' }, says('The long-term trend is up, the short-term one and the long-short ratio, too.')],
];

/** Honest logs of many kinds, about orders that they do not state as a program reads it. None is of another trade. */
// biome-ignore format: one case a line
const HONEST: readonly Case[] = [
  ['sell SOLUSDT', 'same', { action: 'BUY', legs: ['buy BTCUSDT 0.1', 'sell SOLUSDT 60'] }, says('Relative strength: long bitcoin, short solana.')],
  ['buy SOLUSDT', 'untold', { signal: 'risk-on' }, says('BTCUSDT leads, so I buy the laggard.')],
  ['sell BTCUSDT', 'same', { action: 'BUY', symbol: 'BTCUSDT', exits: [{ type: 'stop_market', side: 'SELL' }] }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'LONG', reason: 'take profit' }],
  ['buy BTCUSDT', 'same', { pair: 'BTC/USDT', side: 'short', step: 'Cover the short at the open.' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', tool: { name: 'close_position', arguments: '{"side":"short"}' } }],
  ['sell ETHUSDT', 'same', { symbol: 'ETHUSDT', decision: 'HEDGE', direction: 'long' }],
  ['sell ETHUSDT', 'same', { hedge_for: 'stETH yield' , direction: 'long' }, says('Delta neutral, funding is positive.')],
  ['buy ETHUSDT', 'same', { vote: ['SELL', 'SELL', 'BUY'], final: 'BUY' }, at('ETHUSDT')],
  ['buy ETHUSDT', 'same', { members: [{ name: 'a', signal: 'sell' }, { name: 'b', signal: 'sell' }], final_vote: 'go long anyway' }, at('ETHUSDT')],
  ['buy WBTCUSDT', 'same', { symbol: 'BTCUSDT', action: 'buy' }],
  ['buy XAUUSDT', 'same', { symbol: 'GOLD', action: 'buy' }],
  ['buy POLUSDT', 'same', { symbol: 'MATICUSDT', action: 'buy' }],
  ['buy HYPE-USDC', 'same', { coin: 'HYPE', is_buy: true }],
  ['sell 1000PEPEUSDT', 'same', { coin: 'kPEPE', is_buy: false }, says('The meme basket is tired.')],
  ['buy LINKUSDT', 'same', { asset: 'USDT', quote: 'USDT' }, says('Chainlink holds its trend: add to the position.')],
  ['buy NEARUSDT', 'same', { market: 'perp' }, says('Enter NEAR on the retest, near 2.31.')],
  ['buy OPUSDT', 'untold', { side: 'buy-side imbalance' }, says('The book is thin on the other side.')],
  ['sell BTCUSDT', 'untold', { side: 'ask', quote: 1, of: 'the maker' }, says('Inventory is long: skew the quotes.')],
  ['buy BTCUSDT', 'same', { grid: { lower: 90_000, upper: 95_000, levels: 12 }, symbol: 'BTCUSDT', action: 'sell' }, says('网格：高抛低吸')],
  ['buy BTCUSDT', 'same', { 操作: '平空', 币种: '比特币' }, says('空头止盈离场')],
  ['sell BTCUSDT', 'same', { 方向: '多', 操作: '减仓', 交易对: 'BTCUSDT' }],
  ['buy ETHUSDT', 'same', { accion: 'comprar', par: 'ETH/USDT' }, says('Compro en el soporte; si pierde 3000 vendo.')],
  ['sell ETHUSDT', 'same', { Aktion: 'Verkaufen', Symbol: 'ETHUSDT' }, says('Der Trend ist gebrochen, ich kaufe später.')],
  ['buy SOLUSDT', 'same', { действие: 'купить', symbol: 'SOLUSDT' }, says('Шорты закрываются, рост объёма.')],
  ['buy SOLUSDT', 'same', { 売買: '買い', symbol: 'SOLUSDT' }, says('ショートの買い戻しが続く。')],
  ['buy XRPUSDT', 'same', { text: 'اشتري XRP عند الدعم' }],
  ['buy SOLUSDT', 'untold', { q: [0.1, 0.7, 0.2], action: 1 }, { input: { state: [0.1, 0.2] } }],
  ['sell BTCUSDT', 'same', { rebalance: true, action: 'BUY ETH with BTC' }, says('Rotate: exit what lags.')],
  ['buy BTCUSDT', 'untold', { signal: 'sell', inverted: true }, says('The model is contrarian to the crowd signal.')],
  ['buy BTC_USDT', 'same', { symbol: 'BTC', side: 'Buy', stop_loss: 'sell stop at 89000' }],
  ['sell BTCUSDT', 'untold', { action: 'LONG', stop: 90_500 }, says('I trail the stop under the last swing, as the trend is intact.')],
  ['sell BTCUSDT', 'untold', { action: '做多' }, says('移动止损到成本价')],
  ['sell ETH-USDT-SWAP', 'same', { instId: 'ETH-USDT-SWAP', posSide: 'long', side: 'sell' }],
  // Long and short may be the position that an order ends, and a value may say more than a side.
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', position_side: 'long', target_weight: 0.3 }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', direction: 'long', target_position: 0.5 }, says('Volatility doubled, so the position is smaller.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'long' }, says('Momentum fades; I book half of the gains.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'LONG', action: 'market_close' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'LONG', action: 'partial_close' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'LONG', closePosition: true }],
  ['sell ETH-USDT-SWAP', 'same', { instId: 'ETH-USDT-SWAP', posSide: 'long', sz: '1', ordType: 'market' }, says('The thesis is gone.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'long' }, says('利食い。上値が重い。')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'long' }, says('Фиксирую прибыль у сопротивления.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'long' }, says('Salgo de la posición, tomo ganancias.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'long' }, says('Gewinnmitnahme am Widerstand.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', side: 'long' }, says('익절합니다')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', 方向: '做多', 理由: '落袋为安' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', 方向: '做多', 动作: '止损' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', direction: 'LONG', event: 'sl_hit' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', signal: 'LONG', event: 'timeout after 4 h' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', signal: 'long', leverage: 1, delta: -0.2 }, says('Lower the exposure: leverage from 3 to 1.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', action: 'LONG', weight: 0.2, prev_weight: 0.5 }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', signal: 'short squeeze' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', signal: 'sell-off exhausted' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', decision: 'Add 0.1: the sell wall is thin' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', decision: 'Enter now, buying climax' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', decision: 'ignore sell signal, bid 97k' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', signal: 'long liquidation cascade' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', operation: 'short-covering rally' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', decision: '空头回补，进场' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', 信号: '买盘枯竭' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', decision: 'no longer long' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', signal: 'too many longs' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', signal: 'oversold' }],
  ['buy BTCUSDT', 'same', { symbol: 'BTCUSDT', market: 'sold out', signal: 'crowded short' }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', decision: 'buy back lower' }],
  // Other markets: those that lead, that were looked up, or of the other leg.
  ['sell SOLUSDT', 'untold', { leg: 2 }, says('Hedge leg against the long ETHUSDT.')],
  ['sell SOLUSDT', 'untold', { leg: 2, hedge_for: { symbol: 'ETHUSDT' } }],
  ['buy SOLUSDT', 'same', { action: 'BUY' }, says('The crowd is long BTCUSDT, alts lag.')],
  ['buy SOLUSDT', 'same', { action: 'BUY' }, says('Whales buy BTCUSDT, so risk is on.')],
  ['buy SOLUSDT', 'untold', { action: 'BUY' }, says('If funds sell ETHUSDT, our coin gains.')],
  ['buy SOLUSDT', 'same', { action: 'BUY', market_context: { symbol: 'BTCUSDT', trend: 'up' } }],
  ['buy SOLUSDT', 'same', { action: 'BUY', benchmark: [{ symbol: 'BTCUSDT', trend: 'up' }] }],
  ['buy SOLUSDT', 'same', { action: 'BUY', asset_index: 5 }, { input: { market: { symbol: 'BTCUSDT', price: 91000 } } }],
  ['buy SOLUSDT', 'same', { action: 'BUY' }, { input: { symbol: 'BTCUSDT', price: 91000 } }],
  ['buy SOLUSDT', 'same', { 判断: 'ＳＯＬを買い', 参考: { symbol: 'BTCUSDT' } }],
  ['buy SOLUSDT', 'same', { 判断: 'ソラナを買う', symbol: 'BTCUSDT' }],
  ['buy XRPUSDT', 'same', { 判断: 'リップルを買う', ticker: 'BTCUSDT' }],
  ['buy SOLUSDT', 'same', { ticker: 'BTCUSDT' }, says('Солана сильнее биткоина')],
  ['buy ETHUSDT', 'same', { ticker: 'BTCUSDT' }, says('二饼补涨')],
  ['buy SOLUSDT', 'same', { ticker: 'BTCUSDT', solPrice: 142 }],
  ['buy ETHUSDT', 'same', { ticker: 'BTCUSDT' }, says('الإيثريوم أقوى')],
  ['buy SOLUSDT', 'same', { trigger: { pair: 'BTC/USDT', move: 0.8 }, action: 'buy' }],
  ['buy SOLUSDT', 'same', { leader: { symbol: 'BTCUSDT' }, action: 'buy' }],
  ['buy SOLUSDT', 'same', { regime: 'bull', regime_source: { ticker: 'BTC' }, action: 'buy' }],
  ['buy SOLUSDT', 'same', { collateral: { coin: 'BTC' }, action: 'buy' }],
  ['buy SOLUSDT', 'same', { fee: { asset: 'BNB', amount: 0.001 }, action: 'buy' }],
  ['buy SOLUSDT', 'same', { action: 'buy', commissionAsset: 'BNB' }],
  ['buy SOLUSDT', 'untold', { tool_calls: [{ name: 'get_price', arguments: '{"symbol":"BTCUSDT"}' }], action: 'buy' }],
  ['buy SOLUSDT', 'untold', { tool_calls: [{ function: { name: 'get_candles', arguments: '{"symbol":"BTCUSDT"}' } }, { function: { name: 'place_order', arguments: '{"market_id":7,"side":"buy"}' } }] }],
  ['buy SOLUSDT', 'untold', { action: 'skip', rejected: [{ symbol: 'BTCUSDT', why: 'flat' }], chosen: 3 }],
  ['buy SOLUSDT', 'same', { action: 'BUY', similar_to: { symbol: 'ETHUSDT', date: '2024-01-02' } }],
  ['buy SOLUSDT', 'same', { action: 'BUY', pnl: [{ symbol: 'BTCUSDT', pnl: 3 }] }],
  ['buy SOLUSDT', 'same', { action: 'BUY', news: [{ coin: 'BTC', title: 'ETF inflow' }] }],
  ['buy SOLUSDT', 'same', { action: 'BUY', signals: { btc: { symbol: 'BTCUSDT' } } }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', action: 'buy', size: -0.2 }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', plan: { ladder: true, side: 'buy' } }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', history: [{ action: 'BUY', price: 1 }], size: 1 }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', position: { side: 'BUY', entry: 90_000 }, size: 1 }],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', crowd: { direction: 'buy' }, size: 1 }],
  ['buy SOLUSDT', 'untold', { data: { symbol: 'BTCUSDT', change: 2 }, n: 1 }],
  ['buy SOLUSDT', 'untold', { n: 1 }, says('Signals: long BTCUSDT regime. Our asset follows.')],
  ['sell BTCUSDT', 'same', { symbol: 'BTCUSDT', action: 'BUY', decision: 'buy back lower' }],
  ['sell BTCUSDT', 'other', { symbol: 'BTCUSDT', side: 'open_long' }],
  // What a tool looks up, what is left alone, and what is said without a decision.
  ['sell SOLUSDT', 'untold', { coin: 'BTC', signal: 'hold', side: 'BUY', quantity: 0.1 }],
  ['buy SOLUSDT', 'untold', { tool: 'market.snapshot', arguments: { symbol: 'BTCUSDT', side: 'buy' } }],
  ['buy SOLUSDT', 'untold', { function_call: { name: 'set_regime', arguments: '{"symbol":"BTCUSDT","direction":"buy"}' } }],
  ...['If it breaks, I sell BTCUSDT.', 'I sell BTCUSDT strength.', 'Why should I sell BTCUSDT?', '不选择卖出BTCUSDT。', '大户因此卖出BTCUSDT。', 'The plan is to follow: sell BTCUSDT weakness.']
    .map((text): Case => ['sell SOLUSDT', 'same', { action: 'sell' }, says(text)]),
  ...['I therefore submit a quick scalp: sell BTCUSDT near 91000.', 'It broke. We now sell 2 BTCUSDT.', '因此卖出BTCUSDT，价格约91000。'].map((text): Case =>
    ['sell SOLUSDT', 'other', { action: 'sell' }, says(text)]),
  // Amounts that end or open nothing.
  ...[{ size: -0.2 }, { qty: '0.000' }, { amount: 0 }].map((rest): Case => ['sell BTCUSDT', 'untold', { action: 'BUY', ...rest }]),
  ['sell BTCUSDT', 'other', { action: 'BUY', size: 0.05 }],
  // A log of up to 24 coins is read.
  ['buy BTCUSDT', 'other', { ...sells('ETHUSDT'), of: MANY_COINS.slice(4, -5) }],
  ['buy BTCUSDT', 'untold', { ...sells('ETHUSDT'), of: MANY_COINS.slice(4) }],
];

describe.each([
  ['symbols', SYMBOLS],
  ['sides', SIDES],
  ['honest logs', HONEST],
])('a log beside its order: %s', async (_name, cases) => {
  const { readings } = await readAll(cases);
  test.each(cases.map((one, n) => [JSON.stringify(one), one[1], n] as const))('%s', (_name, expected, n) => {
    expect(readings[n]).toBe(expected);
  });
});

describe('several logs or orders', async () => {
  const body = (output: unknown, explanation = '') => JSON.stringify({ input: { n: 1 }, output, explanation });
  /** Reads the logs of the first order of a team, beside its other orders and those of another team. */
  const read = async (teams: readonly (readonly [bodies: readonly string[], others?: readonly TestOrder[]])[]) => {
    const order: TestOrder = ['0', 0, 1, false, 'BTCUSDT', 'buy'];
    const logs = teams.flatMap(([bodies], team) =>
      bodies.map((one, n): Log => ({ uid: `${team}0`, second: n, orderId: team * 10 + 1, body: one })),
    );
    const orders = teams.flatMap(([, others = []], team) =>
      [order, ...others].map(
        ([uid, second, id, ...rest]): TestOrder => [`${team}${uid}`, second, team * 10 + Number(id), ...rest],
      ),
    );
    const { orderList, of } = await reviewOf(logs, { orders });
    return teams.map((_team, team) => {
      const found = orderList.filter(({ uid }) => uid === `${team}0`);
      return [found.map(({ trade, logSays }) => [trade, logSays]), of(`${team}0`)] as const;
    });
  };

  // biome-ignore format: one case a line
  const cases: readonly [string, string[], string | null, string | null][] = [
    ['both of another side', [body({ action: 'sell' }), body({ action: 'go short' })], 'other', 'sell'],
    ['both of another coin and side', [body({ symbol: 'ETHUSDT', action: 'sell' }), body({ n: 1 })], 'other', 'sell ETH'],
    ['one of them of its side', [body({ action: 'sell' }), body({ action: 'buy' })], 'untold', null],
    ['one of them of no clear side', [body({ action: 'sell' }), body({ action: 'close' }, 'Close the long.')], 'untold', null],
    ['one of them of its coin', [body({ symbol: 'ETHUSDT' }), body({ text: 'BTC' })], 'same', null],
    ['one of them of a third coin', [body(sells('ETHUSDT')), body(sells('SOLUSDT'))], 'untold', null],
    ['one of them with a list', [body(sells('ETHUSDT')), body({ orders: [{ action: 'sell', id: 7 }] })], 'untold', null],
    ['one of them too long', [body(sells('ETHUSDT')), body({ text: 'x'.repeat(256 * 1024) })], 'untold', null],
    ['one of them of 25 coins', [body(sells('ETHUSDT')), body({ text: MANY_COINS })], 'untold', null],
    ['a vote and the decision', [body({ action: 'sell', symbol: 'BTCUSDT' }), body({ action: 'buy', symbol: 'BTCUSDT' })], 'same', null],
  ];
  const stops = [
    [600, 'untold'],
    [601, 'other'],
    [-600, 'untold'],
    [-601, 'other'],
  ] as const;
  const sell = [body({ action: 'sell' })];
  const readings = await read([
    ...cases.map(([, bodies]) => [bodies] as const),
    ...stops.map(([seconds]) => [sell, [['0', seconds, 2, false, 'BTC-USDT', 'SELL'] satisfies TestOrder]] as const),
  ]);

  test.each(cases.map(([name, , ...expected], n) => [name, expected, n] as const))('%s', (_name, expected, n) => {
    expect(readings[n]?.[0]).toEqual([expected]);
  });

  test.each(stops.map((stop, n) => [...stop, cases.length + n] as const))(
    'a stop may have the log of its entry, %i s from it: %s',
    (_seconds, expected, n) => {
      expect(readings[n]?.[0].flatMap(([trade]) => trade ?? [])).toEqual([expected]);
    },
  );

  // biome-ignore format: one case a line
  const befores: readonly [name: string, before: readonly TestOrder[], string][] = [
    ['no order', [], 'other'],
    ['an entry of the other side', [['0', -9000, 2, false, 'BTCUSDT', 'sell']], 'untold'],
    ['an entry of the same side', [['0', -9000, 2, false, 'BTCUSDT', 'buy']], 'other'],
    ['an entry that was never filled', [['0', -9000, 2, true, 'BTCUSDT', 'sell']], 'other'],
    ['an entry in another market', [['0', -9000, 2, false, 'BTC-PERP', 'sell']], 'other'],
    ['an entry that was ended', [['0', -9000, 2, false, 'BTCUSDT', 'sell', 2], ['0', -8000, 3, false, 'BTCUSDT', 'buy', 2]], 'other'],
    ['one that was ended in part', [['0', -9000, 2, false, 'BTCUSDT', 'sell', 3], ['0', -8000, 3, false, 'BTCUSDT', 'buy', 2]], 'untold'],
    ['one of its size beside a larger one', [['0', -9000, 2, false, 'BTCUSDT', 'sell', 1], ['0', -8000, 3, false, 'BTCUSDT', 'buy', 5]], 'untold'],
    ['a smaller one, but for fees', [['0', -9000, 2, false, 'BTCUSDT', 'sell', 0.99]], 'untold'],
    ['a smaller one', [['0', -9000, 2, false, 'BTCUSDT', 'sell', 0.98]], 'other'],
    ['a later order', [['0', 9000, 2, false, 'BTCUSDT', 'sell']], 'other'],
  ];
  const readBefore = await read(befores.map(([, before]) => [sell, before]));
  test.each(befores.map(([name, , expected], n) => [name, expected, n] as const))(
    'the side may be that of a position which ends: %s',
    (_name, expected, n) => {
      expect(readBefore[n]?.[0]).toContainEqual([expected, expected === 'other' ? 'sell' : null]);
    },
  );

  // biome-ignore format: one case a line
  const besides: readonly [name: string, output: unknown, other: TestOrder, string, string | null][] = [
    ['of another team', { action: 'sell' }, ['1', 5, 2, false, 'BTCUSDT', 'sell'], 'other', 'sell'],
    ['of the side, in any coin', { action: 'sell' }, ['0', 5, 2, false, 'SOLUSDT', 'sell'], 'untold', null],
    ['of the side, in a coin that is not known', { action: 'sell' }, ['0', 5, 2, false, 'ABCDEUSDT', 'sell'], 'untold', null],
    ['that may be of the side', { action: 'sell' }, ['0', 5, 2, false, 'SOLUSDT', 'close'], 'untold', null],
    ['of the coin', { ...sells('ETHUSDT'), why: 'Nobody buys.' }, ['0', 600, 2, false, 'ETH-PERP', 'buy'], 'untold', null],
    ['of the coin, of another side', sells('ETHUSDT'), ['0', 5, 2, false, 'ETHUSDT', 'buy'], 'other', 'sell ETH'],
    ['of the coin and side', sells('ETHUSDT'), ['0', -600, 2, false, 'ETHUSDT', 'sell'], 'untold', null],
    ['of another coin', sells('ETHUSDT'), ['0', 5, 2, false, 'SOLUSDT', 'sell'], 'other', 'sell ETH'],
  ];
  const readBeside = await read(besides.map(([, output, other]) => [[body(output)], [other]]));
  test.each(besides.map(([name, , , ...expected], n) => [name, expected, n] as const))(
    'a log may be about an order beside its own: %s',
    (_name, expected, n) => {
      expect(readBeside[n]?.[0]).toContainEqual(expected);
    },
  );

  test('are counted', async () => {
    const [[, team] = []] = await read([[sell]]);
    expect(team).toMatchObject({ toldOrders: 1, otherTrades: 1, namedOrders: 1, saysNothing: 0, lookAt: [] });
    const { of } = await readAll([['- -', 'untold', { x: 0.41 }, { input: { n: 1 }, explanation: 'ok' }]]);
    expect(of('1')).toMatchObject({ toldOrders: 0, otherTrades: 0, saysNothing: 1, lookAt: ['says nothing'] });
  });
});

describe('a log says nothing', async () => {
  // biome-ignore format: several cases a line
  const cases: readonly (readonly [boolean, unknown, Partial<Said>?])[] = [
    [true, { x: 0.41 }], [true, { x: 0.41 }, says('ok')], [true, { status: 'done' }, says('ok')], [true, { a: 'ok ok ok' }, says('ok OK')],
    [true, {}, { input: { obs: [0.1, 0.2] } }], [true, { confidence_of_the_model: 0.4 }], [true, { n: '好的' }],
    [false, { x: 1 }, says('Momentum turned positive.')], [false, { why: 'the trend broke' }], [false, { n: '动量转强' }], [false, { why: 'モメンタム' }],
    [false, { action: 'buy' }], [false, { x: 1 }, { input: { symbol: 'ABCDEUSDT' } }], [false, { x: 1 }, { input: { last_price: 3 } }],
    [false, { coin: 'BTC' }], [false, { entry: '91000' }], [false, { x: 1 }, { note: 'the trend broke' }], [false, { json: '{"entry":5}' }],
  ];
  const { of } = await readAll(cases.map(([, output, rest]) => ['- -', 'untold', output, rest]));
  test.each(cases.map(([nothing, ...said], n) => [nothing, JSON.stringify(said), n] as const))(
    '%s: %s',
    (nothing, _said, n) => {
      expect(of(String(n + 1)).saysNothing).toBe(nothing ? 1 : 0);
    },
  );
});
