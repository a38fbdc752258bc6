import type { Order } from '../analysis/order.ts';
import { type Archetype, archetypes } from './archetypes.ts';
import { chineseReasoning, honestReasoning, type Trade, templatedReasoning } from './prose.ts';
import { createRandom, type Random } from './random.ts';

/** The usual first day of the competition. Its date is fixed, so that a seed always gives the same data. */
export const FIRST_DAY = Date.parse('2025-11-17T00:00:00Z');

/** The days of the competition. */
export const DAYS = 3;

const [SECOND_MS, MINUTE_MS, DAY_MS] = [1000, 60_000, 86_400_000];

/** The UID of the first team. The others follow it. */
export const FIRST_UID = 3001;

/** The outputs that a copying team takes from another. */
const COPIED_OUTPUTS = 97;

/** The orders of another team that a claiming team names. */
const CLAIMED_ORDERS = 30;

/** A log as a team sends it. */
export interface DemoLog {
  /** The time of its signature, in milliseconds since 1970. */
  readonly signedAt: number;
  /** The request body. */
  readonly body: string;
}

/** An order of the demo, with columns that an exchange's export has besides those that the report reads. */
export type DemoOrder = Order & Trade;

/** A team of the demo. */
export interface DemoTeam {
  readonly uid: string;
  readonly name: string;
  readonly archetype: Archetype;
  readonly orders: readonly DemoOrder[];
  readonly logs: readonly DemoLog[];
}

const SYMBOLS = { BTCUSDT: 91_000, ETHUSDT: 3_050, SOLUSDT: 138, XRPUSDT: 2.2, DOGEUSDT: 0.16 } as const;
const MODELS = ['GPT-5-mini', 'Claude Sonnet 4.5', 'Gemini 2.5 Pro', 'DeepSeek-V3.1', 'Qwen3-Max', 'Grok-4'] as const;
const PROMPT =
  'You trade perpetual futures. Read the market data below and answer with an action, a size and your reasoning.';

/** Makes the orders of a team: 37 to 40 a day, at least a quarter of an hour apart. */
function placeOrders(uid: string, random: Random, nextId: () => string): DemoOrder[] {
  return Array.from({ length: DAYS }, (_, day) => {
    const count = random.between(37, 40);
    const slot = Math.floor((DAY_MS - 60 * MINUTE_MS) / count);
    return Array.from({ length: count }, (_slot, index): DemoOrder => {
      const symbol = random.pick(Object.keys(SYMBOLS) as (keyof typeof SYMBOLS)[]);
      const at = FIRST_DAY + day * DAY_MS + index * slot + random.between(0, slot - 15 * MINUTE_MS) + 5 * MINUTE_MS;
      return {
        uid,
        orderId: nextId(),
        placedAt: at,
        symbol,
        side: random.pick(['buy', 'sell'] as const),
        price: Number((SYMBOLS[symbol] * (0.95 + random.between(0, 1000) / 10_000)).toPrecision(5)),
        size: random.between(1, 40) / 10,
      };
    });
  }).flat();
}

/** Writes the body of a log. Order ids are written as numbers, as most clients do. */
function writeBody(
  random: Random,
  {
    orderId,
    stage,
    model,
    trade,
    output,
    explanation,
  }: { orderId?: string | undefined; stage: string; model: string; trade: Trade; output: object; explanation: string },
): string {
  const { symbol, price } = trade;
  const market = { symbol, price, rsi: random.between(200, 800) / 10, funding: random.between(-30, 30) / 1e6 };
  const log = { stage, model, input: { prompt: PROMPT, market }, output, explanation };
  return `{${orderId === undefined ? '' : `"orderId":${orderId},`}${JSON.stringify(log).slice(1)}`;
}

/** The delay from an order to the signature of its log in milliseconds, by archetype. */
function delayOf(archetype: Archetype, { placedAt }: Order, random: Random): number {
  if (archetype === 'late') return random.between(10 * MINUTE_MS, 45 * MINUTE_MS);
  if (archetype === 'early') return -random.between(5 * MINUTE_MS, 20 * MINUTE_MS);
  if (archetype === 'dumping') {
    return (
      FIRST_DAY + Math.ceil((placedAt - FIRST_DAY) / DAY_MS) * DAY_MS - random.between(1, 240) * SECOND_MS - placedAt
    );
  }
  return random.between(2 * SECOND_MS, 45 * SECOND_MS);
}

function writeLogs(archetype: Archetype, orders: readonly DemoOrder[], random: Random, chinese: boolean): DemoLog[] {
  const model = random.pick(MODELS);
  const reason = archetype === 'templated' ? templatedReasoning(random) : chinese ? chineseReasoning : honestReasoning;
  return orders.flatMap((order): DemoLog[] => {
    const { placedAt, side, size } = order;
    if (archetype === 'absent' || (archetype === 'stopped' && placedAt >= FIRST_DAY + DAY_MS)) return [];
    const named = random.chance(archetype === 'unnamed' ? 0.05 : 0.98);
    const decision = writeBody(random, {
      orderId: named ? order.orderId : undefined,
      stage: 'Decision Making',
      model,
      trade: order,
      output: { action: side, size, reasoning: reason(random, order) },
      explanation: reason(random, order),
    });
    const logs = [{ signedAt: placedAt + delayOf(archetype, order, random), body: decision }];
    // A log about the execution, at the time of the order. Teams that hide it would hide this one too.
    const inTime = archetype !== 'late' && archetype !== 'dumping';
    if (archetype === 'early' || (inTime && random.chance(0.27))) {
      const review = writeBody(random, {
        stage: 'Execution Review',
        model,
        trade: order,
        output: { filled: size, comment: reason(random, order) },
        explanation: reason(random, order),
      });
      logs.push({ signedAt: placedAt + random.between(46, 58) * SECOND_MS, body: review });
    }
    return logs;
  });
}

/** Replaces the outputs of some logs with those of another team's logs, which were signed earlier. */
function copyOutputs(logs: readonly DemoLog[], from: readonly DemoLog[], random: Random): DemoLog[] {
  const outputOf = (body: string): unknown => JSON.parse(body).output;
  const chosen = new Set(random.shuffle([...logs.keys()].filter((index) => index >= 5)).slice(0, COPIED_OUTPUTS));
  return logs.map((log, index) => {
    const source = from[index - 5];
    if (!chosen.has(index) || !source || source.signedAt >= log.signedAt) return log;
    const output = `"output":${JSON.stringify(outputOf(log.body))}`;
    return { ...log, body: log.body.replace(output, () => `"output":${JSON.stringify(outputOf(source.body))}`) };
  });
}

/** Writes logs that name orders of another team, a few seconds after them. */
function claimOrders(orders: readonly DemoOrder[], random: Random): DemoLog[] {
  return random
    .shuffle(orders)
    .slice(0, CLAIMED_ORDERS)
    .map((order) => ({
      signedAt: order.placedAt + random.between(20, 55) * SECOND_MS,
      body: writeBody(random, {
        orderId: order.orderId,
        stage: 'Decision Making',
        model: 'GPT-5-mini',
        trade: order,
        output: { action: order.side, reasoning: honestReasoning(random, order) },
        explanation: honestReasoning(random, order),
      }),
    }));
}

/**
 * Creates the teams of the demo's competition, their orders and their logs. The same seed always gives the same data.
 * @param firstDay the start of its first day, in milliseconds since 1970
 */
export function createCompetition(seed: string, firstDay = FIRST_DAY): DemoTeam[] {
  const ids = createRandom(`${seed} order ids`);
  let lastId = 590_480_926_522_704_171n;
  const nextId = () => {
    lastId += BigInt(ids.between(1_000_000, 99_999_999));
    return String(lastId);
  };
  const kinds = Object.entries(archetypes).flatMap(([name, { teams }]) =>
    Array.from({ length: teams }, () => name as Archetype),
  );
  // Other seeds give the behaviours to other UIDs: nobody should learn them by heart.
  const placed = createRandom(`${seed} teams`)
    .shuffle(kinds)
    .map((archetype, index) => {
      const uid = String(FIRST_UID + index);
      return { uid, archetype, random: createRandom(`${seed} ${uid}`) };
    });
  const traded = placed.map((team) => ({ ...team, orders: placeOrders(team.uid, team.random, nextId) }));
  const honest = traded.filter(({ archetype }) => archetype === 'honest');
  const own = new Map(
    traded.map(({ uid, archetype, random, orders }) => [
      uid,
      writeLogs(archetype, orders, random, uid === honest[0]?.uid),
    ]),
  );
  let victims = 0;
  return traded.map(({ uid, archetype, random, orders }): DemoTeam => {
    let logs = own.get(uid) ?? [];
    if (archetype === 'copying' || archetype === 'claiming') {
      victims += 1;
      const victim = honest[victims % honest.length] as (typeof honest)[number];
      logs =
        archetype === 'copying'
          ? copyOutputs(logs, own.get(victim.uid) ?? [], random)
          : [...logs, ...claimOrders(victim.orders, random)];
    }
    const name = `Team ${uid.slice(-2)}`;
    // Only the times depend on the day.
    const shift = firstDay - FIRST_DAY;
    return {
      uid,
      name,
      archetype,
      orders: orders.map((order) => ({ ...order, placedAt: order.placedAt + shift })),
      logs: logs.map((log) => ({ ...log, signedAt: log.signedAt + shift })).sort((a, b) => a.signedAt - b.signedAt),
    };
  });
}
