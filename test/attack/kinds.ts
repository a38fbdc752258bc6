import type { Archetype } from '../../cli/local/demo/archetypes.ts';
import {
  createCompetition,
  type DemoLog,
  type DemoOrder,
  type DemoTeam,
  FIRST_DAY,
} from '../../cli/local/demo/competition.ts';
import { chineseReasoning, honestReasoning } from '../../cli/local/demo/prose.ts';
import { createRandom, type Random } from '../../cli/local/demo/random.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The time from one headline or signal to the next. */
const FEED_MS = 20 * MINUTE_MS;

/** A way in which a team, or several that belong together, trade and log. */
export interface Kind {
  /** How many teams; one by default. */
  readonly teams?: number;
  /** How each behaves besides; by default as an honest team. */
  readonly as?: Archetype;
  /** Changes a team. @param place its place in the kind @param victim an honest team of which nothing else is taken */
  readonly make: (team: DemoTeam, random: Random, place: number, victim: DemoTeam) => DemoTeam;
  /** Of an honest kind: what explains the questions that it gets. */
  readonly why?: string;
}

interface Said {
  readonly input?: object;
  readonly output: object;
  readonly explanation: string;
}

/** Writes a log about an order some seconds after it. `named`: it has its id */
function logOf(order: DemoOrder, random: Random, said: Said, { after = 0, named = true } = {}): DemoLog {
  const { symbol, price, orderId, placedAt } = order;
  const market = { symbol, price, rsi: random.between(200, 800) / 10, funding: random.between(-30, 30) / 1e6 };
  const body = { stage: 'Decision Making', model: 'GPT-5-mini', input: { market }, ...said };
  const text = JSON.stringify(body);
  const signedAt = placedAt + (after || random.between(2, 45) * SECOND_MS);
  return { signedAt, body: named ? `{"orderId":${orderId},${text.slice(1)}` : text };
}

const eachOrder =
  (say: (order: DemoOrder, random: Random, n: number) => Said): Kind['make'] =>
  (team, random) => ({ ...team, logs: team.orders.map((order, n) => logOf(order, random, say(order, random, n))) });

/** Writes a log about each order that has its side and size, and a text. */
const explaining = (textOf: (order: DemoOrder, random: Random, n: number) => string, more: object = {}) =>
  eachOrder((order, random, n) => ({
    output: { action: order.side, size: order.size, ...more },
    explanation: textOf(order, random, n),
  }));

/** Writes logs without an order, from the first day on, for three days. */
const regularly =
  (every: number, say: (random: Random) => Said): Kind['make'] =>
  (team, random) => {
    const [first] = team.orders as [DemoOrder, ...DemoOrder[]];
    const logs = Array.from({ length: (3 * 24 * HOUR_MS) / every }, (_, n): DemoLog => {
      const at = { ...first, placedAt: FIRST_DAY + n * every, price: first.price + random.between(-99, 99) };
      return logOf(at, random, say(random), { named: false });
    });
    return { ...team, logs: [...team.logs, ...logs] };
  };

/** Writes one log of the team's own words for each order. */
const ownWords = ({ orders }: DemoTeam, random: Random): DemoLog[] =>
  orders.map((order) => {
    const output = { action: order.side, size: order.size };
    return logOf(order, random, { output, explanation: honestReasoning(random, order, 3) });
  });

/** Adds orders without logs of their own. Each is what differs from its order, and how long after it. */
function withOrders(
  team: DemoTeam,
  more: (order: DemoOrder, n: number) => readonly (Partial<DemoOrder> & { readonly after: number })[],
): DemoTeam {
  const orders = team.orders.flatMap((order, n) => [
    order,
    ...more(order, n).map(({ after, ...other }, place): DemoOrder => {
      // The ids of the demo are millions apart.
      const orderId = String(BigInt(order.orderId) + BigInt(place + 1));
      return { ...order, ...other, orderId, placedAt: order.placedAt + after };
    }),
  ]);
  return { ...team, orders: orders.sort((a, b) => a.placedAt - b.placedAt) };
}

const other = ({ side }: DemoOrder) => (side === 'buy' ? 'sell' : 'buy') as DemoOrder['side'];
const pick = (random: Random, text: string) => random.pick(text.split('|'));

/** A text that is the same for all who read a feed or buy a signal at one time. */
const feedText = (at: number, what: string, count = 3) => {
  const random = createRandom(`${what} ${Math.floor(at / FEED_MS)}`);
  return honestReasoning(random, { symbol: 'BTCUSDT', side: 'buy', price: 91_000, size: 1 }, count);
};

/** A short answer of one model, which has few ways to say it. */
const shortAnswer = (random: Random, { symbol, side, price }: DemoOrder, words: 15 | 20) => {
  const start = `${pick(random, 'Momentum|Trend|Flow|Volume|Structure|Breadth')} ${pick(random, 'favours|supports|confirms|suggests')} a ${side} on ${symbol} near ${price}`;
  const end = `with a ${pick(random, 'tight|wide|normal|trailing')} stop and ${pick(random, 'small|moderate|reduced|full')} size`;
  const rest = `, as ${pick(random, 'the spread|funding|liquidity|the basis')} is ${pick(random, 'calm|stretched|neutral|falling')} now`;
  return words === 15 ? `${start} ${end}.` : `${start} ${end}${rest}.`;
};

const DISCLAIMER =
  'This is not financial advice. The assistant cannot guarantee results, past performance does not predict returns, and every position can lose more than was planned. Please review the decision with a qualified professional before you act on it, and never risk funds that you cannot afford to lose in full.';

const PLAN =
  'Plan for the hour: keep exposure below a tenth of equity, prefer limit orders at the edge of the book, add only after a close beyond the band, cut the position if funding flips, take half off at the first target and trail the rest under the last swing. Do nothing around announcements, widen stops when volatility doubles, never average down, and stand aside when correlation between the majors rises above nine tenths. Review the plan at the next full hour and log every deviation from it together with its reason.';

const shortOf = (words: 15 | 20) => explaining((order, random) => shortAnswer(random, order, words));

const SHORT_WHY = 'One model has few ways to say a short answer.';

/** Honest kinds, beside those of the demo and the bots. No limit was set by them. */
export const honestKinds: Readonly<Record<string, Kind>> = {
  'news bots that quote one public feed': {
    teams: 4,
    make: eachOrder((order, random) => ({
      output: { headline: feedText(order.placedAt, 'news'), action: order.side },
      explanation: honestReasoning(random, order, 2),
    })),
    why: 'They quote the same headlines.',
  },
  'buyers of one signal service, by webhook': {
    teams: 4,
    make: (team, random, place) => {
      const times = [...new Set(team.orders.map(({ placedAt }) => placedAt - (placedAt % FEED_MS)))];
      const signals = times.map((at): DemoLog => {
        const body = { stage: 'Signal', model: 'GPT-5-mini', input: { source: 'signals' } };
        const said = { output: { signal: feedText(at, 'signal', 4) }, explanation: 'As received.' };
        return { signedAt: at + (place + 1) * SECOND_MS, body: JSON.stringify({ ...body, ...said }) };
      });
      return { ...team, logs: [...ownWords(team, random), ...signals] };
    },
    why: 'Each logs the message that all of them bought.',
  },
  'buyers of one signal service, by polling': {
    teams: 4,
    make: eachOrder((order, random) => ({
      output: { signal: feedText(order.placedAt, 'polled', 4), action: order.side },
      explanation: honestReasoning(random, order, 2),
    })),
    why: 'They log the same message, minutes apart.',
  },
  'the second account of one owner': {
    make: (team, random, _place, { orders, logs }) => {
      const mine = orders.map((order) => ({
        ...{ ...order, uid: team.uid, orderId: String(BigInt(order.orderId) + 7n) },
        placedAt: order.placedAt + SECOND_MS,
      }));
      const ids = new Map(orders.map(({ orderId }) => [orderId, String(BigInt(orderId) + 7n)]));
      const own = logs.map(({ signedAt, body }) => ({
        signedAt: signedAt + random.between(1, 3) * SECOND_MS,
        body: body.replace(/(?<=^\{"orderId":)\d+/, (id) => ids.get(id) ?? id),
      }));
      return { ...team, orders: mine, logs: own };
    },
    why: 'One program trades for both accounts.',
  },
  'answers of 15 words by one model, in a field of 10': { teams: 10, make: shortOf(15), why: SHORT_WHY },
  'answers of 15 words by one model, in a field of 50': { teams: 50, make: shortOf(15), why: SHORT_WHY },
  'answers of 20 words by one model, in a field of 10': { teams: 10, make: shortOf(20), why: SHORT_WHY },
  'answers of 20 words by one model, in a field of 50': { teams: 50, make: shortOf(20), why: SHORT_WHY },
  'disclaimers of 50 words': {
    teams: 3,
    make: explaining((order, random) => honestReasoning(random, order, 3), { note: DISCLAIMER }),
    why: 'The model adds the same paragraph to each answer.',
  },
  'HOLD at temperature 0': {
    make: regularly(10 * MINUTE_MS, () => ({
      output: { action: 'HOLD' },
      explanation: 'No setup meets the rules. Hold.',
    })),
    why: 'A model without chance says the same of the same.',
  },
  'hourly plans of 80 words': {
    make: regularly(HOUR_MS, (random) => ({ output: { exposure: random.between(1, 99) / 1000 }, explanation: PLAN })),
    why: 'The plan is the same, and its figures differ.',
  },
  'arbitrage legs 3 to 20 s apart': {
    make: (team, random) =>
      withOrders(team, (order) => [
        { symbol: `${order.symbol}-PERP`, side: other(order), after: random.between(3, 20) * SECOND_MS },
      ]),
    why: 'The log names the first leg.',
  },
  'five symbols with one log': {
    make: (team) =>
      withOrders(team, () =>
        ['ADAUSDT', 'LTCUSDT', 'LINKUSDT', 'AVAXUSDT'].map((symbol, n) => ({ symbol, after: (n + 1) * SECOND_MS })),
      ),
    why: 'The log names the first order.',
  },
  '60 orders with one log': {
    make: (team) => withOrders(team, () => Array.from({ length: 59 }, (_, n) => ({ after: (n + 1) * 300 }))),
    why: 'The log names the first order, and 50 can belong to it.',
  },
  'stops that are filled hours later': {
    make: (team, random) =>
      withOrders(team, (order) => [{ side: other(order), after: random.between(2, 9) * HOUR_MS }]),
    why: 'The exchange places them, and nobody decides.',
  },
  'a crash that fills all stops': {
    make: (team) => {
      const crash = FIRST_DAY + 30 * HOUR_MS;
      const before = team.orders.filter(({ placedAt }) => placedAt < crash);
      return withOrders(team, (order) =>
        before.includes(order)
          ? [{ side: other(order), after: crash - order.placedAt + (before.indexOf(order) % 40) * 3 * SECOND_MS }]
          : [],
      );
    },
    why: 'The exchange places them, and nobody decides.',
  },
  'exits with the decision of their entry': {
    make: (team, random) => {
      const all = withOrders(team, (order) => [{ side: other(order), after: random.between(2, 9) * HOUR_MS }]);
      const entries = new Map(team.orders.map((order) => [order.orderId, order]));
      const logs = all.orders.map((order) => {
        const { side, symbol, size, price } = entries.get(order.orderId) ?? { ...order, side: other(order) };
        const output = { action: side.toUpperCase(), symbol, size, entry: price };
        return logOf(order, random, { output, explanation: honestReasoning(random, { ...order, side }, 3) });
      });
      return { ...all, logs };
    },
  },
  'pairs, with the decision of one leg for both': {
    make: (team, random) => {
      const all = withOrders(team, (order) => [
        { symbol: 'LTCUSDT', side: other(order), after: random.between(3, 20) * SECOND_MS },
      ]);
      const logs = all.orders.map((order, n) => {
        const { side, symbol } =
          all.orders.findLast(({ symbol }, place) => place <= n && symbol !== 'LTCUSDT') ?? order;
        const output = { action: side, symbol, zscore: random.between(-30, 30) / 10 };
        return logOf({ ...order, symbol }, random, {
          output,
          explanation: honestReasoning(random, { ...order, side, symbol }, 3),
        });
      });
      return { ...all, logs };
    },
  },
  'data and rules of the coin that leads': {
    make: eachOrder(({ side }, random) => ({
      input: { market: { symbol: 'BTCUSDT', price: random.between(90_000, 92_000) } },
      output: { decision: side, raw: '{"symbol":"BTCUSDT"}', market: 'BTC', score: random.between(1, 99) },
      explanation: `Rule ${random.between(1, 9)}: ${side} BTCUSDT. ${honestReasoning(random, { symbol: 'it', side, price: 1, size: 1 }, 3)}`,
    })),
  },
};

/** Replaces and reorders words, as a model does that is asked for other words. */
const SYNONYMS: Readonly<Record<string, string>> = Object.fromEntries(
  'rose=climbed faded=weakened recovered=bounced stalled=paused doubled=surged collapsed=plunged steadied=settled volume=turnover flow=pressure liquidity=depth funding=carry book=ladder average=mean momentum=impulse signal=cue band=envelope trend=direction intact=alive modest=low wide=broad noise=jitter risk=danger squeeze=spike gap=jump books=markets exit=close retrace=pullback stop=exit exposure=position equity=capital leverage=gearing hedge=cover limit=order passive=resting prefer=choose plan=idea settles=lands costs=fees value=edge vote=call submit=send measured=careful starter=first reduced=smaller standard=usual patient=slow quick=fast although=though despite=notwithstanding session=hours decision=choice close=finish'
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
);
const paraphrase = (text: string) =>
  text
    .replace(/\b[a-z]+\b/g, (word) => SYNONYMS[word] ?? word)
    .split('. ')
    .map((part) => part.replace(/^(.*), (.*)$/, '$2 – $1'))
    .reverse()
    .join('. Then ');

const textsOf = ({ logs }: DemoTeam): Said[] => logs.map(({ body }) => JSON.parse(body));
const saidOf = (said: Said) =>
  Object.values(said.output).find((value) => typeof value === 'string' && value.length > 40);

/** Takes what a victim said hours before, with a change. */
const taking =
  (say: (said: Said, order: DemoOrder, random: Random) => Said): Kind['make'] =>
  (team, random, _place, victim) => {
    const texts = textsOf(victim);
    return {
      ...team,
      logs: team.orders.map((order, n) =>
        logOf(
          order,
          random,
          n < 10
            ? { output: { n }, explanation: honestReasoning(random, order) }
            : say(texts[n - 10] as Said, order, random),
        ),
      ),
    };
  };

const ONE_TEXT = (side: string) =>
  `The model has analysed the present market with its indicators and its private features, weighed the risk against the expected value, found an entry that fits the portfolio and its limits, and therefore chooses to ${side} now.`;

/** Dishonest kinds, beside those of the demo and the escapes. */
export const dishonestKinds: Readonly<Record<string, Kind>> = {
  'paraphrases another team': {
    make: taking((said) => ({
      output: { action: 'as said', reasoning: paraphrase(String(saidOf(said))) },
      explanation: paraphrase(said.explanation),
    })),
  },
  'translates another team': {
    make: taking((_said, order, random) => ({
      output: { reasoning: chineseReasoning(random, order) },
      explanation: chineseReasoning(random, order),
    })),
  },
  'generates its texts without a model': {
    make: eachOrder((order, random) => ({
      output: { action: order.side, reasoning: honestReasoning(random, order) },
      explanation: honestReasoning(random, order),
    })),
  },
  'one text of 35 words for every order': {
    make: explaining(({ side }) => ONE_TEXT(side)),
  },
  '12 texts in turn': {
    make: (team, random) => {
      const texts = Array.from({ length: 12 }, () => honestReasoning(random, team.orders[0] as DemoOrder, 5));
      return explaining((_order, _random, n) => String(texts[n % 12]))(team, random, 0, team);
    },
  },
  'copies, with one property more': {
    make: taking((said, _order, random) => ({
      output: { ...said.output, score: random.between(1, 99) },
      explanation: said.explanation,
    })),
  },
  'logs about another symbol and side': {
    make: (team, random) => ({
      ...team,
      logs: team.orders.map((order) => {
        const symbol = order.symbol === 'BTCUSDT' ? 'ETHUSDT' : 'BTCUSDT';
        const about = { ...order, symbol, side: other(order), price: symbol === 'BTCUSDT' ? 91_000 : 3_050 };
        const said = { output: { action: about.side, symbol }, explanation: honestReasoning(random, about) };
        return logOf(about, random, said);
      }),
    }),
  },
  'logs about another coin': {
    make: eachOrder((order, random) => {
      const symbol = order.symbol === 'BTCUSDT' ? 'ETHUSDT' : 'BTCUSDT';
      const about = { ...order, symbol, price: symbol === 'BTCUSDT' ? 91_000 : 3_050 };
      const output = { action: order.side, order: { symbol, size: order.size } };
      return { input: { market: { symbol } }, output, explanation: honestReasoning(random, about) };
    }),
  },
  'logs about the opposite side': {
    make: eachOrder((order, random) => {
      const about = { ...order, side: other(order) };
      return { output: { decision: about.side, size: order.size }, explanation: honestReasoning(random, about, 2) };
    }),
  },
  'explanations of another team, with the numbers of the orders': {
    make: taking((said, { side, size, symbol, price }) => ({
      output: { action: side, symbol, size, price },
      explanation: said.explanation.replace(/(?:buy|sell) \w+ near [\d.]+\.$/, `${side} ${symbol} near ${price}.`),
    })),
  },
  '{"x":0.41} and "ok" for every order': {
    make: (team, random) => ({
      ...team,
      logs: team.orders.map(({ orderId, placedAt }) => ({
        signedAt: placedAt + random.between(2, 45) * SECOND_MS,
        body: `{"orderId":${orderId},"stage":"s","model":"m1","input":{"x":${random.between(1, 99) / 100}},"output":{"x":${random.between(1, 99) / 100}},"explanation":"ok"}`,
      })),
    }),
  },
  'a dust order with a log, then size 5 without': {
    make: (team, random) => {
      const dust = team.orders.map((order) => ({ ...order, size: 0.001 }));
      const explained = { ...team, orders: dust, logs: ownWords({ ...team, orders: dust }, random) };
      return withOrders(explained, () => [{ size: 5, after: 2 * MINUTE_MS }]);
    },
  },
};

/**
 * Makes a competition with some kinds, each with an honest team from which it may take.
 * @returns all teams, and those of each kind
 */
export function playKinds(seed: string, kinds: Readonly<Record<string, Kind>>) {
  const wanted = Object.values(kinds).flatMap(({ as = 'honest', teams = 1 }): Archetype[] => [
    ...Array.from({ length: teams }, () => as),
    'honest',
  ]);
  const pool = Map.groupBy(createCompetition(seed, FIRST_DAY, wanted), ({ archetype }) => archetype);
  const next = (archetype: Archetype) => pool.get(archetype)?.pop() as DemoTeam;
  const played = Object.entries(kinds).map(([name, { as = 'honest', teams = 1, make }]) => {
    const victim = next('honest');
    const made = Array.from({ length: teams }, (_, place) =>
      make(next(as), createRandom(`${seed} ${name} ${place}`), place, victim),
    );
    return { name, victim, teams: made };
  });
  return { all: played.flatMap(({ victim, teams }) => [victim, ...teams]), played };
}
