import { chineseReasoning, honestReasoning, type Trade } from '../../cli/local/demo/prose.ts';
import { createRandom, type Random } from '../../cli/local/demo/random.ts';
import { shortLog } from '../../infra/openapi/exampleLog.ts';

/** The parts of a log besides stage and model, as a bot writes them. */
interface Content {
  readonly input: object;
  readonly output: object;
  readonly explanation: string;
}

/** Writes the content of a log. @param bytes the size to reach, roughly */
type Kind = (random: Random, bytes: number) => Content;

/** A system prompt, in full sentences that do not repeat each other. Bots send theirs with every log. */
const PROMPT = `You are an autonomous trading agent in a live competition for perpetual futures. Your starting balance is 1,000 USDT and every order you place is executed with real money. At each step you receive the account state, open positions, recent candles, funding rates and a short list of headlines. Decide whether to open, add to, reduce or close exactly one position, or to do nothing.
Think step by step, but keep the final answer machine readable. Never risk more than two percent of equity on a single idea. Leverage above ten is forbidden except when you close a losing trade. If the spread is wider than eight basis points, wait for the next tick. Prefer limit orders inside the book; cross the spread only if momentum, volume and order-flow imbalance agree.
Funding is paid at 00:00, 08:00 and 16:00 UTC. Carry matters when you hold longer than four hours, so subtract it from the expected profit before you compare alternatives. Treat headlines as noise unless two independent sources confirm them. Correlation between the majors is usually above 0.8: do not count three long positions as diversification.
Common mistakes of earlier versions of this agent: it moved its stop further away after entry, it doubled down on a broken thesis, it reversed three times within twenty minutes, and it forgot that fees of four basis points per side eat small targets. Avoid all of these. When you are uncertain, say so and stay flat; missing a trade costs nothing.
Return an object with the keys action, symbol, size, entry, stop, target, confidence and reasoning. Confidence is calibrated: of ten trades marked 0.7, seven should reach their target before their stop. The reasoning is shown to a human reviewer, who has thirty seconds to read it, so begin with the one fact that decided the matter.`;

const CHINESE_PROMPT = `你是一名参加实盘比赛的量化交易助手，初始资金为一千美元，所有订单都会真实成交。每一轮你会收到账户余额、当前持仓、最近的行情、资金费率以及几条新闻标题。请判断应当开仓、加仓、减仓、平仓还是继续观望，并且一次只能操作一个品种。
请先分析大级别趋势，再看短周期的量价关系，最后检查风险。单笔亏损不得超过总权益的百分之二，杠杆最高十倍。点差过大时不要追单，优先挂限价单。持仓超过四小时需要把资金费用计入成本。主流币之间相关性很高，不要把同方向的三个仓位当作分散投资。
以往版本常犯的错误包括：止损被不断放宽、亏损后盲目加仓、二十分钟内反复反手、忽视手续费。遇到不确定的情况就说明原因并保持空仓，错过机会并不会损失本金。输出必须是合法的结构化数据，理由写给人工审核员看，请把决定性的事实放在第一句。`;

const HEADLINES = [
  'Federal Reserve officials signal patience as inflation cools for a third month',
  'Spot exchange traded funds record largest weekly outflow since the spring',
  'Layer two network halts withdrawals after sequencer bug, team promises refund',
  'Mining difficulty reaches record while hash price sinks to a yearly low',
  'Treasury yields slide as jobless claims surprise to the upside',
  'Major exchange lists options on staked ether with daily expiries',
  'Court dismisses part of the lawsuit against a payments company over its token',
  'Stablecoin issuer attests to reserves of one hundred eighty billion dollars',
  'Whale moves nine thousand coins dormant for eleven years to an unknown wallet',
  'Asian equities rally on stimulus hopes, yen weakens past one hundred fifty-five',
  'Bridge exploit drains forty million, attacker negotiates through on-chain notes',
  'Analysts split on whether the four-year cycle still explains the market',
];

const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT', 'ADAUSDT', 'LTCUSDT', 'BNBUSDT'];
const START = 1_763_380_800_000;

const tradeOf = (random: Random): Trade => ({
  symbol: random.pick(SYMBOLS),
  side: random.pick(['buy', 'sell'] as const),
  price: random.between(9_000_000, 9_600_000) / 100,
  size: random.between(1, 400) / 100,
});

const thought = (random: Random) => honestReasoning(random, tradeOf(random));
const chineseThought = (random: Random) => chineseReasoning(random, tradeOf(random));
const action = (random: Random) => {
  const { symbol, side, size, price } = tradeOf(random);
  return { action: side, symbol, size, entry: price, confidence: random.between(50, 95) / 100 };
};
/** A number as floating-point arithmetic leaves it, with 15 to 17 digits. */
const noisy = (random: Random, scale: number) =>
  (random.between(0, 2 ** 31) / 2 ** 31 + random.between(0, 2 ** 20) / 2 ** 51) * scale;

/** Repeats a part until the parts together have a number of bytes; at least once. */
function repeat<Part>(bytes: number, part: (index: number) => Part): Part[] {
  const parts: Part[] = [];
  let written = 0;
  do {
    parts.push(part(parts.length));
    written += Buffer.byteLength(JSON.stringify(parts.at(-1))) + 1;
  } while (written < bytes);
  return parts;
}

/** Returns a function that makes the candles of a random walk, a minute apart, with the digits of an exchange. */
function walk(random: Random) {
  let price = random.between(8_900_000, 9_300_000);
  return (index: number) => {
    const open = price;
    price += random.between(-4200, 4200);
    const [high, low] = [
      Math.max(open, price) + random.between(0, 1500),
      Math.min(open, price) - random.between(0, 1500),
    ];
    const digits = (cents: number) => (cents / 100).toFixed(2);
    const volume = (random.between(1000, 90_000_000) / 1e6).toFixed(6);
    return {
      time: START + index * 60_000,
      open: digits(open),
      high: digits(high),
      low: digits(low),
      close: digits(price),
      volume,
    };
  };
}

const spoken = (random: Random, input: object, extra: object = {}): Content => ({
  input,
  output: { ...action(random), ...extra },
  explanation: thought(random),
});

const kind = (natural: number, write: Kind) => ({ natural, write });

/** The kinds of logs, each with its natural size in bytes. docs/teams.md and cli/local/demo show some of them. */
const kinds = {
  'long prompt': kind(3400, (random, bytes) =>
    spoken(random, { prompt: PROMPT, notes: repeat(bytes - 2900, () => thought(random)).join('\n') }),
  ),
  'short question': kind(400, (random, bytes) => ({
    input: {
      prompt: 'BTC/ETH, last 6 h?',
      earlier: bytes > 1000 ? repeat(bytes - 600, () => ({ q: random.pick(HEADLINES), a: thought(random) })) : [],
    },
    output: { response: random.pick(['Sell ETH', 'Hold', 'Buy BTC']) },
    explanation: 'BTC is stronger than ETH.',
  })),
  heartbeat: kind(250, (random, bytes) => ({
    input: {
      tick: random.between(1, 1e6),
      checks:
        bytes > 1000
          ? repeat(bytes - 300, (at) => ({
              at: START + at * 15_000,
              latencyMs: random.between(20, 400),
              ok: random.chance(0.97),
            }))
          : [],
    },
    output: { action: 'hold' },
    explanation: 'No signal.',
  })),
  'risk check': kind(700, (random, bytes) => ({
    input: {
      positions: repeat(bytes - 400, () => ({
        ...action(random),
        leverage: random.between(1, 10),
        pnl: random.between(-9999, 9999) / 100,
      })),
      limit: 2,
    },
    output: { allowed: random.chance(0.8) },
    explanation: 'Within the limits of the risk budget.',
  })),
  'candles as objects': kind(12_000, (random, bytes) =>
    spoken(random, { symbol: 'BTCUSDT', candles: repeat(bytes - 600, walk(random)) }),
  ),
  'candles as arrays': kind(9000, (random, bytes) => {
    const next = walk(random);
    return spoken(random, { symbol: 'BTCUSDT', klines: repeat(bytes - 600, (index) => Object.values(next(index))) });
  }),
  'candles as CSV': kind(8000, (random, bytes) => {
    const next = walk(random);
    return spoken(random, {
      prompt: `time,open,high,low,close,volume\n${repeat(bytes - 650, (index) => Object.values(next(index)).join()).join('\n')}`,
    });
  }),
  'chain of thought': kind(6000, (random, bytes) =>
    spoken(
      random,
      { prompt: 'Analyse the market.' },
      { reasoning: repeat(bytes - 700, () => thought(random)).join('\n\n') },
    ),
  ),
  'chain of thought, Chinese': kind(5000, (random, bytes) => ({
    input: { 提示: '请分析行情' },
    output: { ...action(random), 推理: repeat(bytes - 700, () => chineseThought(random)).join('\n') },
    explanation: chineseThought(random),
  })),
  'Chinese prompt, escaped': kind(4500, (random, bytes) => ({
    input: {
      prompt: CHINESE_PROMPT.slice(0, Math.ceil(bytes / 12)),
      新闻: repeat(bytes / 2 - 1500, () => chineseThought(random)),
    },
    output: action(random),
    explanation: chineseThought(random),
  })),
  'JSON in strings': kind(7000, (random, bytes) => ({
    input: { prompt: `Market: ${JSON.stringify(repeat(bytes * 0.55, walk(random)))}` },
    output: {
      response: JSON.stringify({
        ...action(random),
        reasoning: repeat(bytes * 0.2, () => thought(random)).join(' '),
      }),
    },
    explanation: thought(random),
  })),
  'tool calls': kind(9000, (random, bytes) => {
    const next = walk(random);
    const call = (index: number) => {
      const id = `call_${random.between(2 ** 30, 2 ** 31).toString(36)}${random.between(2 ** 30, 2 ** 31).toString(36)}`;
      const name = random.pick(['get_candles', 'get_order_book', 'get_position', 'place_order']);
      return [
        {
          role: 'assistant',
          content: thought(random),
          tool_calls: [
            {
              id,
              type: 'function',
              function: {
                name,
                arguments: JSON.stringify({ symbol: random.pick(SYMBOLS), limit: random.between(1, 9) }),
              },
            },
          ],
        },
        { role: 'tool', tool_call_id: id, content: JSON.stringify({ ...next(index), ...action(random) }) },
      ];
    };
    return spoken(random, {
      messages: [{ role: 'system', content: PROMPT.slice(0, 900) }, ...repeat(bytes - 1900, call).flat()],
      tools: ['get_candles', 'get_order_book', 'get_position', 'place_order'],
    });
  }),
  'order book': kind(6000, (random, bytes) => {
    const side = (sign: number) => {
      let price = 9_134_500;
      return repeat((bytes - 700) / 2, () => {
        price += sign * random.between(1, 40);
        return [(price / 100).toFixed(2), (random.between(1, 4_000_000) / 1e5).toFixed(5)];
      });
    };
    return spoken(random, { symbol: 'BTCUSDT', bids: side(-1), asks: side(1), ts: START });
  }),
  'Markdown tables': kind(5000, (random, bytes) => {
    const row = () =>
      `| ${random.pick(SYMBOLS).padEnd(8)} | ${(random.between(1, 9_999_999) / 100).toFixed(2)} | ${(random.between(-900, 900) / 100).toFixed(2)} % | ${random.between(10, 90)} | ${random.pick(['bullish', 'bearish', 'neutral'])} |`;
    return spoken(random, {
      prompt: `${PROMPT.slice(0, 700)}\n| symbol | price | 24 h | RSI | view |\n|---|---|---|---|---|\n${repeat(bytes - 1400, row).join('\n')}`,
    });
  }),
  'indicators, indented': kind(8000, (random, bytes) => {
    const one = () => ({
      symbol: random.pick(SYMBOLS),
      rsi_14: noisy(random, 100),
      macd: { line: noisy(random, 80), signal: noisy(random, 80), hist: noisy(random, 9) },
      ema: { 20: noisy(random, 9e4), 50: noisy(random, 9e4), 200: noisy(random, 9e4) },
      atr: noisy(random, 400),
    });
    return spoken(random, { prompt: JSON.stringify(repeat(bytes * 0.55, one), null, 2) });
  }),
  headlines: kind(3500, (random, bytes) =>
    spoken(random, {
      news: repeat(bytes - 600, (at) => ({
        at: new Date(START + at * 733_000).toISOString(),
        title: random.pick(HEADLINES),
        source: random.pick(['wire', 'exchange', 'social']),
        sentiment: random.between(-100, 100) / 100,
        note: random.chance(0.6) ? thought(random) : '',
      })),
    }),
  ),
  'model features': kind(7000, (random, bytes) =>
    spoken(random, {
      features: Object.fromEntries(
        repeat(bytes - 600, (at) => [`f_${String(at).padStart(3, '0')}`, noisy(random, 2) - 1]),
      ),
    }),
  ),
  embedding: kind(14_000, (random, bytes) =>
    spoken(random, { embedding: repeat(bytes - 600, () => Number((noisy(random, 0.2) - 0.1).toFixed(8))) }),
  ),
  'debate of agents': kind(9000, (random, bytes) =>
    spoken(random, {
      rounds: repeat(bytes - 600, (at) => ({
        round: at + 1,
        bull: thought(random),
        bear: thought(random),
        judge: random.pick(['bull', 'bear', 'undecided']),
        score: random.between(0, 100),
      })),
    }),
  ),
  'huge context': kind(60_000, (random, bytes) => {
    const next = walk(random);
    const part = (at: number) =>
      `## ${new Date(START + at * 60_000).toISOString()}\n${random.pick(HEADLINES)}\n${thought(random)}\n${JSON.stringify(Array.from({ length: 5 }, (_, n) => next(at * 5 + n)))}`;
    return spoken(random, { system: PROMPT, context: repeat(bytes - 2900, part).join('\n\n') });
  }),
};

const STAGES = ['Decision Making', 'Strategy Generation', 'Risk Check', 'Market Analysis', 'Order Execution'];
const MODELS = ['GPT-5-mini', 'Claude Sonnet 4.5', 'Gemini 2.5 Pro', 'DeepSeek-V3.1', 'Qwen3-Max', 'Grok-4'];

interface CorpusLog {
  readonly kind: string;
  /** The request body. Its order id is a number, as most clients send it. */
  readonly body: string;
}

/**
 * Returns logs like those of trading bots, twenty kinds. The same arguments give the same logs. @param size about how
 * many bytes each log has; `natural` gives each kind its own size @param seed another seed gives other content
 */
export function corpus(size: number | 'natural', seed = 'corpus'): CorpusLog[] {
  return Object.entries(kinds).map(([kind, { natural, write }]) => {
    const random = createRandom(`${seed} ${kind}`);
    const { input, output, explanation } = write(random, size === 'natural' ? natural : size);
    const log = {
      ...shortLog,
      stage: random.pick(STAGES),
      model: random.pick(MODELS),
      input,
      output,
      explanation: explanation.slice(0, 1000),
    };
    const json = `{"orderId":${random.between(590_480_926, 590_999_999)}${random.between(100_000_000, 999_999_999)},${JSON.stringify(log).slice(1)}`;
    if (kind !== 'Chinese prompt, escaped') return { kind, body: json };
    // As Python's json.dumps writes it.
    return {
      kind,
      body: json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    };
  });
}
