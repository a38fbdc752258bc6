/** What a log says of its trade: read from foreign text, so that every expression is linear in it. */
import { JSON_STRING } from '../ailog/jsonScanner.ts';
import { orUndefined } from '../orUndefined.ts';
import { coinOf, coinsIn, type Words, wordPattern, wordsIn } from './coins.ts';

/** The columns of a feature row that are compared with the order which the log names. */
export const TRADE_COLUMNS = {
  /** The coin whose symbol the log trades, such as BTC; null: it states none, several, or one that is not known. */
  trade_coin: 'VARCHAR',
  /** All coins that the log names, with a space before and after each. */
  named_coins: 'VARCHAR',
  /** The side that the log states: buy, sell, or unclear, if it may speak of another order too; null: none. */
  trade_side: 'VARCHAR',
  /** True if the log has a symbol, a side, a price or a reason. */
  says_trade: 'BOOLEAN',
} as const;

export interface Trade {
  readonly trade_coin: string | null;
  readonly named_coins: string;
  readonly trade_side: Side | 'unclear' | null;
  readonly says_trade: boolean;
}

type Side = 'buy' | 'sell';

/** What is known of a log that is not read: nothing is held against it. */
export const UNREAD_TRADE: Trade = { trade_coin: null, named_coins: '', trade_side: 'unclear', says_trade: true };

type Log = Readonly<Record<string, unknown>>;

/** Members of a log that are no part of what it says, or are read by themselves. */
const OWN = new Set(['orderId', 'model', 'input', 'explanation']);

/** The length of a log up to which it is read here, in UTF-16 units, and the most coins that it names. */
const READ_UNITS = 256 * 1024;
const MOST_COINS = 24;

/** Matches the text value of properties with such names, also in JSON within a string. */
const valuesOf = (latin: string, others: string): Words => {
  const named = (names: string) => `"(?:${names})\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"([^"\\\\]{1,40})(?=["\\\\])`;
  return wordPattern(named(latin), named(others));
};

const SYMBOL_NAMES =
  'symbol|pair|instrument|inst_?id|instrument_?id|contract|ticker|coin|asset|product_?id|market|token|trading_?pair' +
  '|trade_?symbol|base(?:_?(?:asset|currency|coin))?';
const SYMBOL_NAMES_ELSEWHERE = '交易对|交易對|币种|幣種|合约|合約|标的|品种';
const SYMBOLS = valuesOf(SYMBOL_NAMES, SYMBOL_NAMES_ELSEWHERE);
const SYMBOL_NAME = new RegExp(`^(?:${SYMBOL_NAMES}|${SYMBOL_NAMES_ELSEWHERE})$`, 'i');
const ACTION_NAME = new RegExp(
  '^(?:action|decision|operation|order_?side|trade_?(?:side|direction|action)|final_?(?:action|decision|signal)' +
    '|操作|动作|動作|决策|決策)$',
  'i',
);
/** Here, *long* and *short* may be the position that the order ends. */
const POSITION_NAME = /^(?:side|direction|signal|position_?side|pos_?side|方向|信号|交易方向|买卖方向)$/i;
const POSITION = /long|short|[多空]|лонг|шорт|롱|숏|ロング|ショート/i;
const OPENS = /open|enter|go|[开開]/i;

/** Words of each side. Those of the Latin alphabet stand alone; `long-term` and the like are none. */
const BUY = wordPattern(
  '(?:buy(?:s|ing)?|bought|longs?(?![\\s-]?term)|longing|openlong|accumulat(?:e|es|ing)|comprar?|compro|achat|achet[eo]' +
    '|acheter|kauf(?:en|e)?|beli|mua)(?![a-z])',
  '做多|买|買|开多|開多|加多|多单|多單|多头|achète|alış|kupić|купи|покуп|лонг|매수|롱|ロング|شراء|खरीद',
);
const SELL = wordPattern(
  '(?:sell(?:s|ing)?|sold|shorts?(?![\\s-]?term)|shorting|openshort|vender?|vendo|vente|vendre|verkauf(?:en|e)?|jual)(?![a-z])',
  '做空|卖|賣|开空|開空|加空|空单|空單|空头|沽|bán|satış|sprzedać|прода|шорт|매도|숏|売|ショート|بيع|बेच',
);

/** Ends of trades, and trades of two sides: with one of them, the side of the order may be the other one. */
const OTHER = wordPattern(
  [
    '(?:(?:target|new|prev(?:ious)?|desired)[\\s_-]?(?:position|weight|exposure|allocation|size|qty|notional)|weight|rebalanc(?:e|ed|ing)',
    'clos(?:e|es|ed|ing)[\\s_-](?:out|the|my|our|half|all|a|part|it|this|long|short|position|trade|order|at|\\d)',
    'exit(?:s|ed|ing)?',
    'reduc(?:e|es|ing)(?![\\w-])',
    'grid|ladder|flatten|unwind|cover|trim|liquidate|de-?risk|hedg(?:e|es|ed|ing)|arbitrage|(?:market|delta)[\\s_-]neutral',
    'tak(?:e|es|en|ing)[\\s_-]profits?(?![\\w-]{0,12}\\\\{0,7}"\\s{0,3}:)|profit[\\s-]taking',
    'stopped[\\s-]out|stop(?:[\\s_-]?loss)?[\\s_-](?:was[\\s_-])?(?:hit|triggered|filled)|scal(?:e|ing)[\\s_-]out',
    '(?:mov|rais|trail|tighten|adjust)(?:e|es|ing|s)?[\\s_-](?:the|my|our|its)[\\s_-]stop',
    'both[\\s_-]sides|(?:spread|basis|pairs?)[\\s_-]trade|contrarian|fad(?:e|ing)[\\s_-]the',
    "(?:no|not|never|avoid|don't)[\\s_-](?:buy|sell|long|short|go))(?![a-z])",
    '"(?:size|qty|quantity|amount|delta)\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"?-\\d',
    '(?:reduce_?only|close_?position)\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"?true',
    ':\\s{0,3}\\\\{0,7}"(?:[a-z]{1,12}[_\\s-])?(?:clos|exit|flat|stop|take|tp|sl|trail|unwind|reduce|hedge|grid)[\\w\\s-]{0,24}\\\\{0,7}"',
  ].join('|'),
  '平仓|平倉|平多|平空|平掉|[买買卖賣]平|减仓|減倉|清仓|清倉|离场|離場|出场|出場|止盈|对冲|對沖|套利|获利了结|反手|网格|移动止损|上移止损|cerrar|cierre|fermer' +
    '|schlie(?:ß|ss)|закры|청산|決済|利確|إغلاق',
);
const ENDS = /clos|exit|reduce|[平减減]/i;

/** What is said besides a side by a value that states one, and nothing else. */
const BESIDE_SIDE =
  /(?<!\p{L})(?:open|enter|go|strong|market|limit|order|position|spot|perp|to|at|a|the|in|now)(?!\p{L})|[入出进進开開加仓倉市限价價いり]|[A-Z0-9]{2,12}[-_/]?USD[TC]?(?![A-Z0-9])/giu;
const INFLECTED = /(?:прода|купи|покуп)\p{L}+/giu;

/** A sentence about a trade of the team, such as “: sell 2 ETHUSDT”, with the symbol; “funds sell ETHUSDT” is none. */
const STATED = (() => {
  const symbol =
    '(?:\\s?(?:[\\d.,]{1,16}|a|the|of|in|on|small|more|units?|lots?|contracts?)(?=\\s)){0,4}\\s{0,2}' +
    '([A-Z0-9]{2,12}[-_/]?(?:USDT|USDC|USD|BUSD)(?:[-_:][A-Z0-9]{1,10}){0,2})(?![A-Z0-9])';
  const begin = '(?=[bgls])(?<=^|["“(:;.!?\\n]\\s{0,2}|\\b(?:I|we|will|now|therefore)\\s)';
  const chinese = '(?<=^|[\\s"，。：、；我将]|因此|所以|选择|决定|倾向于|给出|输出|适合|提交|[是为])';
  return wordPattern(
    `${begin}(?:buy|sell|go\\s(?:long|short))\\s${symbol}`,
    `${chinese}(?:做多|做空|买入|卖出|开多|开空|買入|賣出)${symbol}`,
  );
})();

const PRICE = /(?:price|entry|px|bid|ask|close|last|mark|limit|价|價)[\w -]{0,24}\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"?-?\d/i;

/** A string of a JSON text that is a name or a value, and a word in it, or four letters of a script without spaces. */
const STRING = new RegExp(`(${JSON_STRING})(\\s*:)?`, 'g');
const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]{4}|\p{L}[\p{L}\p{M}]+/gu;
const NO_SPACES = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]{4}$/u;

const captured = (words: Words, text: string): string[] =>
  Array.from(wordsIn(words, text), ([, one, other]) => one ?? other ?? '');

const has = (words: Words, text: string): boolean => !wordsIn(words, text).next().done;

/** Members that hold what the log decides, at any depth, and those of them that are about something else. */
const DECIDED =
  /order|trad|plan|deci|action|arg|param|output|respon|answer|entry|setup|exec|tool|call|func|messag|content|leg|choice|json|raw|text|决策|订单|下单|交易|计划|操作|动作/i;
const NOT_DECIDED =
  /pos|hold|bench|ref|portf|account|context|hist|lead|index|corr|watch|news|wallet|balance|hedg|reject|skip|other|past|prev|last|open_?orders|trigger|source|market|fee/i;
/** The name of a tool that looks something up. */
const LOOKS_UP = /^(?:get|fetch|read|query|list|search|check|look|scan|load|find|analy)/i;

/** Returns the symbols and sides of members that say what the log decides, also in JSON within a string. */
function readDecision(log: Log) {
  const symbols: string[] = [];
  const sides: Trade['trade_side'][] = [];
  const rest: unknown[] = Object.entries(log).flatMap(([name, value]) =>
    OWN.has(name) ? [] : [name === 'output' ? value : { [name]: value }],
  );
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value === 'string') {
      const json = value.slice(value.indexOf('{'), value.lastIndexOf('}') + 1);
      if (json !== '') rest.push(orUndefined((): unknown => JSON.parse(json)));
    } else if (Array.isArray(value)) for (const one of value) rest.push(one);
    else if (typeof value === 'object' && value !== null) {
      const { name: tool } = value as { name?: unknown };
      if (typeof tool === 'string' && LOOKS_UP.test(tool)) continue;
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner === 'string' && SYMBOL_NAME.test(name)) symbols.push(inner);
        else if (typeof inner === 'string' && ACTION_NAME.test(name)) sides.push(sideIn(inner, false));
        else if (typeof inner === 'string' && POSITION_NAME.test(name)) sides.push(sideIn(inner, true));
        else if (DECIDED.test(name) && !NOT_DECIDED.test(name)) rest.push(inner);
      }
    }
  }
  return { symbols, sides };
}

/** Returns the only coin of symbols; null if there is none, if they differ, or if one is not known. */
function onlyCoin(symbols: readonly string[]): string | null {
  const coins = new Set(symbols.map(coinOf));
  const [coin] = coins;
  return coins.size === 1 ? (coin ?? null) : null;
}

/** Returns the side that a value states; unclear if it says anything else; null if it names none. */
function sideIn(value: string, isPosition: boolean): Trade['trade_side'] {
  const [buys, sells] = [has(BUY, value), has(SELL, value)];
  if (!buys && !sells) return null;
  const rest = value
    .replace(/_/g, ' ')
    .replace(INFLECTED, ' ')
    .replace(SELL.all, ' ')
    .replace(BUY.all, ' ')
    .replace(BESIDE_SIDE, ' ');
  const saysMore = (rest.match(/\p{L}[\p{L}\p{N}]*/gu) ?? []).some((word) => coinOf(word) === undefined);
  const isUnclear = buys === sells || saysMore || (isPosition && POSITION.test(value) && !OPENS.test(value));
  return isUnclear ? 'unclear' : buys ? 'buy' : 'sell';
}

/** Returns the side that values of properties state, unless what the log says may be about another order too. */
function readSide(said: string, stated: readonly Trade['trade_side'][]): Trade['trade_side'] {
  const [side, another] = new Set(stated.filter((one) => one !== null));
  if (side === undefined) return has(BUY, said) || has(SELL, said) ? 'unclear' : null;
  if (side === 'unclear' || another !== undefined) return 'unclear';
  return has(side === 'buy' ? SELL : BUY, said) || has(OTHER, said) ? 'unclear' : side;
}

/** Returns true if the values of a JSON text, or an explanation, have a reason: three different words. */
function hasReason(json: string, explanation: string): boolean {
  const words = new Set<string>();
  const addWords = (text: string): boolean => {
    for (const [word] of text.matchAll(WORD)) {
      words.add(word.toLowerCase());
      if (words.size >= 3 || NO_SPACES.test(word)) return true;
    }
    return false;
  };
  if (addWords(explanation)) return true;
  for (const [, text = '', colon] of json.matchAll(STRING)) if (colon === undefined && addWords(text)) return true;
  return false;
}

const ESCAPED = /\\{1,7}u([\da-f]{4})/gi;

const plain = (text: string): string =>
  text.replace(ESCAPED, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))).normalize('NFKC');

/** Reads what a log says of its trade; when in doubt, nothing that is held against it. @param members as JSON */
export function readTrade(members: ReadonlyMap<string, string>, log: Log, explanation: string): Trade {
  const input = members.get('input') ?? '';
  const parts = [...members].filter(([name]) => !OWN.has(name));
  const json = parts.map(([name, value]) => `"${name}":${value}`).join('\n');
  if (json.length + input.length > READ_UNITS) return UNREAD_TRADE;
  const [said, market] = [plain(`${json}\n${explanation}`), plain(input)];
  const named = coinsIn([said, market], MOST_COINS);
  const { symbols, sides } = readDecision(log);
  const stated = [...symbols, ...captured(STATED, said)];
  const side = readSide(said, sides);
  const isAboutTrade = side !== null || named?.size !== 0 || has(SYMBOLS, said) || has(SYMBOLS, market);
  const reasons = parts.flatMap(([name, value]) => (name === 'stage' ? [] : [value])).join('\n');
  return {
    trade_coin: named ? onlyCoin(stated) : null,
    named_coins: named && named.size > 0 ? ` ${[...named].join(' ')} ` : '',
    trade_side: side,
    says_trade: isAboutTrade || hasReason(reasons, explanation) || PRICE.test(said) || PRICE.test(market),
  };
}

/** Returns the side of an order as lists write it; undefined if it ends a position, or cannot be told. */
export function sideOf(side: string): Side | undefined {
  const [buys, sells] = [has(BUY, side), has(SELL, side)];
  if (buys === sells || ENDS.test(side)) return undefined;
  return buys ? 'buy' : 'sell';
}
