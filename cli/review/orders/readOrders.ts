import { isOrderId, ORDER_ID_LIMIT } from '../../../functions/ailog/orderId.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { isUid } from '../../shell/text/uid.ts';
import { countOf, type Engine } from '../../store/duckdb/duckdb.ts';
import { ORDER_COLUMNS } from './order.ts';
import { type OrderLines, openOrderLines } from './orderLines.ts';
import { addLines, dropDecimals, findOpenLine, LISTED } from './orderSql.ts';

/** How an order list was read. */
export interface OrderList extends Pick<OrderLines, 'columns' | 'preamble'> {
  /** The number of orders, those that were cancelled too. */
  readonly orders: number;
  /** Those that were never filled. */
  readonly cancelled: number;
  /** The first and the last time of an order that was not cancelled; undefined without orders. */
  readonly times: { readonly first: number; readonly last: number } | undefined;
  /** The offset that was assumed for times without one. Absent if all times have one. */
  readonly assumedZone?: string;
  /** The number of orders whose time has no seconds: each was placed within the minute that follows. */
  readonly withoutSeconds: number;
  /** The number of lines that repeat an earlier line exactly. */
  readonly merged: number;
  /** Sizes or prices that count as none, because their comma can be read in two ways: how many, and the first one. */
  readonly unclear: readonly { readonly cells: number; readonly line: number; readonly text: string }[];
}

/** The maximum number of lines that a message names. */
const NAMED = 10;

const BY_SPREADSHEET =
  'A spreadsheet keeps only 15 digits of a number. Export the list again and do not save it in a spreadsheet, or format the column as text there before the import.';

/** A line that is no order: its number of cells, and those that tell why. */
type WrongLine = Readonly<Record<'line' | 'cells', number> & Record<'uid' | 'id' | 'time', string>> & {
  readonly has_time: boolean;
};

function describeProblem({ cells, uid, id, time, has_time }: WrongLine, columns: number): string {
  const exponent = /^\d+(\.\d+)?e\+?\d+$/i;
  if (cells !== columns) return `cells: ${cells}, but columns in the first line: ${columns}`;
  if (!isUid(uid)) return `${JSON.stringify(uid)} is not a UID, a decimal number without leading zeros`;
  if (exponent.test(id)) return `${JSON.stringify(id)} is an order id that a spreadsheet has shortened`;
  if (has_time || id === '' || id === '0' || !isOrderId(id)) {
    return `${JSON.stringify(id)} is not an order id, an integer from 1 to ${ORDER_ID_LIMIT}`;
  }
  if (exponent.test(time)) return `${JSON.stringify(time)} is a time that a spreadsheet has shortened`;
  if (/^\d{4}-\d{2}-\d{2}$/.test(time)) return `${JSON.stringify(time)} is a day without a time`;
  if (/^\d{1,2}[/.]\d{1,2}[/.]\d{2}/.test(time)) {
    return `${JSON.stringify(time)} can be two dates: write the year first, such as 2026-11-17 00:30:00`;
  }
  return `${JSON.stringify(time)} is not a time, such as 2026-11-17T00:30:00Z, 2026-11-17 00:30:00 or milliseconds since 1970`;
}

const linesOf = (texts: readonly string[], count: number): string[] =>
  count > texts.length ? [...texts, `and ${count - texts.length} more.`] : [...texts];

/**
 * Reads an order list as exchanges export it: CSV, or a JSON array of objects. It needs columns for the order id, the
 * time and, unless it is of one account, the UID. Adds its orders to the table `orders`.
 * @param engine a local one
 * @param uid the owner of all orders of a list without a UID
 * @param zone the offset from UTC for times without one, such as `+08:00`; without it, the heading of the column, then
 * UTC
 * @throws Failure that names the lines that are invalid, were damaged by a spreadsheet, or contradict each other
 */
export async function readOrders(
  engine: Engine,
  path: string,
  { zone, uid = '' }: { zone?: string | undefined; uid?: string | undefined },
): Promise<OrderList> {
  const { run, read } = engine;
  const opened = await openOrderLines(path, uid !== '');
  const { columns, preamble, parts } = opened;
  const assumed = zone ?? columns.zone ?? '+00:00';
  await run(`CREATE TABLE listed (${LISTED})`);
  const all = <Row extends object>(...query: Parameters<typeof read>) => Array.fromAsync(read<Row>(...query));
  const owner = columns.places.uid === 0 && { uid };
  for await (const { line, text } of parts) {
    const isOpen = text.includes('"') && (await all(findOpenLine, { text })).length > 0;
    await run(addLines({ line, isOpen }, opened, assumed), { text, ...owner });
  }

  const [quote] = await all<{ line: number }>('SELECT line FROM listed WHERE cells IS NULL ORDER BY line LIMIT 1');
  // A wrong quotation mark may hide the lines after it, so no line of the file counts.
  if (quote !== undefined) {
    const what = 'text stands beside a quotation mark, or one is not closed';
    throw new Failure('usage', `${path} is not CSV, line ${quote.line}: ${what}.`);
  }
  const lines = await countOf(engine, 'listed');
  if (lines === 0) throw new Failure('usage', `${path} has no lines below its column names.`);

  const invalid = await countOf(engine, 'listed WHERE order_id IS NULL');
  if (invalid > 0) {
    const wrong = await all<WrongLine>(`SELECT line, cells, coalesce(uid, '') AS uid, coalesce(id, '') AS id,
      coalesce(time, '') AS time, placed_at IS NOT NULL AS has_time FROM listed
      WHERE order_id IS NULL ORDER BY line LIMIT ${NAMED}`);
    const texts = wrong.map((one) => `Line ${one.line}: ${describeProblem(one, columns.count)}.`);
    const advice = texts.some((text) => text.includes('spreadsheet'))
      ? BY_SPREADSHEET
      : 'Correct them: an order that is missing here would be missing in the coverage.';
    throw new Failure('usage', [`${path} has invalid lines:`, ...linesOf(texts, invalid)], { advice });
  }

  const [long] = await all<{ ids: number; rounded: number; zeros: number }>(`
    SELECT count(*) AS ids, count(CASE WHEN order_id % 10 = 0 THEN 1 END) AS rounded,
      sum(length(CAST(order_id AS VARCHAR)) - length(rtrim(CAST(order_id AS VARCHAR), '0'))) AS zeros
    FROM listed WHERE order_id > 999999999999999`);
  // A program has rounded long ids that mostly end in zeros: several orders may have become one.
  if (long && long.rounded * 2 > long.ids && long.zeros >= 3) {
    const named = await all<{ line: number; order_id: number | bigint }>(`SELECT line, order_id FROM listed
      WHERE order_id > 999999999999999 AND order_id % 10 = 0 ORDER BY line LIMIT ${NAMED}`);
    const texts = named.map((one) => `Line ${one.line}: ${one.order_id}.`);
    const what = `has rounded order ids: ${long.rounded} of ${long.ids} ids of more than 15 digits end in zeros`;
    throw new Failure('usage', [`${path} ${what}:`, ...linesOf(texts, long.rounded)], { advice: BY_SPREADSHEET });
  }

  await run(`CREATE TABLE doubles AS
    SELECT order_id, min(line) AS first, arg_min(digest, line) AS digest
    FROM listed GROUP BY order_id HAVING count(*) > 1`);
  const different = `doubles JOIN listed ON listed.order_id = doubles.order_id WHERE listed.digest <> doubles.digest`;
  const conflicts = await countOf(engine, different);
  if (conflicts > 0) {
    const named = await all<{ first: number; line: number; order_id: number | bigint }>(
      `SELECT first, line, doubles.order_id FROM ${different} ORDER BY line LIMIT ${NAMED}`,
    );
    const texts = named.map((one) => `Lines ${one.first} and ${one.line}: ${one.order_id}.`);
    throw new Failure('usage', [`${path} has different lines with the same order id:`, ...linesOf(texts, conflicts)], {
      advice: `An order list has one line per order, not one per fill or change of status. If ids were rounded: ${BY_SPREADSHEET}`,
    });
  }
  await run(`DELETE FROM listed
    WHERE order_id IN (SELECT order_id FROM doubles) AND line NOT IN (SELECT first FROM doubles)`);
  const [facts] = await all<Record<'orders' | 'cancelled' | 'first' | 'last' | 'minutes' | 'zoneless', number>>(`
    SELECT count(*) AS orders, count(CASE WHEN cancelled THEN 1 END) AS cancelled,
      min(CASE WHEN NOT cancelled THEN placed_at END) AS first, max(CASE WHEN NOT cancelled THEN placed_at END) AS last,
      count(CASE WHEN lacks_seconds THEN 1 END) AS minutes, count(CASE WHEN lacks_zone THEN 1 END) AS zoneless
    FROM listed`);
  const { orders, cancelled, first, last, minutes, zoneless } = facts as NonNullable<typeof facts>;
  const unclear: OrderList['unclear'][number][] = [];
  for (const column of ['size', 'price'] as const) {
    await run(dropDecimals(column, opened.delimiter));
    const [found] = await all<OrderList['unclear'][number]>(`
      SELECT count(*) AS cells, min(line) AS line, arg_min(${column}_comma, line) AS text
      FROM listed WHERE ${column} IS NULL AND ${column}_comma IS NOT NULL`);
    if (found && found.cells > 0) unclear.push(found);
  }
  await run(`CREATE TABLE IF NOT EXISTS orders (${Object.entries(ORDER_COLUMNS).map((column) => column.join(' '))})`);
  await run(`INSERT INTO orders SELECT ${Object.keys(ORDER_COLUMNS)} FROM listed`);
  for (const table of ['listed', 'doubles']) await run(`DROP TABLE ${table}`);
  return {
    orders,
    cancelled,
    times: first === null ? undefined : { first, last },
    columns,
    preamble,
    ...(zoneless > 0 && { assumedZone: assumed }),
    withoutSeconds: minutes,
    merged: lines - orders,
    unclear,
  };
}
