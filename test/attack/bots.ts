import type { DemoLog, DemoTeam } from '../../cli/local/demo/competition.ts';
import { createRandom, type Random } from '../../cli/local/demo/random.ts';
import { change, type Play } from './attacks.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** Makes other logs of each log, which an honest team wrote about an order or none. */
const eachLog = (make: (log: DemoLog, place: number) => readonly DemoLog[]) => (team: DemoTeam) => ({
  ...team,
  logs: team.logs.flatMap(make),
});

/** Places orders after each one, which no log names: each is an order id, a time and what else differs. */
const addOrders =
  (count: number, about: (place: number) => Partial<DemoTeam['orders'][number]> & { after: number }) =>
  (team: DemoTeam): DemoTeam => ({
    ...team,
    orders: team.orders.flatMap((order) => [
      order,
      ...Array.from({ length: count }, (_, place) => {
        const { after, ...other } = about(place);
        return {
          ...order,
          ...other,
          orderId: `${order.orderId}`.slice(0, -1) + place,
          placedAt: order.placedAt + after,
        };
      }).filter(({ orderId }) => orderId !== order.orderId),
    ]),
  });

const ARABIC = [
  'الاهتمام المفتوح ارتفع بقوة|حجم التداول الفوري تلاشى تدريجيا|معدل التمويل انقلب إلى السلبية|دفتر الأوامر جف تماما|السيولة تضاعفت فجأة|نشاط الحيتان استقر أخيرا',
  'منذ الافتتاح الأوروبي|خلال ربع الساعة الأخير|بعد بيانات التضخم|عند وقت التسوية|بينما كانت آسيا نائمة|قبل الإعلان',
  'النموذج يشير إلى الصعود|النموذج يحذر من الإرهاق|المؤشر يناقض الشريط|المؤشر يؤكد الميل|می\u200cگوید بلا رأي',
  'أخشى ضغطا مفاجئا|أخشى فجوة ليلية|أخشى تصفية متسلسلة|أخشى انقطاع المنصة',
  'وقف الخسارة تحت آخر قاع|التعرض أقل من عشر رأس المال|أدخل على مرحلتين|الرافعة منخفضة|يبقى التحوط مفتوحا',
].map((texts) => texts.split('|'));

/** Arabic with marks of direction around what is Latin. */
const arabic = (random: Random) =>
  `${[...ARABIC, ...random.shuffle(ARABIC)].map((texts) => random.pick(texts)).join('، ')}: \u200eBTCUSDT\u200e \u206691000\u2069`;

const INDICATORS =
  'ema_fast ema_slow rsi_fourteen macd_line macd_signal bollinger_upper bollinger_lower open_interest_change'
    .concat(' funding_rate_hourly long_short_ratio taker_buy_volume order_book_imbalance realized_volatility')
    .concat(' drawdown_from_peak distance_to_liquidation confidence_in_signal position_limit_share available_balance')
    .concat(' unrealized_profit leverage_applied stop_loss_price take_profit_price reduce_only_flag expected_value')
    .split(' ');

/** An answer of a model that calls tools: JSON in strings, and a sentence. */
const callTool: Play['said'] = ({ input }, random) => {
  const values = Object.fromEntries(INDICATORS.map((name) => [name, random.between(1, 100_000) / 100]));
  const call = { name: 'place_order', arguments: JSON.stringify({ symbol: 'BTCUSDT', price: values.ema_fast }) };
  const output = { tool_calls: [{ type: 'function', function: call }], result: JSON.stringify(values) };
  return { input, output, explanation: `The tool placed the order at ${values.ema_fast}.` };
};

/** Honest bots that the demo does not have. docs/review.md has what each gets. */
export const bots: Readonly<Record<string, Play>> = {
  'trades three symbols at once, with one log': {
    as: 'scheduled',
    team: addOrders(2, (place) => ({ after: 200 + place, symbol: ['ETHUSDT', 'SOLUSDT'][place] as string })),
  },
  'cancels most of its quotes, and those that its logs name': {
    as: 'making',
    team: ({ orders, logs, ...team }) => {
      const named = new Set(logs.map(({ body }) => /^\{"orderId":(\d+)/.exec(body)?.[1]));
      const cancelled = (orderId: string, place: number) => named.has(orderId) || place % 3 > 0;
      return {
        ...team,
        logs,
        orders: orders.map((order, place) => ({ ...order, cancelled: cancelled(order.orderId, place) })),
      };
    },
  },
  'buys once a day by a plan, and logs the price': {
    as: 'scheduled',
    team: ({ orders, logs, ...team }) => ({
      ...team,
      orders: orders.filter((_order, hour) => hour % 24 === 0),
      logs: logs.filter((_log, hour) => hour % 24 === 0),
    }),
  },
  'has a clock that is 20 s behind': {
    as: 'honest',
    team: eachLog((log) => [{ ...log, signedAt: log.signedAt - 20 * SECOND_MS, receivedAt: log.signedAt }]),
  },
  'has a clock that is 20 s ahead': {
    as: 'honest',
    team: eachLog((log) => [{ ...log, signedAt: log.signedAt + 20 * SECOND_MS, receivedAt: log.signedAt }]),
  },
  'sends the conversation so far in each prompt': {
    as: 'honest',
    team: ({ logs, ...team }) => ({
      ...team,
      logs: logs.map((log, place) =>
        change(log, (said) => ({ ...said, input: { messages: logs.slice(0, place).map(({ body }) => body) } })),
      ),
    }),
  },
  'calls tools with long JSON': { as: 'honest', said: callTool },
  'calls the same tools': { as: 'honest', said: callTool },
  'writes Arabic with marks of direction': {
    as: 'honest',
    said: ({ input }, random) => ({ input, output: { text: arabic(random) }, explanation: arabic(random) }),
  },
  'logs the vote of each of five models': {
    as: 'honest',
    team: eachLog((log, place) => [
      ...Array.from({ length: 5 }, (_, voter) =>
        change({ ...log, signedAt: log.signedAt + voter * SECOND_MS }, ({ input }) => ({
          ...{ input, explanation: 'The vote of one member; the chair decides.' },
          output: { model: `model ${voter}`, vote: createRandom(`${place} ${voter}`).pick(['buy', 'sell', 'hold']) },
        })),
      ),
      log,
    ]),
  },
  'logs the conversation so far as its output': {
    as: 'honest',
    team: ({ logs, ...team }) => ({
      ...team,
      logs: logs.map((log, place) => {
        const said = logs.slice(Math.max(0, place - 6), place + 1).map(({ body }) => JSON.parse(body).output);
        return change(log, (now) => ({ ...now, output: { messages: said } }));
      }),
    }),
  },
  'fills a grid for hours after one decision': {
    as: 'grid',
    team: addOrders(9, (place) => ({ after: (place + 1) * 20 * MINUTE_MS })),
  },
  'logs each decision before its order, without its id': {
    as: 'honest',
    team: ({ orders, logs, ...team }) => ({
      ...team,
      orders,
      logs: logs
        .filter(({ body }) => body.startsWith('{"orderId":'))
        .map(({ body, signedAt }) => ({
          signedAt: signedAt - 60 * SECOND_MS,
          body: body.replace(/"orderId":\d+,/, ''),
        })),
    }),
  },
};
