import type { Random } from './random.ts';

export type Trade = Readonly<{ symbol: string; side: 'buy' | 'sell'; price: number; size: number }>;

const options = (text: string): readonly string[] => text.split('|').map((option) => option.trim());

/** The options of each slot in a text, such as `{mover}`, of which one takes its place. */
const slots: Readonly<Record<string, readonly string[]>> = {
  mover: options(`Open interest | Spot volume | Funding | The order book | Basis | Taker flow | Liquidity
    | Implied volatility | The perpetual premium | Whale activity | Stablecoin inflow | The long-short ratio`),
  moved: options(`rose | faded | flipped negative | dried up | recovered | thickened | doubled | stalled
    | thinned out | turned upward | collapsed | steadied`),
  when: options(`since the European open | over the past quarter of an hour | after the inflation print
    | during the last session | right at the funding time | since my previous decision | while Asia was asleep
    | into the close | through lunch | after the failed breakout | as volume returned | before the announcement`),
  reading: options(`The shorter moving average | My momentum score | The relative strength reading
    | The volatility band | The mean reversion signal | The regime classifier | The news sentiment feed
    | The cross-asset model | The volume profile | The trend filter | The imbalance estimate | The carry estimate`),
  says: options(`points higher | has no opinion | warns of exhaustion | supports the move | contradicts the tape
    | confirms the slope | crossed its threshold | drifted lower | agrees for once | is neutral | flashed a reversal
    | remains stretched`),
  although: options(`although the daily chart disagrees | and the weekly trend is intact | but the sample is small
    | even with a wide spread | with little noise | despite the headline | yet conviction is modest
    | and correlations are low | while bitcoin leads | whereas ether lags | so timing matters | if liquidity holds`),
  risk: options(`a sudden squeeze | an overnight gap | thin weekend books | a correlated unwind | slippage on exit
    | a regulator speaking | an exchange outage | a fast retrace | crowded positioning | a stale oracle
    | miners selling | a lower low`),
  handled: options(`the stop sits under the last swing | exposure stays below a tenth of equity | I scale in twice
    | leverage is kept low | I take half off early | the hedge stays open | the position expires tonight
    | I will cut on a close beyond the band | the limit is passive | I skip the second entry
    | the trailing stop is tight | margin is isolated`),
  verdict: options(`I prefer | The plan is | The model settles on | Net of costs it favours
    | The best expected value is | I choose | After weighing both sides I go with | My answer is
    | The policy outputs | The vote of the ensemble is | On balance it recommends | I therefore submit`),
  size: options(`a small clip | a measured entry | half the usual size | a full unit | a starter position
    | a reduced ticket | the standard lot | a probing order | two thirds of a unit | a patient bid | a quick scalp
    | a swing position`),
};

const fill = (random: Random, text: string) =>
  text.replace(/\{(\w+)\}/g, (_slot, name: string) => random.pick(slots[name] ?? []));

const SENTENCES = [
  '{mover} {moved} {when}, {although}.',
  '{reading} {says} and {mover} {moved}.',
  '{when} {reading} {says}, {although}.',
  'I worry about {risk}, so {handled}.',
  'Against {risk} {handled}, and {reading} {says}.',
  'What changed: {mover} {moved} {when}.',
] as const;

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Writes the reasoning of a model that looks at the market each time. @param count its sentences but for the last */
export function honestReasoning(random: Random, { symbol, side, price }: Trade, count = random.between(3, 5)): string {
  const all = Array.from({ length: Math.ceil(count / SENTENCES.length) }, () => random.shuffle(SENTENCES)).flat();
  const texts = all.slice(0, count).map((text) => sentence(fill(random, text)));
  return [...texts, fill(random, `{verdict} {size}: ${side} ${symbol} near ${price}.`)].join(' ');
}

const CHINESE: Readonly<Record<string, string>> = {
  mover: '持仓量|现货成交|资金费率|盘口深度|主动买盘|链上流入|隐含波动|多空比例|基差|大户动向',
  moved: '明显回升|逐步走弱|转为负值|几乎枯竭|快速放大|趋于平稳|出现背离|再度收敛|突然翻倍|低位徘徊',
  when: '自欧洲开盘以来|在过去一刻钟里|数据公布之后|亚洲午盘期间|临近结算时|上次决策之后|随着美股走高|在假突破之后|凌晨时段|公告发布前',
  reading: '短期均线|动量评分|相对强弱指标|布林通道|均值回归信号|行情分类模型|新闻情绪|跨品种模型|成交分布|趋势过滤器',
  says: '继续看涨|没有方向|提示衰竭|支持这一走势|与盘面矛盾|确认了斜率|越过阈值|缓慢下移|保持中性|出现反转',
  risk: '轧空|隔夜跳空|周末流动性不足|连环平仓|滑点过大|监管讲话|交易所故障|快速回撤|仓位拥挤|矿工抛售',
  handled:
    '止损放在前低下方|总敞口低于一成|分两次建仓|杠杆保持很低|提前减半|对冲继续持有|今晚到期离场|收盘破位就止损|只挂被动单|不做第二次进场',
  verdict:
    '因此选择|综合来看倾向于|模型最终给出|扣除成本后更适合|权衡之后决定|我的结论是|组合投票结果为|策略输出|最优期望是|于是提交',
};

/** Writes the reasoning of a model in Chinese, which has no spaces between words. */
export function chineseReasoning(random: Random, { symbol, side, price }: Trade): string {
  const fillOne = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_slot, name: string) => random.pick((CHINESE[name] ?? '').split('|')));
  const body = random.shuffle([
    '{when}，{mover}{moved}。',
    '{reading}{says}，而{mover}{moved}。',
    '主要担心{risk}，所以{handled}。',
    '{when}{reading}{says}，{handled}。',
  ]);
  const texts = body.slice(0, 3).map(fillOne);
  return `${texts.join('')}${fillOne('{verdict}')}${side === 'buy' ? '买入' : '卖出'} ${symbol}，价格约 ${price}。`;
}

const NAMES = ['Aurora', 'Borealis', 'Cygnus', 'Draco', 'Eridanus', 'Fornax'];
const CLAIMS = [
  'analysed the current market conditions with several technical indicators',
  'evaluated the order flow and the prevailing sentiment across all major venues',
  'combined price action with our private features to rank the available opportunities',
];
const PROMISES = [
  'identified a favourable opportunity with acceptable risk, in line with the configured strategy and its limits',
  'found an attractive entry that fits the portfolio and respects every rule of the risk budget',
  'confirmed a statistically significant edge while keeping the drawdown within the agreed bounds',
];

/** Creates a writer that fills one template with other numbers each time. Variants have little in common. */
function templatedReasoning(chosen: Random, variant: number): (random: Random, trade: Trade) => string {
  const name = chosen.pick(NAMES);
  const claim = CLAIMS[variant % CLAIMS.length];
  const promise = PROMISES[variant % PROMISES.length];
  return (random, { symbol, side, price }) =>
    `Our proprietary ${name} system ${claim} for ${symbol} and ${promise}: ${side} near ${price}. ` +
    `Confidence ${random.between(51, 99)} %. Reference ${random.between(0x10000000, 0x7fffffff).toString(16)}.`;
}

function renumberedReasoning(chosen: Random, trade: Trade): (random: Random) => string {
  const text = `${honestReasoning(chosen, trade)} Score 1 of 10, risk 2 %, step 3.`;
  return (random) => text.replace(/\d+(\.\d+)?/g, () => String(random.between(1, 99_999) / 10));
}

/** Puts an invisible character into every third word. It shows nothing, and makes each word another one. */
function hideCharacters(random: Random, text: string): string {
  let words = 0;
  return text.replace(/\p{L}{4,}/gu, (word) => {
    words += 1;
    return words % 3 === 0 ? `${word.slice(0, 2)}${random.pick(['\u034f', '\u200b', '\u2060'])}${word.slice(2)}` : word;
  });
}

const SIGNALS = ['breakout', 'pullback', 'mean-reversion', 'momentum', 'divergence'];
const REGIMES = ['trending', 'ranging', 'volatile', 'quiet'];

/** Rounds a multiple of a price to the digits that it has. */
const priced = (price: number, factor: number) => Number((price * factor).toPrecision(5));

/** Returns output and explanation of a model whose answer has a schema: numbers, enumerations and one sentence. */
function structuredAnswer(random: Random, { symbol, side, price, size }: Trade) {
  const reason = sentence(fill(random, random.pick(SENTENCES)));
  const [stop, target] = side === 'buy' ? [0.99, 1.02] : [1.01, 0.98];
  const levels = { entry: price, stop: priced(price, stop), target: priced(price, target) };
  const [signal, regime] = [random.pick(SIGNALS), random.pick(REGIMES)];
  const choices = { signal, regime, confidence: random.between(50, 95) / 100 };
  return { output: { action: side.toUpperCase(), symbol, size, ...levels, ...choices, reason }, explanation: reason };
}

function signalAnswer(random: Random, { symbol, side, price, size }: Trade) {
  const [fast, slow] = [priced(price, 1 + random.between(1, 40) / 1e4), priced(price, 1 - random.between(1, 40) / 1e4)];
  const explanation = `EMA(12) ${fast} crossed EMA(26) ${slow} with RSI ${random.between(300, 700) / 10}: ${side} ${size} ${symbol} at ${price}, stop ${priced(price, 0.99)}, target ${priced(price, 1.02)}.`;
  return { output: { signal: 'ema-cross', side, symbol, size, price }, explanation };
}

/** A loop of thoughts and actions, as an open framework prints it: all but one sentence is the frame. */
function frameworkAnswer(random: Random, { symbol, side, price, size }: Trade) {
  const thought = sentence(fill(random, random.pick(SENTENCES)));
  const explanation = `Observation: ${symbol} trades at ${price}. Thought: I have to decide with the tools that I was given. ${thought} Action: place_order. Action input: ${side} ${size}. Final answer: the order was sent and the position is within the limits of the mandate.`;
  return { output: { tool: 'place_order', arguments: { symbol, side, size, price } }, explanation };
}

function ensembleAnswer(random: Random, trade: Trade) {
  const actions = ['buy', 'sell', 'hold'];
  const votes = ['trend', 'carry', 'news', 'flow', 'value'].map((model) => {
    const [action, confidence] = [random.pick(actions), random.between(40, 90) / 100];
    return { model, action, confidence, comment: sentence(fill(random, random.pick(SENTENCES))) };
  });
  return { output: { votes, action: trade.side, size: trade.size }, explanation: honestReasoning(random, trade, 2) };
}

const WAITS = ['No setup meets the rules.', 'Signals disagree, so I wait.', 'The spread is too wide to enter.'];

type Write = (random: Random, trade: Trade) => { readonly output: object; readonly explanation: string };

const asReason =
  (reason: (random: Random, trade: Trade) => string): Write =>
  (random, trade) => ({
    output: { action: trade.side, size: trade.size, reasoning: reason(random, trade) },
    explanation: reason(random, trade),
  });

/** The ways to write. Each returns the writer of a team. @param variant its number among those of its archetype */
const writers = {
  prose: () => asReason(honestReasoning),
  chinese: () => asReason(chineseReasoning),
  // An explanation has at most 1000 characters.
  long: () => (random, trade) => ({
    output: { action: trade.side, size: trade.size, reasoning: honestReasoning(random, trade, 18) },
    explanation: honestReasoning(random, trade, 2),
  }),
  structured: () => structuredAnswer,
  signal: () => signalAnswer,
  framework: () => frameworkAnswer,
  ensemble: () => ensembleAnswer,
  scheduled:
    () =>
    (_random, { symbol, side, size }) => ({
      output: { action: side, symbol, size },
      explanation: 'The plan buys the same amount each hour, whatever the price.',
    }),
  look:
    () =>
    (random, { symbol }) => ({
      output: { action: 'HOLD', symbol, confidence: random.between(50, 90) / 100 },
      explanation: random.pick(WAITS),
    }),
  restart: () => (random) => ({
    output: { status: 'restarted', equity: random.between(950_000, 1_050_000) / 100 },
    explanation: 'The feed failed and the process was started again. Open positions were read from the exchange.',
  }),
  template: (random, variant) => asReason(templatedReasoning(random, variant)),
  renumbered: (random, _variant, first) => asReason(renumberedReasoning(random, first)),
  hidden: (random) => {
    const fillIn = templatedReasoning(random, CLAIMS.length - 1);
    return asReason((each, trade) => hideCharacters(each, fillIn(each, trade)));
  },
} as const satisfies Record<string, (chosen: Random, variant: number, first: Trade) => Write>;

export type Writer = keyof typeof writers;

export const writerOf = (name: Writer, ...team: [chosen: Random, variant: number, first: Trade]): Write =>
  (writers[name] as (...given: typeof team) => Write)(...team);
