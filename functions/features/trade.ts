/** What a log says of its trade: read from foreign text, so that every expression is linear in it. */
import { JSON_STRING } from '../ailog/jsonScanner.ts';
import { orUndefined } from '../orUndefined.ts';
import { coinOf, coinsIn, type Words, wordPattern, wordsIn } from './coins.ts';

/** The columns of a feature row that are compared with the order which the log names. */
export const TRADE_COLUMNS = {
  /** The coin that the log states to trade, such as BTC, or unclear, if it may be another one; null: it states none. */
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
  readonly trade_side: Side | typeof UNCLEAR | null;
  readonly says_trade: boolean;
}

type Side = 'buy' | 'sell';

const UNCLEAR = 'unclear';

/** What is known of a log that is not read: nothing is held against it, nor against its order. */
export const UNREAD_TRADE: Trade = { trade_coin: UNCLEAR, named_coins: '', trade_side: UNCLEAR, says_trade: true };

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
const SYMBOL_NAME = new RegExp(
  `^(?:${SYMBOL_NAMES}|${SYMBOL_NAMES_ELSEWHERE}|currency|(?:from|to)(?:_?(?:asset|coin|token|currency|symbol))?)$`,
  'i',
);
/** Such a symbol may be what leads, pays or secures a trade: it states none. */
const BESIDE_NAME = /^(?:market|token|asset|ticker|currency|base|from|to)/i;
/** Values of such properties that are no symbols. */
const MARKET = /^(?:spot|perp(?:etual)?s?|futures?|swaps?|linear|inverse|margin|crypto)$/i;
const ACTION_NAME = new RegExp(
  '^(?:action|decision|operation|order_?side|trade_?(?:side|direction|action)|final_?(?:action|decision)' +
    '|操作|动作|動作|决策|決策)$',
  'i',
);
const SIDE_NAME = /^(?:side|direction|方向|交易方向|买卖方向)$/i;
const DIRECTION = /direction|方向/i;
/** The names of positions, which are no sides: whoever is long sells, too. */
const POSITION = /long|short|[多空]|лонг|шорт|롱|숏|ロング|ショート/i;
const OPENS = /open|enter|go|[开開加]/i;

/** Words of each side. Those of the Latin alphabet stand alone; `long-term` and the long-short ratio are none. */
const BUY = wordPattern(
  '(?:buy(?:s|ing)?|bought|longs?(?![\\s-]?(?:term|short))|longing|openlong|accumulat(?:e|es|ing)|comprar?|compro|achat|achet[eo]' +
    '|acheter|kauf(?:en|e)?|beli|mua)(?![a-z])',
  '做多|买|買|开多|開多|加多|多单|多單|多头|achète|alış|kupić|купи|покуп|лонг|매수|롱|ロング|شراء|खरीद',
);
const SELL = wordPattern(
  '(?:sell(?:s|ing)?|sold|(?<!long[\\s-])shorts?(?![\\s-]?term)|shorting|openshort|vender?|vendo|vente|vendre|verkauf(?:en|e)?|jual)(?![a-z])',
  '做空|卖|賣|开空|開空|加空|空单|空單|空头|沽|bán|satış|sprzedać|прода|шорт|매도|숏|売|ショート|بيع|बेच',
);

/** Trades of several orders, and lists of them: with one of these, a log may name an order that it does not state. */
const SEVERAL = wordPattern(
  [
    '(?:hedg(?:e|es|ed|ing)|arbitrage|(?:market|delta)[\\s_-]neutral|rebalanc(?:e|ed|ing)|rotat(?:e|es|ed|ing|ion)',
    'baskets?|legs?|cointegrat(?:ed|ion)|(?:stat|basis)[\\s_-]?arb|z-?score|cash[\\s_-]and[\\s_-]carry|both[\\s_-]sides|(?:spread|basis|pairs?)[\\s_-]trad(?:e|es|ing))(?![a-z])',
    '"\\w{0,20}(?:order(?:_?id)?|trade|decision|action|operation|leg|call|allocation)(?:s\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"?\\s{0,3}[[{]' +
      '|\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"?\\s{0,3}\\[)(?!\\s{0,3}[\\]}])',
  ].join('|'),
  '对冲|對沖|套利|组合|組合|ヘッジ|裁定|хедж|арбитраж|헤지|차익|cobertura|(?:订单|決策|决策|操作|交易|下单)(?:列表)?\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"?\\s{0,3}\\[',
);

/** Ends of trades, and trades of two sides: with one of them, the side of the order may be the other one. */
const OTHER = wordPattern(
  [
    '(?:(?:target|new|prev(?:ious)?|desired)[\\s_-]?(?:position|weight|exposure|allocation|size|qty|notional)|weight',
    'clos(?:e|es|ed|ing)[\\s_-](?:out|the|my|our|half|all|a|part|it|this|long|short|position|trade|order|at|\\d)',
    'exit(?:s|ed|ing)?',
    'reduc(?:e|es|ing)(?![\\w-])',
    'grid|ladder|flatten|unwind|cover|trim|liquidate|de-?risk|inver(?:ts?|ted|se)|opposite|mirror(?:s|ed)?|offset',
    'tak(?:e|es|en|ing)[\\s_-]profits?(?![\\w-]{0,12}\\\\{0,7}"\\s{0,3}:)|profit[\\s-]taking',
    'stopped[\\s-]out|stop(?:[\\s_-]?loss)?[\\s_-](?:was[\\s_-])?(?:hit|triggered|filled)|scal(?:e|ing)[\\s_-]out',
    '(?:mov|rais|trail|tighten|adjust)(?:e|es|ing|s)?[\\s_-](?:the|my|our|its)[\\s_-]stop',
    'contrarian|fad(?:e|ing)[\\s_-]the',
    "(?:no|not|never|avoid|don't)[\\s_-](?:buy|sell|long|short|go))(?![a-z])",
    '"(?:size|qty|quantity|amount|delta)\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"?(?:-\\d|0(?:\\.0{0,9})?(?![.\\d]))',
    '(?:reduce_?only|close_?position)\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"?true',
    ':\\s{0,3}\\\\{0,7}"(?:[a-z]{1,12}[_\\s-])?(?:clos|exit|flat|stop|take|tp|sl|trail|unwind|reduce|hedge|grid)[\\w\\s-]{0,24}\\\\{0,7}"',
  ].join('|'),
  '平仓|平倉|平多|平空|平掉|[买買卖賣]平|减仓|減倉|清仓|清倉|离场|離場|出场|出場|止盈|获利了结|反手|网格|移动止损|上移止损|cerrar|cierre|fermer' +
    '|schlie(?:ß|ss)|закры|청산|決済|利確|إغلاق',
);
const ENDS = /clos|exit|reduce|[平减減]/i;

/** What is said besides a side by a value that states one, and nothing else. */
const BESIDE_SIDE =
  /(?<!\p{L})(?:open|enter|go|strong|market|limit|place|create|submit|send|execute|new|order|trade|position|spot|perp|to|at|a|the|in|now)(?!\p{L})|[入出进進开開加仓倉市限价價いり]|[A-Z0-9]{2,12}[-_/]?USD[TC]?(?![A-Z0-9])/giu;
const SYMBOL = /^[A-Z0-9]{0,12}[-_/]?USD[TC]?$/i;
const INFLECTED = /(?:прода|купи|покуп)\p{L}+/giu;

/** Sentences that say what was decided, as “I choose a small clip: sell 2 ETHUSDT.”, but no condition or rule. */
const sentenceOf = (english: string, chinese: string): Words => {
  const symbol =
    '(?:\\s?(?:[\\d.,]{1,16}|a|the|of|in|on|small|more|units?|lots?|contracts?)(?=\\s)){0,4}\\s{0,2}' +
    '([A-Z0-9]{2,12}[-_/]?(?:USDT|USDC|USD|BUSD)(?:[-_:][A-Z0-9]{1,10}){0,2})(?=\\s(?:near|at)\\s\\d|[.,;，。；"\\n]|$)';
  const chosen =
    '(?:I|we)\\s(?:therefore\\s)?(?:prefer|choose|decide|submit|go\\swith)|(?:my|our|the)\\s(?:answer|plan|decision)\\sis';
  const begin =
    '(?<=(?:^|["\\n]|\\\\n|[.!]\\s)(?:(?:I|we)\\s(?:will\\s|now\\s|therefore\\s)?' +
    `|(?:${chosen})(?:\\s[a-z]{1,12}){0,5}:\\s))`;
  return wordPattern(
    `(?=[bgs])${begin}(?:${english})\\s${symbol}`,
    `(?<=(?:^|["\\n。；])(?:因此|所以|我|权衡之后){0,2}(?:选择|决定|倾向于|结论是|提交)?)(?:${chinese})${symbol}`,
  );
};
const SENTENCES = {
  buy: sentenceOf('buy|go\\slong', '做多|买入|开多|買入'),
  sell: sentenceOf('sell|go\\sshort', '做空|卖出|开空|賣出'),
};

const PRICE = /(?:price|entry|px|bid|ask|close|last|mark|limit|价|價)[\w -]{0,24}\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}"?-?\d/i;

/** A string of a JSON text that is a name or a value, and a word in it, or four letters of a script without spaces. */
const STRING = new RegExp(`(${JSON_STRING})(\\s*:)?`, 'g');
const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]{4}|\p{L}[\p{L}\p{M}]+/gu;
const NO_SPACES = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]{4}$/u;

const captured = (words: Words, text: string): string[] =>
  Array.from(wordsIn(words, text), ([, one, other]) => one ?? other ?? '');

const has = (words: Words, text: string): boolean => !wordsIn(words, text).next().done;

/** Members that hold what the log decides, and those that may quote something else, which state nothing. */
const DECIDED = new RegExp(
  '^(?:(?:final|trade|trading|order|tool|function)_?)?(?:order|trade|plan|decision|action|operation|arg(?:ument)?s' +
    '|param(?:eter)?s|entry|setup|execution|tool|function|call)$' +
    '|^(?:(?:model|llm)_?)?(?:output|response|answer|reply|completion)$|^(?:决策|订单|下单|交易|计划|操作|动作)$',
  'i',
);
const QUOTED = /^(?:message|content|text|json|raw)$/i;
/** Values that decide for no trade, wherever they stand. */
const NO_TRADE = /^(?:hold(?:ing)?|wait|no[\s_-]?(?:trade|action|op)|skip|观望|持有|等待)$/i;
/** The names of tools that trade, and of those that look something up. */
const TRADES = /order|trade|buy|sell|position|execut/i;
const LOOKS_UP = /^(?:get|fetch|read|query|list|search|check|look|scan|load|find|analy)/i;

type Stated = Side | 'position' | typeof UNCLEAR;

const ARGUMENTS = /^(?:arg(?:ument)?s|param(?:eter)?s)$/i;

/** The symbols and sides where a log decides, and those beside them, which may be about something else. */
interface Statement {
  readonly symbols: string[];
  readonly sides: Stated[];
  readonly symbolsBeside: string[];
  readonly sidesBeside: Stated[];
}

/** Reads what a log decides, also in JSON within a string. Lists are not read: the order may be missing in them. */
function readStatement({ output, ...log }: Log): Statement {
  const found: Statement = { symbols: [], sides: [], symbolsBeside: [], sidesBeside: [] };
  const others = Object.fromEntries(Object.entries(log).filter(([name]) => !OWN.has(name)));
  const rest: [value: unknown, isQuoted: boolean][] = [
    [others, false],
    [output, false],
  ];
  for (let next = rest.pop(); next; next = rest.pop()) {
    const [value, isQuoted] = next;
    if (typeof value === 'string') {
      const json = value.slice(value.search(/[[{]/), Math.max(value.lastIndexOf('}'), value.lastIndexOf(']')) + 1);
      const inner = orUndefined((): unknown => JSON.parse(json));
      if (Array.isArray(inner)) found.sidesBeside.push(UNCLEAR);
      else if (typeof inner === 'object') rest.push([inner, isQuoted]);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const tool = 'tool' in value ? value.tool : 'name' in value && value.name;
    const isCall = Object.keys(value).some((name) => ARGUMENTS.test(name));
    if (isCall && typeof tool === 'string' && (LOOKS_UP.test(tool) || !TRADES.test(tool))) continue;
    for (const [name, inner] of Object.entries(value)) {
      const symbols = isQuoted || BESIDE_NAME.test(name) ? found.symbolsBeside : found.symbols;
      if (typeof inner === 'string' && SYMBOL_NAME.test(name)) {
        if (!MARKET.test(inner)) symbols.push(inner);
      } else if (typeof inner !== 'object' && (ACTION_NAME.test(name) || SIDE_NAME.test(name))) {
        const side = sideIn(String(inner), name);
        if (side !== null) (isQuoted ? found.sidesBeside : found.sides).push(side);
        symbols.push(...symbolsIn(String(inner)));
      } else if (typeof inner === 'string' && NO_TRADE.test(inner)) found.sidesBeside.push(UNCLEAR);
      else if (DECIDED.test(name)) rest.push([inner, isQuoted]);
      else if (QUOTED.test(name)) rest.push([inner, true]);
    }
  }
  return found;
}

/** Returns the only coin of symbols; undefined if there is none, if they differ, or if one is not known. */
function onlyCoin(symbols: readonly string[]): string | undefined {
  const coins = new Set(symbols.map(coinOf));
  const [coin] = coins;
  return coins.size === 1 ? coin : undefined;
}

/** Returns the words of a value that states a side which are not about the side. */
const restOf = (value: string): string =>
  value.replace(/_/g, ' ').replace(INFLECTED, ' ').replace(SELL.all, ' ').replace(BUY.all, ' ');

const symbolsIn = (value: string): string[] =>
  restOf(value)
    .split(/\s+/)
    .filter((word) => SYMBOL.test(word) || coinOf(word) !== undefined);

/**
 * Returns what the value of a property states: a side, or a position, as LONG in an action or a side; unclear if it
 * says anything else, such as HOLD, or 3; null if it is about no trade.
 */
function sideIn(value: string, name: string): Stated | null {
  const [buys, sells] = [has(BUY, value), has(SELL, value)];
  if (!buys && !sells && SIDE_NAME.test(name)) return null;
  const rest = restOf(value).replace(BESIDE_SIDE, ' ');
  const saysMore = (rest.match(/\p{L}[\p{L}\p{N}]*/gu) ?? []).some((word) => coinOf(word) === undefined);
  if (!buys && !sells) return saysMore || !/\p{L}/u.test(value) ? UNCLEAR : null;
  if (buys === sells || saysMore) return UNCLEAR;
  if (POSITION.test(value) && !OPENS.test(value)) return DIRECTION.test(name) ? UNCLEAR : 'position';
  return buys ? 'buy' : 'sell';
}

/** Returns coin and side of the one trade that a log states; unclear if it may speak of another order too. */
function readStated(log: Log, said: string): Pick<Trade, 'trade_coin' | 'trade_side'> {
  const { symbols, symbolsBeside, sides, sidesBeside } = readStatement(log);
  const all = new Set([...sides, ...sidesBeside]);
  const isSeveral = has(SEVERAL, said) || all.has(UNCLEAR) || (all.has('buy') && all.has('sell'));
  const [side, another] = all;
  const isSide = another === undefined && (side === 'buy' || side === 'sell');
  if (isSide && symbols.length === 0) symbols.push(...captured(SENTENCES[side], said));
  const isTrade = !isSeveral && sides.length > 0;
  const coin = isTrade && symbols.length > 0 ? onlyCoin([...symbols, ...symbolsBeside]) : undefined;
  const saysCoin = isSeveral || symbols.length + symbolsBeside.length > 0;
  const isClear = isTrade && isSide && !has(side === 'buy' ? SELL : BUY, said) && !has(OTHER, said);
  const saysSide = all.size > 0 || has(BUY, said) || has(SELL, said);
  return {
    trade_coin: coin ?? (saysCoin ? UNCLEAR : null),
    trade_side: isClear ? side : saysSide ? UNCLEAR : null,
  };
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
  const stated = named ? readStated(log, said) : UNREAD_TRADE;
  const isAboutTrade =
    named?.size !== 0 || has(BUY, said) || has(SELL, said) || has(SYMBOLS, said) || has(SYMBOLS, market);
  const reasons = parts.flatMap(([name, value]) => (name === 'stage' ? [] : [value])).join('\n');
  return {
    trade_coin: stated.trade_coin,
    named_coins: named && named.size > 0 ? ` ${[...named].join(' ')} ` : '',
    trade_side: stated.trade_side,
    says_trade: isAboutTrade || hasReason(reasons, explanation) || PRICE.test(said) || PRICE.test(market),
  };
}

/** Returns the side of an order as lists write it; undefined if it may end a position, or cannot be told. */
export function sideOf(side: string): Side | undefined {
  const [buys, sells] = [has(BUY, side), has(SELL, side)];
  if (buys === sells || ENDS.test(side) || (POSITION.test(side) && !OPENS.test(side))) return undefined;
  return buys ? 'buy' : 'sell';
}
