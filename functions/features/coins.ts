/** Coins by their usual tickers. A symbol of any other coin is compared with none. */
const TICKERS = `
  BTC ETH SOL XRP DOGE BNB ADA TRX AVAX LINK DOT LTC BCH ETC XLM HBAR SUI APT NEAR ICP FIL ATOM UNI AAVE TON SHIB
  PEPE BONK WIF FLOKI TRUMP HYPE ENA ONDO ARB OP POL TIA SEI INJ RENDER FET TAO WLD JUP PYTH JTO STRK IMX STX RUNE
  ALGO VET XTZ EOS NEO IOTA XMR ZEC DASH QTUM ZIL KAS KAVA EGLD THETA SAND MANA AXS GALA CHZ ENJ APE CRV LDO MKR SNX
  COMP SUSHI YFI GRT BAT ZRX LRC DYDX GMX PENDLE ORDI SATS PENGU VIRTUAL FARTCOIN PNUT GOAT MOODENG POPCAT BRETT
  TURBO BOME LUNC LUNA USTC JASMY AR BLUR MASK ZRO EIGEN ETHFI ASTER XPL WLFI BERA KAITO ZK ENS SSV CAKE OKB CRO BGB
  WEEX WXT XAU XAG TSLA NVDA AAPL`;

/** Other names of coins. Those that a coin stands for, such as wrapped ones, count as it. */
const NAMES = `
  XBT=BTC XXBT=BTC XXBTZ=BTC WBTC=BTC CBBTC=BTC BITCOIN=BTC 比特币=BTC 比特幣=BTC 大饼=BTC ビットコイン=BTC
  비트코인=BTC БИТКОИН=BTC XETH=ETH XETHZ=ETH WETH=ETH STETH=ETH WSTETH=ETH ETHER=ETH ETHEREUM=ETH 以太坊=ETH
  以太币=ETH 以太=ETH イーサリアム=ETH 이더리움=ETH ЭФИР=ETH SOLANA=SOL 索拉纳=SOL 솔라나=SOL RIPPLE=XRP XXRP=XRP
  XXRPZ=XRP 瑞波币=XRP 瑞波=XRP 리플=XRP DOGECOIN=DOGE XDG=DOGE XXDG=DOGE 狗狗币=DOGE 狗币=DOGE 도지코인=DOGE
  CARDANO=ADA 艾达币=ADA AVALANCHE=AVAX 雪崩=AVAX CHAINLINK=LINK POLKADOT=DOT 波卡=DOT LITECOIN=LTC XLTC=LTC
  XLTCZ=LTC 莱特币=LTC TRON=TRX 波场=TRX BINANCECOIN=BNB 币安币=BNB STELLAR=XLM MATIC=POL POLYGON=POL RNDR=RENDER
  SHIBA=SHIB 柴犬币=SHIB KSHIB=SHIB KPEPE=PEPE KBONK=BONK KFLOKI=FLOKI TONCOIN=TON UNISWAP=UNI COSMOS=ATOM
  MONERO=XMR GOLD=XAU XAUT=XAU PAXG=XAU 黄金=XAU SILVER=XAG 白银=XAG WORLDCOIN=WLD HYPERLIQUID=HYPE
  БИТКОЙН=BTC ЭФИРИУМ=ETH СОЛАН=SOL РИПЛ=XRP بيتكوين=BTC إيثريوم=ETH سولانا=SOL ソラナ=SOL リップル=XRP ドージ=DOGE
  ライトコイン=LTC カルダノ=ADA 도지=DOGE 에이다=ADA 姨太=ETH 二饼=ETH 二餅=ETH 索尔=SOL 艾达=ADA 莱特=LTC 币安=BNB`;

const wordsOf = (list: string): string[] => list.trim().split(/\s+/);

const COINS: ReadonlyMap<string, string> = new Map([
  ...wordsOf(TICKERS).map((ticker) => [ticker, ticker] as const),
  ...wordsOf(NAMES).map((pair) => pair.split('=') as [string, string]),
]);

/** What prices are in. Coins are prices too, but a symbol of two coins is compared with none. */
const QUOTES = 'USDT|USDC|USD|BUSD|FDUSD|USDE|DAI|EUR|GBP|JPY|KRW|TRY|BRL|PERP';

/** What exchanges write beside the coin: kinds of contracts, dates, prices of options, and markets. */
const BESIDE = new RegExp(
  `^(?:${QUOTES}|CMT|[UDC]MCBL|SPBL|SWAP|PERPETUAL|FUTURES?|SPOT|CONTRACTS?|LINEAR|INVERSE|INTX|[PF][IF]|[PCFM]|\\d.*)$`,
);
const BESIDE_CHINESE = /永续|永續|合约|合約|现货|現貨|[当次][季周]|交割|[U币]本位/g;

/** A coin with its quote in one word, such as `BTCUSDT`, `XBTUSDTM` or `BTCUSDT240927`. */
const JOINED = new RegExp(`^(\\w+?)(?:${QUOTES})(?:M|PERP|SWAP)?(?:\\d{4,8})?$`);

/** The number of coins in one of a contract, as in `1000PEPEUSDT`. */
const MULTIPLE = /^(?:10{3,6}|1M)(?=[A-Z]{2})/;

/** Returns the coin of a symbol, such as `BTC-USDT-SWAP`, `XBTUSD` or 比特币; undefined: none is known, or several. */
export function coinOf(symbol: string): string | undefined {
  if (symbol.length > 40) return undefined;
  const upper = symbol.normalize('NFKC').toUpperCase().replace(BESIDE_CHINESE, ' ');
  // In front of a colon is a market, as in BINANCE:BTCUSDT.P, except in BTC/USDT:USDT.
  const words = upper.replace(/^\w+:/, '').match(/[A-Z0-9]+|[\p{L}--[A-Z]]+/gv) ?? [];
  const [first, ...others] = words.filter((word) => COINS.has(word) || MULTIPLE.test(word) || !BESIDE.test(word));
  if (first === undefined || others.length > 0) return undefined;
  const single = first.replace(MULTIPLE, '');
  return COINS.get(single) ?? COINS.get(JOINED.exec(single)?.[1] ?? '');
}

const byLength = [...COINS.keys()].sort((one, other) => other.length - one.length);
const LATIN = byLength.filter((name) => /^[A-Z]/.test(name)).join('|');
const OTHER = byLength.filter((name) => !/^[A-Z]/.test(name)).join('|');

/** Patterns of words: of the Latin alphabet alone, for text in ASCII, which is several times as fast, and all. */
export interface Words {
  readonly ascii: RegExp;
  readonly all: RegExp;
}

/** @param latin words in any case @param others those of other scripts */
export const wordPattern = (latin: string, others: string): Words => ({
  ascii: new RegExp(latin, 'gi'),
  all: new RegExp(`${latin}|${others}`, 'gi'),
});

/** A coin at a place of a JSON text, with its quote or without. */
const NAMED = new RegExp(`(?:${LATIN})(?=${QUOTES}|BTC|ETH|[^a-z]|$|(?-i:(?<=[a-z])(?=[A-Z])))|${OTHER}`, 'iy');

/** Adds the character at a place to a key of three: of each, the five bits that are equal in both cases. */
const addToKey = (key: number, text: string, at: number): number =>
  ((key << 5) | (at < text.length ? text.charCodeAt(at) & 31 : 0)) & 0x7fff;

/** The keys with which names of coins begin: with few others, it is worth trying a pattern. */
const BEGINNINGS = new Uint8Array(2 ** 15);
for (const name of COINS.keys())
  for (let third = 0; third < 32; third += 1) {
    const text = name.length > 2 ? name : name + String.fromCharCode(third);
    BEGINNINGS[[0, 1, 2].reduce((key, at) => addToKey(key, text, at), 0)] = 1;
  }

const ASCII = /^[\0-\x7f]*$/;
const [SMALL_A, SMALL_Z] = [0x61, 0x7a];
const isLetter = (code: number): boolean => (code | 0x20) >= SMALL_A && (code | 0x20) <= SMALL_Z;

/** Returns true if a place is not within a Latin word: words begin after `\\n`, and with a capital, as in `goLong`. */
function beginsWord(text: string, at: number): boolean {
  const [first, before] = [text.charCodeAt(at), text.charCodeAt(at - 1)];
  if (!isLetter(first) || !isLetter(before)) return true;
  return (
    (first < SMALL_A && before >= SMALL_A) || (text.charAt(at - 2) === '\\' && 'nrt'.includes(text.charAt(at - 1)))
  );
}

/** Finds words in a JSON text. */
export function* wordsIn({ ascii, all }: Words, text: string): Generator<RegExpExecArray> {
  const pattern = ASCII.test(text) ? ascii : all;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text))
    if (beginsWord(text, found.index)) yield found;
}

/** Returns the coins that JSON texts name, by word or in symbols; undefined if they name more than `most`. */
export function coinsIn(texts: readonly string[], most: number): Set<string> | undefined {
  const coins = new Set<string>();
  for (const text of texts) {
    let key = addToKey(addToKey(0, text, 0), text, 1);
    for (let at = 0; at < text.length; at += 1) {
      key = addToKey(key, text, at + 2);
      if (BEGINNINGS[key] === 0 || !beginsWord(text, at)) continue;
      NAMED.lastIndex = at;
      if (!NAMED.test(text)) continue;
      coins.add(COINS.get(text.slice(at, NAMED.lastIndex).toUpperCase()) as string);
      if (coins.size > most) return undefined;
    }
  }
  return coins;
}
