/** Explanations as different models write them about similar decisions. No two are meant to repeat each other. */
export const englishProse = [
  'The spread between the perpetual and spot narrowed to 4 bps after funding, so holding the basis no longer pays. I close the short leg first because its book is thinner, and let the spot leg go with a passive order.',
  'Momentum on the hourly chart is positive, but the last three pushes above 3,120 were sold within minutes. I would rather wait for a close above that level than chase, so the action is hold.',
  'Bitcoin lost the 50-day average on rising volume and ether followed with a delay of about ten minutes. A small short in ether with a stop above yesterday’s high risks 0.4 % of equity.',
  'News of the exchange outage moved prices before any of our signals did. Position size is halved until the feed is reliable again, and no new trades are opened in the next hour.',
  'The classifier sees a range market with 71 % confidence. In ranges, buying the lower band has worked in 12 of the last 17 cases, so I bid slightly under the band and target the middle.',
  'Solana outperformed the basket for six hours in a row, which historically reverts overnight. I take profit on half of the long and trail the rest with a wide stop.',
  'Open interest grew while price stood still, a sign of crowded leverage on both sides. Volatility is likely to rise; I buy a straddle-like exposure by staggering entries on both sides of the range.',
  'The model proposed a sale, yet the order book shows a large resting bid right below. Selling into it would only help the buyer, therefore the proposal is rejected and logged.',
  'After the inflation print the dollar fell and correlations between coins jumped to 0.9. One position is enough to express the view, and bitcoin has the cheapest execution, so I buy bitcoin only.',
  'Ripple’s breakout came with less than half of its usual volume. Breakouts like that failed more often than not this month. I fade it with a tight stop and expect to be out within thirty minutes.',
  'Drawdown reached the daily limit of two percent. According to the rules trading stops here; all that remains is to flatten the book in an orderly way and write the summary.',
  'Two of the five experts vote to buy, two to hold, one to sell. Weighted by their recent accuracy the result is a weak buy, which the risk layer turns into a quarter of the normal size.',
];

/** The same in Chinese. */
export const chineseProse = [
  '过去一小时比特币放量跌破五十日均线，以太坊稍后跟随下行。考虑到资金费率仍然偏高，决定以小仓位做空以太坊，止损放在昨日高点上方。',
  '盘口显示下方有大额买单支撑，此时卖出只会把筹码让给对方，因此拒绝模型给出的卖出建议，继续观察十分钟。',
  '分类模型判断当前为震荡行情，置信度约为七成。历史上在区间下沿买入的胜率较高，所以挂低价买单，目标看到区间中部。',
  '通胀数据公布后美元走弱，各币种相关性迅速上升，只需一个头寸即可表达观点。比特币成交成本最低，于是只买入比特币。',
  '当日回撤已经触及百分之二的上限，按照规则停止开新仓，剩下的工作是有序平掉现有仓位并记录总结。',
];

const symbols = ['BTC', 'ETH', 'SOL', 'XRP'];

/** Templates with other symbols, sides, numbers and nonces each time. */
export const templatedProse: readonly (readonly string[])[] = [
  symbols.flatMap((symbol, index) =>
    ['buy', 'sell'].map(
      (side) =>
        `After a thorough analysis of all available market data our advanced AI engine recommends to ${side} ${symbol} at ${1000 + index * 77} because the technical indicators and the sentiment scores are aligned with the long term strategy of the fund. Nonce ${(index * 7919 + side.length).toString(16)}a${index}.`,
    ),
  ),
  symbols.map(
    (symbol, index) =>
      `经过对全部市场数据的深入分析，我们的人工智能系统认为 ${symbol} 在 ${100 + index} 附近具有良好的交易机会，技术指标与情绪评分均支持该方向，风险在可接受范围之内。编号 ${index}f${index * 31}。`,
  ),
];
