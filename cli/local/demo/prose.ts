import type { Random } from './random.ts';

export interface Trade {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly size: number;
}

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

/** Writes the reasoning of a model that looks at the market each time. */
export function honestReasoning(random: Random, { symbol, side, price }: Trade): string {
  const body = random.shuffle(SENTENCES).slice(0, random.between(3, 5));
  const texts = body.map((text) => sentence(fill(random, text)));
  return [...texts, fill(random, `{verdict} {size}: ${side} ${symbol} near ${price}.`)].join(' ');
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
  const claim = CLAIMS[variant % CLAIMS.length];
  const promise = PROMISES[variant % PROMISES.length];
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
