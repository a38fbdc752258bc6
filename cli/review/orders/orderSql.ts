import { quoted } from '../../store/duckdb/duckdb.ts';
import type { OrderColumn } from './orderColumns.ts';
import type { OrderLines } from './orderLines.ts';

/*
 * DuckDB reads order lists: a million orders take 7 s of processor time, spread over all processors. `csv-parse`, which
 * reads the short lists of admins (csv.ts), needs 3 to 5 s on one of them for the cells alone. DuckDB's `read_csv`
 * needs half a second, but the rows that it accepts have no line numbers, which messages need, and it opens only files
 * in the engine's folder.
 */

/** The columns of the table `listed`: an order list line by line. In a line that is no order, `order_id` is null. */
export const LISTED = `
  line BIGINT, cells INTEGER, digest UBIGINT, uid VARCHAR, id VARCHAR, time VARCHAR, order_id BIGINT, placed_at BIGINT,
  lacks_zone BOOLEAN, lacks_seconds BOOLEAN,
  symbol VARCHAR, side VARCHAR, size DOUBLE, price DOUBLE, cancelled BOOLEAN, size_comma VARCHAR, price_comma VARCHAR`;

/** A state of an order that was not filled, unless the amount that was filled says otherwise. */
const CANCELLED = '(?i)cancell?ed|rejected|expired|deactivated|failed|invalid';

/** An amount above zero. In `0 1000PEPE`, only the first number is the amount. */
const FILLED = '^[0.,]*[1-9]|^[^\\d.,].*[1-9]';

/** The forms of times that `parseOrderTime` reads. A year of two digits comes first, before hyphens. */
const UNIX = '(\\d{10}|\\d{13}|\\d{16})(\\.\\d{1,9})?';
const WALL_CLOCK = `(?i)^(?:(\\d{4})[-/]|(2\\d)-)(\\d{1,2})[-/](\\d{1,2})[T ](\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)? ?(Z|UTC|GMT|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)?$`;

const BLANKS = "' ' || chr(9) || chr(10) || chr(12)";

/** A blank at the start or the end of a cell. */
const BESIDE_BLANK = '(^|[,;\\t"])\\s|\\s([,;\\t"]|$)';

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

/** Returns the digits of a cell that was written for a spreadsheet, as `'123456789012` or `="123"`, quoted or not. */
const digitsOf = (cell: string) =>
  `CASE WHEN starts_with(${cell}, '=') OR starts_with(${cell}, '''')
    THEN regexp_replace(${cell}, '^(?:="?(\\d+)"?|''(''*\\d{12,}))$', '\\1\\2') ELSE ${cell} END`;

/** A number, and what may follow it, such as a currency. `0,5` and `1 000` are none: they can be read in two ways. */
const NUMBER = "^(-?(?:\\d{1,3}(?:,\\d{3})+|\\d*)(?:\\.\\d*)?(?:[eE][+-]?\\d+)?)(?: ?[^\\s\\d.,_''].*)?$";

/** Returns the number in a cell such as `1,234.5 USDT`; null if there is none. */
const numberIn = (cell: string) =>
  `nullif(nullif(TRY_CAST(replace(regexp_extract(${digitsOf(cell)}, '${NUMBER}', 1), ',', '') AS DOUBLE), 'inf'), '-inf')`;

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

/**
 * Returns the query that tells whether a line of `$text` ends within quotation marks. Few lists have one, and it takes
 * longer than all the rest.
 */
export const findOpenLine = `SELECT 1 FROM (${lines(0)}) WHERE ${countQuotes} % 2 = 1 LIMIT 1`;

/**
 * Returns the statement that adds the lines of `$text` to the table `listed`. `$uid` is the owner of orders without a
 * UID.
 * @param line the number of the first one
 * @param isOpen true if a line may end within quotation marks
 * @param zone the offset from UTC of times without one, such as `+08:00`
 */
export function addLines(
  { line, isOpen }: { line: number; isOpen: boolean },
  { columns: { count, places }, delimiter }: Pick<OrderLines, 'columns' | 'delimiter'>,
  zone: string,
): string {
  const cell = (column: OrderColumn) => `cells[${places[column]}]`;
  const offset = (zone[0] === '-' ? -1 : 1) * (60 * Number(zone.slice(1, 3)) + Number(zone.slice(4)));
  return `INSERT INTO listed
    WITH records AS (${(isOpen ? joined : lines)(line)}),
    split AS (
      SELECT line, CASE WHEN regexp_matches(text, ${quoted(BESIDE_BLANK)})
        THEN list_transform(cells, lambda cell: trim(cell, ${BLANKS})) ELSE cells END AS cells
      FROM (SELECT line, text, ${cellsIn(delimiter)} AS cells FROM records WHERE regexp_matches(text, '\\S')) AS raw
    ),
    named AS (
      SELECT
        line, len(cells) AS n, hash(cells) AS digest, ${places.uid === 0 ? '$uid' : digitsOf(cell('uid'))} AS uid,
        ${digitsOf(cell('orderId'))} AS id, ${digitsOf(cell('time'))} AS time,
        ${cell('symbol')} AS symbol, ${cell('side')} AS side,
        ${numberIn(cell('size'))} AS size, ${numberIn(cell('price'))} AS price,
        coalesce(regexp_full_match(regexp_replace(${cell('status')}, '[\\s_]', '', 'g'), '${CANCELLED}'), FALSE)
          AND NOT coalesce(regexp_matches(${cell('filled')}, '${FILLED}'), FALSE) AS cancelled,
        ${commaIn(cell('size'))} AS size_comma, ${commaIn(cell('price'))} AS price_comma
      FROM split
    ),
    matched AS (
      SELECT *, regexp_full_match(time, '${UNIX}') AS is_unix, split_part(time, '.', 1) AS whole,
        CASE WHEN NOT regexp_full_match(time, '${UNIX}') THEN regexp_extract(time, '${WALL_CLOCK}',
          ['year', 'short', 'month', 'day', 'hour', 'minute', 'second', 'rest', 'zone']) END AS wall
      FROM named
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
            - 60000 * CASE
              WHEN wall.zone = '' THEN ${offset}
              WHEN left(wall.zone, 1) IN ('+', '-') THEN (CASE left(wall.zone, 1) WHEN '-' THEN -1 ELSE 1 END)
                * (60 * CAST(substr(wall.zone, 2, 2) AS INTEGER)
                  + CASE WHEN length(wall.zone) = 3 THEN 0 ELSE CAST(right(wall.zone, 2) AS INTEGER) END)
              ELSE 0
            END
        END AS placed_at,
        CASE WHEN regexp_full_match(id, '[1-9]\\d{0,18}') THEN TRY_CAST(id AS BIGINT) END AS order_id
      FROM matched
    ),
    checked AS (
      SELECT *,
        coalesce(n = ${count} AND regexp_full_match(uid, '0|[1-9]\\d{0,31}') AND order_id IS NOT NULL
          AND placed_at IS NOT NULL, FALSE) AS is_order
      FROM timed
    )
    SELECT line, n, digest, uid, CASE WHEN NOT is_order THEN id END, CASE WHEN NOT is_order THEN time END,
      CASE WHEN is_order THEN order_id END, placed_at,
      coalesce(wall.month <> '' AND wall.zone = '', FALSE), coalesce(wall.month <> '' AND wall.second = '', FALSE),
      symbol, side, size, price, cancelled, size_comma, price_comma
    FROM checked`;
}
