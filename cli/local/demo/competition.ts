import { shortLog } from '../../../infra/openapi/exampleLog.ts';
import type { Order } from '../../review/orders/order.ts';
import { type Archetype, archetypes, habitsOf } from './archetypes.ts';
import { honestReasoning, type Trade, writerOf } from './prose.ts';
import { createRandom, type Random } from './random.ts';

/** The usual first day of the competition. Its date is fixed, so that a seed always gives the same data. */
export const FIRST_DAY = Date.parse('2025-11-17T00:00:00Z');

export const DAYS = 3;

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

export const FIRST_UID = 3001;

/** The trade of a log without an order. */
const NO_TRADE: Trade = { symbol: 'BTCUSDT', side: 'buy', price: 91_000, size: 0 };

export interface DemoLog {
  /** The time of its signature, in milliseconds since 1970. */
  readonly signedAt: number;
  /** The time at which the service received it. Absent: shortly after. */
  readonly receivedAt?: number;
  readonly body: string;
}

/** An order of the demo, with columns that an exchange's export has besides those that the report reads. */
export type DemoOrder = Order & Trade;

export type DemoTeam = ReturnType<typeof createCompetition>[number];

const SYMBOLS = { BTCUSDT: 91_000, ETHUSDT: 3_050, SOLUSDT: 138, XRPUSDT: 2.2, DOGEUSDT: 0.16 } as const;
const MODELS = ['GPT-5-mini', 'Claude Sonnet 4.5', 'Gemini 2.5 Pro', 'DeepSeek-V3.1', 'Qwen3-Max', 'Grok-4'] as const;
const PROMPT =
  'You trade perpetual futures. Read the market data below and answer with an action, a size and your reasoning.';

/** An order, whether the team names it in a log, and whether that says the same as the log before. */
type Placed = DemoOrder & { readonly isLogged: boolean; readonly isPart?: true };

/** Makes the orders of a team: those that it decides on, at least a quarter of an hour apart, and what follows each. */
function placeOrders(archetype: Archetype, uid: string, random: Random, firstDay: number, nextId: () => string) {
  const { decisions, trade, children, parts = 0 } = habitsOf(archetype);
  const symbols = Object.keys(SYMBOLS) as (keyof typeof SYMBOLS)[];
  const order = (placedAt: number, given: Partial<Trade>): Placed => {
    const symbol = (given.symbol ?? random.pick(symbols)) as keyof typeof SYMBOLS;
    const side = given.side ?? random.pick(['buy', 'sell'] as const);
    const price = Number((SYMBOLS[symbol] * (0.95 + random.between(0, 1000) / 10_000)).toPrecision(5));
    const size = given.size ?? random.between(1, 40) / 10;
    return { uid, orderId: nextId(), placedAt, symbol, side, price, size, isLogged: true };
  };
  return Array.from({ length: DAYS }, (_, day) => {
    const count = decisions ?? random.between(37, 40);
    const slot = Math.floor((DAY_MS - 60 * MINUTE_MS) / count);
    const free = slot - 15 * MINUTE_MS - (children ? children.count * children.every : 0);
    return Array.from({ length: count }, (_slot, index): Placed[] => {
      const at = firstDay + day * DAY_MS + index * slot + random.between(0, Math.max(0, free));
      const first = order(at + 5 * MINUTE_MS, trade ?? {});
      const others = symbols.filter((symbol) => symbol !== first.symbol).slice(0, parts);
      return [
        first,
        ...others.map(
          (symbol, part): Placed => ({ ...order(first.placedAt + (part + 1) * SECOND_MS, { symbol }), isPart: true }),
        ),
        ...Array.from({ length: children?.count ?? 0 }, (_child, number): Placed => {
          const isOther = children?.sides === 'other' || (children?.sides === 'both' && number % 2 === 0);
          const side = isOther === (first.side === 'buy') ? 'sell' : 'buy';
          const placedAt = first.placedAt + (number + 1) * (children?.every ?? 0);
          return { ...order(placedAt, { symbol: first.symbol, side, size: first.size }), isLogged: false };
        }),
      ];
    }).flat();
  }).flat();
}

interface LogText {
  readonly orderId?: string | undefined;
  readonly model: string;
  readonly output: object;
  readonly explanation: string;
}

function writeBody(random: Random, stage: string, { symbol, price }: Trade, log: LogText): string {
  const { orderId, model, output, explanation } = log;
  const market = { symbol, price, rsi: random.between(200, 800) / 10, funding: random.between(-30, 30) / 1e6 };
  const body = JSON.stringify({ ...shortLog, stage, model, input: { prompt: PROMPT, market }, output, explanation });
  return orderId === undefined ? body : `{"orderId":${orderId},${body.slice(1)}`;
}

function delayOf(archetype: Archetype, { placedAt }: Order, random: Random): number {
  if (archetype === 'late') return random.between(10 * MINUTE_MS, 45 * MINUTE_MS);
  if (archetype === 'early') return -random.between(5 * MINUTE_MS, 20 * MINUTE_MS);
  if (archetype === 'dumping') return DAY_MS - (placedAt % DAY_MS) - random.between(1, 240) * SECOND_MS;
  return random.between(2 * SECOND_MS, 45 * SECOND_MS);
}

function writeLooks(archetype: Archetype, { placedAt }: DemoOrder, random: Random, model: string): DemoLog[] {
  const { looks } = habitsOf(archetype);
  if (!looks) return [];
  const write = writerOf(looks.writes, random, 0, NO_TRADE);
  const start = placedAt - (placedAt % DAY_MS) + (looks.day ?? 0) * DAY_MS;
  const length = ((looks.day === undefined ? DAYS : 1) * DAY_MS) / MINUTE_MS / looks.minutes;
  return Array.from({ length }, (_, number) => ({
    signedAt: start + number * looks.minutes * MINUTE_MS + random.between(1, 9) * SECOND_MS,
    body: writeBody(random, 'Monitoring', NO_TRADE, { model, ...write(random, NO_TRADE) }),
  }));
}

/** Sends the logs of the first day again, each with another order and a nonce. */
const replay = (logs: readonly DemoLog[], random: Random): DemoLog[] =>
  logs.map((log, index) => {
    const { body } = logs[index % 30] as DemoLog;
    if (index < 30) return log;
    const [orderId = ''] = /^{"orderId":\d+/.exec(log.body) ?? ['{"client":"own"'];
    const text = body.replace(/^{("orderId":\d+,)?/, () => `${orderId},`);
    const nonce = random.between(1e8, 1e9).toString(36);
    return { ...log, body: text.replace('"input":{', () => `"input":{"nonce":"${nonce}",`) };
  });

function writeLogs(archetype: Archetype, placed: readonly Placed[], random: Random, variant: number): DemoLog[] {
  const [first = { ...NO_TRADE, placedAt: 0 } as Placed] = placed;
  const secondDay = Math.ceil(first.placedAt / DAY_MS) * DAY_MS;
  const model = random.pick(MODELS);
  const { writes = 'prose', children } = habitsOf(archetype);
  const write = writerOf(writes, random, variant, first);
  let said: ReturnType<typeof write> = { output: {}, explanation: '' };
  const logs = placed.flatMap((order): DemoLog[] => {
    const { placedAt, side, size, isLogged, isPart } = order;
    if (!isLogged || archetype === 'absent' || (archetype === 'stopped' && placedAt >= secondDay)) return [];
    const named = children !== undefined || random.chance(archetype === 'unnamed' ? 0.05 : 0.98);
    const orderId = named ? order.orderId : undefined;
    said = isPart ? { ...said, output: { ...said.output, action: side, size } } : write(random, order);
    const decision = writeBody(random, 'Decision Making', order, { orderId, model, ...said });
    const log = { signedAt: placedAt + delayOf(archetype, order, random), body: decision };
    // A log about the execution, at the time of the order. Teams that hide it would hide this one too.
    const inTime = archetype !== 'late' && archetype !== 'dumping';
    if (writes !== 'prose' || !(archetype === 'early' || (inTime && random.chance(0.27)))) return [log];
    const [comment, explanation] = [honestReasoning(random, order), honestReasoning(random, order)];
    const output = { filled: size, comment };
    const body = writeBody(random, 'Execution Review', order, { model, output, explanation });
    return [log, { signedAt: placedAt + random.between(46, 58) * SECOND_MS, body }];
  });
  return [...(archetype === 'replaying' ? replay(logs, random) : logs), ...writeLooks(archetype, first, random, model)];
}

function copyOutputs(logs: readonly DemoLog[], from: readonly DemoLog[], random: Random): DemoLog[] {
  const outputOf = (body: string): unknown => JSON.parse(body).output;
  const chosen = new Set(random.shuffle([...logs.keys()].filter((index) => index >= 5)).slice(0, 97));
  return logs.map((log, index) => {
    const source = from[index - 5];
    if (!chosen.has(index) || !source || source.signedAt >= log.signedAt) return log;
    const output = `"output":${JSON.stringify(outputOf(log.body))}`;
    return { ...log, body: log.body.replace(output, () => `"output":${JSON.stringify(outputOf(source.body))}`) };
  });
}

/** Writes logs with outputs of other teams. They are signed seconds before the originals, and arrive after them. */
function backdateOutputs(orders: readonly DemoOrder[], from: readonly DemoLog[], random: Random) {
  const taken = random.shuffle(from).slice(0, 40);
  return taken.map(({ signedAt, body }): DemoLog => {
    const trade = random.pick(orders);
    const at = signedAt - random.between(2, 8) * SECOND_MS;
    const copied = { model: 'GPT-5-mini', output: JSON.parse(body).output };
    const explanation = honestReasoning(random, trade);
    const text = writeBody(random, 'Execution Review', trade, { ...copied, explanation });
    return { signedAt: at, receivedAt: at + random.between(20, 29) * SECOND_MS, body: text };
  });
}

function claimOrders(orders: readonly DemoOrder[], random: Random): DemoLog[] {
  return random
    .shuffle(orders)
    .slice(0, 30)
    .map((order) => ({
      signedAt: order.placedAt + random.between(20, 55) * SECOND_MS,
      body: writeBody(random, 'Decision Making', order, {
        orderId: order.orderId,
        model: 'GPT-5-mini',
        output: { action: order.side, reasoning: honestReasoning(random, order) },
        explanation: honestReasoning(random, order),
      }),
    }));
}

const DEMO_KINDS = Object.entries(archetypes).flatMap(([name, { teams }]) =>
  Array.from({ length: teams }, () => name as Archetype),
);

/**
 * Creates the demo: the same for a seed. @param firstDay its start, ms since 1970 @param kinds archetypes of the teams
 */
export function createCompetition(seed: string, firstDay = FIRST_DAY, kinds: readonly Archetype[] = DEMO_KINDS) {
  const ids = createRandom(`${seed} order ids`);
  let lastId = 590_480_926_522_704_171n;
  const nextId = () => {
    lastId += BigInt(ids.between(1_000_000, 99_999_999));
    return String(lastId);
  };
  // Other seeds give the behaviours to other UIDs: nobody should learn them by heart.
  const archetypesByUid = createRandom(`${seed} teams`).shuffle(kinds);
  const teams = archetypesByUid.map((archetype, index) => {
    const uid = String(FIRST_UID + index);
    const random = createRandom(`${seed} ${uid}`);
    const placed = placeOrders(archetype, uid, random, firstDay, nextId);
    const variant = archetypesByUid.slice(0, index).filter((one) => one === archetype).length;
    const orders = placed.map(({ isLogged: _isLogged, isPart: _isPart, ...order }): DemoOrder => order);
    return { uid, archetype, random, orders, logs: writeLogs(archetype, placed, random, variant) };
  });
  const honest = teams.filter(({ archetype }) => archetype === 'honest');
  const takers = teams.filter(({ archetype }) => archetype === 'copying' || archetype === 'claiming');
  const logsOf = (team: (typeof teams)[number]): DemoLog[] => {
    const { archetype, random, orders, logs } = team;
    const victim = honest[(takers.indexOf(team) + 1) % honest.length] as typeof team;
    if (archetype === 'copying') return copyOutputs(logs, victim.logs, random);
    if (archetype === 'claiming') return [...logs, ...claimOrders(victim.orders, random)];
    if (archetype !== 'backdating') return logs;
    const backdated = teams.find((one) => one.archetype === 'backdated') ?? team;
    return [...logs, ...backdateOutputs(orders, backdated.logs, random)];
  };
  return teams.map((team) => {
    const { uid, archetype, orders } = team;
    const logs = logsOf(team).sort((a, b) => a.signedAt - b.signedAt);
    return { uid, name: `Team ${uid.slice(-2)}`, archetype, orders, logs };
  });
}
