import type { Random } from './random.ts';

export interface Trade {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly size: number;
}

/** Text with slots such as `{mover}`, which are replaced with one of the slot's options. */
type Slots = Readonly<Record<string, readonly string[]>>;

const options = (text: string): readonly string[] => text.split('|').map((option) => option.trim());

const slots: Slots = {
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

const chineseSlots: Slots = {
  mover: options(`持仓量 | 现货成交 | 资金费率 | 盘口深度 | 主动买盘 | 链上流入
    | 隐含波动 | 多空比例 | 基差 | 大户动向`),
  moved: options(`明显回升 | 逐步走弱 | 转为负值 | 几乎枯竭 | 快速放大 | 趋于平稳
    | 出现背离 | 再度收敛 | 突然翻倍 | 低位徘徊`),
  when: options(`自欧洲开盘以来 | 在过去一刻钟里 | 数据公布之后 | 亚洲午盘期间 | 临近结算时 | 上次决策之后
    | 随着美股走高 | 在假突破之后 | 凌晨时段 | 公告发布前`),
  reading: options(`短期均线 | 动量评分 | 相对强弱指标 | 布林通道 | 均值回归信号 | 行情分类模型
    | 新闻情绪 | 跨品种模型 | 成交分布 | 趋势过滤器`),
  says: options(`继续看涨 | 没有方向 | 提示衰竭 | 支持这一走势 | 与盘面矛盾 | 确认了斜率
    | 越过阈值 | 缓慢下移 | 保持中性 | 出现反转`),
  risk: options(`轧空 | 隔夜跳空 | 周末流动性不足 | 连环平仓 | 滑点过大 | 监管讲话
    | 交易所故障 | 快速回撤 | 仓位拥挤 | 矿工抛售`),
  handled: options(`止损放在前低下方 | 总敞口低于一成 | 分两次建仓 | 杠杆保持很低 | 提前减半 | 对冲继续持有
    | 今晚到期离场 | 收盘破位就止损 | 只挂被动单 | 不做第二次进场`),
  verdict: options(`因此选择 | 综合来看倾向于 | 模型最终给出 | 扣除成本后更适合 | 权衡之后决定 | 我的结论是
    | 组合投票结果为 | 策略输出 | 最优期望是 | 于是提交`),
};

const fill = (random: Random, filling: Slots, text: string) =>
  text.replace(/\{(\w+)\}/g, (_slot, name: string) => random.pick(filling[name] ?? []));

const SENTENCES = [
  '{mover} {moved} {when}, {although}.',
  '{reading} {says} and {mover} {moved}.',
  '{when} {reading} {says}, {although}.',
  'I worry about {risk}, so {handled}.',
  'Against {risk} {handled}, and {reading} {says}.',
  'What changed: {mover} {moved} {when}.',
] as const;

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Writes the reasoning of a model that looks at the market each time. */
export function honestReasoning(random: Random, { symbol, side, price }: Trade): string {
  const body = random.shuffle(SENTENCES).slice(0, random.between(3, 5));
  const texts = body.map((text) => sentence(fill(random, slots, text)));
  return [...texts, fill(random, slots, `{verdict} {size}: ${side} ${symbol} near ${price}.`)].join(' ');
}

/** Writes the same in Chinese, which has no spaces between words. */
export function chineseReasoning(random: Random, { symbol, side, price }: Trade): string {
  const body = random.shuffle([
    '{when}，{mover}{moved}。',
    '{reading}{says}，而{mover}{moved}。',
    '主要担心{risk}，所以{handled}。',
    '{when}{reading}{says}，{handled}。',
  ]);
  const texts = body.slice(0, 3).map((text) => fill(random, chineseSlots, text));
  return `${texts.join('')}${fill(random, chineseSlots, '{verdict}')}${side === 'buy' ? '买入' : '卖出'} ${symbol}，价格约 ${price}。`;
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
export function templatedReasoning(chosen: Random, variant: number): (random: Random, trade: Trade) => string {
  const name = chosen.pick(NAMES);
  const [claim, promise] = [CLAIMS[variant % CLAIMS.length], PROMISES[variant % PROMISES.length]];
  return (random, { symbol, side, price }) =>
    `Our proprietary ${name} system ${claim} for ${symbol} and ${promise}: ${side} near ${price}. ` +
    `Confidence ${random.between(51, 99)} %. Reference ${random.between(0x10000000, 0x7fffffff).toString(16)}.`;
}

/** Creates a writer of one text with other numbers each time. */
export function renumberedReasoning(chosen: Random, trade: Trade): (random: Random) => string {
  const text = `${honestReasoning(chosen, trade)} Score 1 of 10, risk 2 %, step 3.`;
  return (random) => text.replace(/\d+(\.\d+)?/g, () => String(random.between(1, 99_999) / 10));
}

/** Puts an invisible character into every third word. It shows nothing, and makes each word another one. */
export function hideCharacters(random: Random, text: string): string {
  let words = 0;
  return text.replace(/\p{L}{4,}/gu, (word) => {
    words += 1;
    return words % 3 === 0 ? `${word.slice(0, 2)}${random.pick(['\u034f', '\u200b', '\u2060'])}${word.slice(2)}` : word;
  });
}
