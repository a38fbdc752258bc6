import { placesOf } from '../../shell/files/headings.ts';
import { comparableSql } from '../../shell/text/comparable.ts';
import { quoted } from '../../store/duckdb/duckdb.ts';
import type { OrderColumn, OrderLines } from './orderColumns.ts';
import { AMOUNT_FILLED, STATES } from './orderWords.ts';

/*
 * DuckDB reads order lists: a million orders take 7 s of processor time, spread over all processors. `csv-parse` needs
 * 3 to 5 s on one of them for cells alone. The rows of DuckDB's `read_csv` have no line numbers, which messages need.
 */

/**
 * The columns of `listed`, an order list line by line. In a line that is no order, `order_id` is null. Times that lack
 * a zone are in UTC. `kind`: what the state says. `filled`: whether a part was filled; null: nobody says it.
 * `in_quote`: the list gives the size in the currency of the price.
 */
export const LISTED = `
  line BIGINT, cells INTEGER, digest UBIGINT, uid VARCHAR, id VARCHAR, time VARCHAR, order_id BIGINT, placed_at BIGINT,
  lacks_zone BOOLEAN, lacks_seconds BOOLEAN, zone VARCHAR,
  symbol VARCHAR, side VARCHAR, size DOUBLE, in_quote BOOLEAN, price DOUBLE, state VARCHAR, kind VARCHAR, filled BOOLEAN,
  cancelled BOOLEAN, size_comma VARCHAR, price_comma VARCHAR`;

/** The forms of times, since 1970 and of a clock. A year of two digits comes first, before hyphens. */
const UNIX = '(\\d{10}|\\d{13}|\\d{16}|\\d{19})(\\.\\d{1,9})?';
const DAY = '(?:((?:19|20)\\d{2})[-/.]|(2\\d)-)(\\d{1,2})[-/.](\\d{1,2})';
const CLOCK = '(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?';
const OFFSET = '(Z|(?:UTC|GMT)?(?: ?([+-])(0?\\d|1[0-4])(?::?([0-5]\\d))?)?)';
const WALL_CLOCK = `(?i)^${DAY}(?:T|  ?)${CLOCK} ?\\(?${OFFSET}\\)?$`;

/** A time with its day first: `08:22 2026-06-05` and `2026年6月5日 08:22` are 2026-06-05 08:22. */
const CLOCK_FIRST = '^(\\d{1,2}:[\\d:.]+) (\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2})';
const MOMENT = `CASE WHEN contains(left(time, 3), ':') THEN regexp_replace(time, '${CLOCK_FIRST}', '\\2 \\1')
  WHEN contains(time, '年') THEN translate(time, '年月日', '-- ') ELSE time END`;

/** An amount above zero, and none. In `0 1000PEPE`, only the first number is the amount; `0/5` is 0 of 5. */
const SOME = '^[-+]?[0.,]*[1-9]|^[^\\d.,].*[1-9]';
const NONE = '[-–—]+|[-+]?[0.,]*0[0.,]*(?:[eE][-+]?\\d+)?(?:[\\s/].*|[^\\d.,].*)?';

/** The kind of an order's state, see `STATES`; '': it has none; `other`: a word that is not known. */
const KIND = `CASE
  WHEN coalesce(word, '') = '' THEN ''
  ${Object.entries(STATES)
    .map(([kind, words]) => `WHEN word IN (${words.map(quoted)}) THEN '${kind}'`)
    .join(' ')}
  ELSE 'other' END`;

/** Whether an order needs no log: nothing of it was filled, and nothing more will be. */
const NEEDS_NONE = "CASE WHEN filled IS NULL THEN kind = 'refused' ELSE NOT filled AND kind NOT IN ('', 'open') END";

/** Blanks and invisible marks, which are removed from the start and the end of a cell. */
const BLANK = '[\\s\\x{a0}\\x{2000}-\\x{200f}\\x{2028}-\\x{202f}\\x{205f}\\x{2060}\\x{3000}\\x{feff}]';
/** Whether a line may have such a cell. Most lines have only characters of one byte, which is faster to see. */
const MAY_BE_BLANK = `(strlen(text) > length(text) OR regexp_matches(text, '(^|[,;\\t"])\\s|\\s([,;\\t"]|$)'))`;

const countQuotes = `(length(text) - length(replace(text, '"', '')))`;

/** Returns the cells of a line. Null: a quotation mark is at a wrong place. */
function cellsIn(delimiter: string): string {
  const simple = `\\s*=?"[^"${delimiter}]*"\\s*|[^"${delimiter}]*`;
  const cell = `\\s*="\\d*"\\s*|\\s*"(?:[^"]|"")*"\\s*|[^"${delimiter}]*`;
  return `CASE
    WHEN NOT contains(text, '"') THEN string_split(text, ${quoted(delimiter)})
    WHEN regexp_full_match(text, '(${simple})(${delimiter}(${simple}))*')
      THEN string_split(replace(text, '"', ''), ${quoted(delimiter)})
    WHEN regexp_full_match(text, '(${cell})(${delimiter}(${cell}))*') THEN list_transform(
      regexp_extract_all(text || ${quoted(delimiter)}, '(${cell})${delimiter}', 1),
      lambda cell: CASE WHEN starts_with(ltrim(cell), '"')
        THEN replace(regexp_extract(cell, '^\\s*"(.*)"\\s*$', 1, 's'), '""', '"') ELSE cell END)
    END`;
}

/** A cell of a column that a list lacks. Nothing is read from it: DuckDB takes long to plan what has no value. */
const ABSENT = 'CAST(NULL AS VARCHAR)';

/** Returns the digits of a cell that was written for a spreadsheet, as `'123456789012` or `="123"`, quoted or not. */
const digitsOf = (cell: string) =>
  `CASE WHEN starts_with(${cell}, '=') OR starts_with(${cell}, '''')
    THEN regexp_replace(${cell}, '^(?:="?(\\d+)"?|''(''*\\d{12,}))$', '\\1\\2') ELSE ${cell} END`;

/** A number, and what may follow it, such as a currency. `0,5` and `1 000` are none: they can be read in two ways. */
const NUMBER = "^(-?(?:\\d{1,3}(?:,\\d{3})+|\\d*)(?:\\.\\d*)?(?:[eE][+-]?\\d+)?)(?: ?[^\\s\\d.,_''%].*)?$";

const numberIn = (cell: string) =>
  cell.includes(ABSENT)
    ? 'CAST(NULL AS DOUBLE)'
    : `nullif(nullif(TRY_CAST(replace(regexp_extract(${digitsOf(cell)}, '${NUMBER}', 1), ',', '') AS DOUBLE), 'inf'), '-inf')`;

/** A coin in letters or a sign. */
const COIN = '[A-Za-z]{2,10}|[원円元€$₩¥₽]';

/** Returns the coin behind an amount, such as `910USDT`, or else beside the heading, as SQL; '': none. */
function coinIn(cell: string, heading = '', unit = ABSENT): string {
  const [, beside = ''] = new RegExp(`[([（]\\s*(${COIN})\\s*[)\\]）]\\s*$`).exec(heading) ?? [];
  if (cell === ABSENT && unit === ABSENT) return quoted(beside.toUpperCase());
  return `upper(coalesce(
    CASE WHEN right(${cell}, 1) NOT BETWEEN '0' AND '9' THEN nullif(regexp_extract(${cell}, '\\d ?(${COIN})$', 1), '') END,
    nullif(regexp_replace(${unit}, '[\\W_]', '', 'g'), ''), ${quoted(beside)}))`;
}

/** The coins that others are priced in. OKX and Bybit call whichever it is by a word. */
const CURRENCY = '(USDT|USDC|USD|FDUSD|BUSD|TUSD|DAI|EUR|GBP|JPY|KRW|TRY|BRL|RUB)';
const PRICED_IN = `${CURRENCY}|QUOTE|QUOTECCY|QUOTECOIN|[원円元€$₩¥₽]`;

/** A symbol without punctuation, and what exchanges write around its coins. */
const pairIn = (symbol: string) => `regexp_replace(regexp_replace(upper(coalesce(${symbol}, '')), '[^A-Z0-9]', '', 'g'),
  '(SWAP|PERP|PERPETUAL|[UDC]MCBL|SPBL)$', '')`;

/**
 * Returns whether a coin of an amount is that of the price, by the symbol: USDT in BTC-USDT, but not in USDT-TRY.
 * Upbit writes KRW-BTC.
 */
const isOfPrice = (coin: string) => `CASE WHEN ${coin} = '' THEN FALSE
  WHEN regexp_full_match(${coin}, '${PRICED_IN}') THEN NOT (starts_with(pair, ${coin}) AND regexp_matches(pair, '${CURRENCY}$'))
  ELSE ends_with(pair, ${coin}) AND NOT starts_with(pair, ${coin}) AND NOT regexp_matches(pair, '^${CURRENCY}') END`;

/** Whether the size of an order is in the currency of the price: the coin says it, or what was filled at that price. */
const IN_QUOTE = `${isOfPrice('coin')} OR coalesce(coin = '' AND abs(amount * price / abs(listed_size) - 1) < 0.01, FALSE)`;

const commaIn = (cell: string) => `CASE WHEN regexp_matches(${cell}, '\\d,\\d') THEN ${cell} END`;

/**
 * Returns the statement that takes `1,500` out of a column of `listed`, if it may be 1.5: beside `0,5`, or in a list
 * without commas between its cells, unless `1,234.5` or `1,234,567` shows that commas are between thousands.
 */
export function dropDecimals(column: 'size' | 'price', delimiter: string): string {
  const isOne = `regexp_full_match(${column}_comma, '-?\\d+,\\d{3}( ?[^\\s\\d.,].*)?')`;
  return `UPDATE listed SET ${column} = NULL WHERE ${isOne} AND (
    SELECT bool_or(${column} IS NULL) OR (${delimiter !== ','} AND bool_and(${isOne}))
    FROM listed WHERE ${column}_comma IS NOT NULL)`;
}

const lines = (first: number) => `
  SELECT unnest(range(${first}, ${first} + len(texts))) AS line, unnest(texts) AS text
  FROM (SELECT string_split($text, chr(10)) AS texts)`;

/** A line that ends within quotation marks continues in the next one. */
const joined = (first: number) => `
  SELECT min(line) AS line, string_agg(text, chr(10) ORDER BY line) AS text
  FROM (
    SELECT line, text, sum((quotes - own + 1) % 2) OVER (ORDER BY line) AS record
    FROM (
      SELECT line, text, own, sum(own) OVER (ORDER BY line) AS quotes
      FROM (SELECT line, text, ${countQuotes} % 2 AS own FROM (${lines(first)})) AS counted
    ) AS summed
  ) AS grouped
  GROUP BY record`;

/** A query that tells whether a line of `$text` ends within quotation marks: what follows from it takes longest. */
export const findOpenLine = `SELECT 1 FROM (${lines(0)}) WHERE ${countQuotes} % 2 = 1 LIMIT 1`;

/**
 * Returns the statement that adds the lines of `$text` to `listed`. `$uid` is the owner of orders without a UID.
 * @param line the number of the first one
 * @param isOpen true if a line may end within quotation marks
 */
export function addLines(
  { line, isOpen }: { line: number; isOpen: boolean },
  { columns: { count, places, headings }, delimiter }: Pick<OrderLines, 'columns' | 'delimiter'>,
): string {
  const isAmount = placesOf(AMOUNT_FILLED, [headings.filled ?? '']).length > 0;
  const cell = (column: OrderColumn) => (places[column] > 0 ? `cells[${places[column]}]` : ABSENT);
  const hasStates = places.status > 0;
  return `INSERT INTO listed
    WITH records AS (${(isOpen ? joined : lines)(line)}),
    split AS (
      SELECT line, CASE WHEN ${MAY_BE_BLANK}
        THEN list_transform(cells, lambda cell: regexp_replace(cell, '^${BLANK}+|${BLANK}+$', '', 'g')) ELSE cells END AS cells
      FROM (SELECT line, text, ${cellsIn(delimiter)} AS cells FROM records WHERE regexp_matches(text, '\\S')) AS raw
    ),
    named AS (
      SELECT
        line, len(cells) AS n, hash(cells) AS digest, ${places.uid === 0 ? '$uid' : digitsOf(cell('uid'))} AS uid,
        ${digitsOf(cell('orderId'))} AS id, ${digitsOf(cell('time'))} AS time, ${cell('zone')} AS zone,
        ${cell('symbol')} AS symbol, CASE WHEN regexp_matches(${cell('ends')}, '(?i)clos|reduce|true|平') THEN concat_ws(' ', ${cell('side')}, 'close')
          ELSE ${cell('side')} END AS side, ${cell('status')} AS state,
        ${hasStates ? comparableSql(cell('status')) : ABSENT} AS word,
        ${numberIn(`regexp_replace(${cell('size')}, '^[^/]*/', '')`)} AS listed_size, ${cell('size')} AS size_cell,
        ${cell('filled')} AS filled_cell, ${coinIn(cell('size'), headings.size, cell('unit'))} AS coin,
        ${coinIn(cell('remaining'), headings.remaining)} AS coin_left,
        ${isAmount ? `nullif(abs(${numberIn(cell('filled'))}), 0)` : 'CAST(NULL AS DOUBLE)'} AS filled_size,
        ${coinIn(cell('filled'), headings.filled)} AS filled_coin,
        ${pairIn(cell('symbol'))} AS pair,
        coalesce(nullif(${numberIn(cell('price'))}, 0), ${numberIn(cell('average'))}, ${numberIn(cell('price'))}) AS price,
        CASE WHEN regexp_matches(${cell('filled')}, '${SOME}') THEN TRUE
          WHEN regexp_full_match(${cell('filled')}, '${NONE}') THEN FALSE
          WHEN '' IN (coin, coin_left) OR coin = coin_left
            THEN ${numberIn(cell('size'))} <> ${numberIn(cell('remaining'))} END AS filled,
        ${commaIn(cell('price'))} AS price_comma
      FROM split
    ),
    priced AS (
      SELECT *, CASE WHEN ${isOfPrice('filled_coin')} THEN NULL ELSE filled_size END AS amount FROM named
    ),
    told AS (SELECT *, ${IN_QUOTE} AS in_quote FROM priced),
    sized AS (
      SELECT *,
        CASE WHEN in_quote THEN coalesce(amount, listed_size / nullif(price, 0))
          WHEN regexp_matches(size_cell, '\\d') THEN listed_size ELSE coalesce(listed_size, amount) END AS size,
        CASE WHEN in_quote AND amount IS NOT NULL THEN ${commaIn('filled_cell')} ELSE ${commaIn('size_cell')} END AS size_comma
      FROM told
    ),
    matched AS (
      SELECT *, regexp_full_match(time, '${UNIX}') AS is_unix, split_part(time, '.', 1) AS whole,
        CASE WHEN NOT regexp_full_match(time, '${UNIX}') THEN
          regexp_extract(${MOMENT}, '${WALL_CLOCK}',
            ['year', 'short', 'month', 'day', 'hour', 'minute', 'second', 'rest', 'zone', 'sign', 'hours', 'minutes'])
          END AS wall
      FROM sized
    ),
    timed AS (
      SELECT *,
        CASE
          WHEN is_unix AND length(whole) = 10
            THEN CAST(whole || rpad(left(split_part(time, '.', 2), 3), 3, '0') AS BIGINT)
          WHEN is_unix THEN CAST(left(whole, 13) AS BIGINT)
          ELSE epoch_ms(TRY_CAST(concat(
              CASE WHEN wall.short = '' THEN wall.year ELSE '20' || wall.short END, '-', wall.month, '-', wall.day, ' ',
              wall.hour, ':', wall.minute, ':', CASE WHEN wall.second = '' THEN '00' ELSE wall.second END) AS TIMESTAMP))
            + CAST(rpad(left(wall.rest, 3), 3, '0') AS BIGINT)
            - 60000 * CASE WHEN wall.sign = '' THEN 0 ELSE (CASE wall.sign WHEN '-' THEN -1 ELSE 1 END)
              * (60 * CAST('0' || wall.hours AS INTEGER) + CAST('0' || wall.minutes AS INTEGER)) END
        END AS placed_at,
        CASE WHEN regexp_full_match(id, '[1-9]\\d{0,18}') THEN TRY_CAST(id AS BIGINT) END AS order_id
      FROM matched
    ),
    checked AS (
      SELECT *, ${hasStates ? KIND : quoted('')} AS kind,
        coalesce(n = ${count} AND regexp_full_match(uid, '0|[1-9]\\d{0,31}') AND order_id IS NOT NULL
          AND placed_at IS NOT NULL, FALSE) AS is_order
      FROM timed
    )
    SELECT line, n, digest, uid, CASE WHEN NOT is_order THEN id END, CASE WHEN NOT is_order THEN time END,
      CASE WHEN is_order THEN order_id END, placed_at,
      coalesce(wall.month <> '' AND wall.zone = '', FALSE), coalesce(wall.month <> '' AND wall.second = '', FALSE), zone,
      symbol, side, size, in_quote, price, state, kind, filled, ${NEEDS_NONE}, size_comma, price_comma
    FROM checked`;
}

/** A time without a zone in `listed` as SQL: that of its clock, the moment in a named zone, and that moment there. */
const LOCAL = 'make_timestamp(1000 * placed_at)';
const instant = (zone: string) => `timezone(${quoted(zone)}, ${LOCAL})`;
const shownIn = (zone: string, moment: string) => `timezone(${quoted(zone)}, ${moment})`;

/** Returns the condition that the clocks of a named zone skip a time, when they go forward. */
export const isSkipped = (zone: string): string => `${shownIn(zone, instant(zone))} <> ${LOCAL}`;

/** Returns the condition that the clocks of a named zone show a time twice, when they go back. */
export const isTwice = (zone: string): string =>
  `${LOCAL} IN (${[60, 30].map((by) => shownIn(zone, `${instant(zone)} - INTERVAL '${by} minutes'`))})`;

/** Returns the statement that moves times of a zone to UTC. Of a time that occurs twice, it takes the later one. */
export function leaveZone(zone: string, where: string): string {
  const [, sign, hours = '', minutes = ''] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offset = (sign === '-' ? -60_000 : 60_000) * (60 * Number(hours) + Number(minutes));
  return `UPDATE listed SET placed_at = ${sign ? `placed_at - ${offset}` : `epoch_ms(${instant(zone)})`} WHERE ${where}`;
}

/**
 * Returns the statements that make one line of the fills of an order, at the earliest time. A size that all have beside
 * another amount is that of the whole order. @param isWhole the list has the amount of a fill in another column than
 * the size
 */
export const mergeFills = (isWhole: boolean): string => `
  CREATE TABLE merged AS
    SELECT min(line) AS line, 0 AS cells, arg_min(digest, line) AS digest, min(uid) AS uid, NULL AS id, NULL AS time,
      order_id, min(placed_at) AS placed_at, bool_or(lacks_zone) AS lacks_zone, bool_or(lacks_seconds) AS lacks_seconds,
      min(zone) AS zone, min(symbol) AS symbol, min(side) AS side,
      CASE WHEN ${isWhole} AND NOT bool_or(in_quote) AND min(size) = max(size) THEN min(size) ELSE sum(size) END AS size,
      bool_or(in_quote) AS in_quote,
      coalesce(sum(size * price) / nullif(sum(CASE WHEN price IS NOT NULL THEN size END), 0), min(price)) AS price,
      min(state) AS state, min(kind) AS kind, bool_or(filled) AS filled, bool_and(cancelled) AS cancelled,
      min(size_comma) AS size_comma, min(price_comma) AS price_comma
    FROM listed WHERE order_id IN (SELECT order_id FROM doubles) GROUP BY order_id;
  DELETE FROM listed WHERE order_id IN (SELECT order_id FROM doubles);
  INSERT INTO listed SELECT * FROM merged;
  DROP TABLE merged`;
