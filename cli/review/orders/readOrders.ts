import { Failure } from '../../shell/terminal/failure.ts';
import { countOf, type Engine } from '../../store/duckdb/duckdb.ts';
import { BY_SPREADSHEET, checkLines, checkOwner, linesOf, NAMED } from './checkLines.ts';
import { ORDER_COLUMNS } from './order.ts';
import { openOrderLines } from './orderLines.ts';
import { addLines, dropDecimals, findOpenLine, LISTED, mergeFills } from './orderSql.ts';
import { type ListFacts, settleZones } from './settleZones.ts';

/** The way in which an order list was read. */
export type OrderList = Awaited<ReturnType<typeof readOrders>>;

/** The orders of a UID, and the first and the last time of one that needs a log; null: none does. */
type Owner = Readonly<{ uid: string; orders: number } & Record<'first' | 'last', number | null>>;

const REPEATED = `(
  SELECT line, row_number() OVER (PARTITION BY order_id, digest ORDER BY line) AS place
  FROM listed WHERE order_id IN (SELECT order_id FROM doubles) QUALIFY place > 1) AS repeated`;

/**
 * Reads an order list as exchanges export it, or as their APIs answer: CSV, JSON or JSON Lines. It needs columns for
 * the order id, the time and, unless it is of one account, the UID. Adds its orders to the table `orders`.
 * @param engine a local one
 * @returns how it was read: its orders; those `cancelled`, with nothing filled, which need no log; those that ended,
 * and may have been filled (`unknown`); those `withoutSeconds`, placed within the minute that follows; those with a
 * line for each fill (`inFills`); lines that repeat an earlier one (`merged`); states that are not known, the most
 * frequent first, and the orders `inStates` of that kind, `inStatesUnfilled` of them with nothing filled; sizes or
 * prices whose comma can be read in two ways (`unclear`), and the first one
 * @throws Failure that names the lines that are invalid, were damaged by a spreadsheet, or contradict each other; or if
 * the list does not say clearly whose it is, or in which time zone
 */
export async function readOrders(engine: Engine, path: string, facts: ListFacts) {
  const { run, read } = engine;
  const { uid = '' } = facts;
  const opened = await openOrderLines(path, uid !== '');
  const { columns, preamble, list, parts } = opened;
  await run(`CREATE TABLE listed (${LISTED})`);
  const all = <Row extends object>(...query: Parameters<typeof read>) => Array.fromAsync(read<Row>(...query));
  const owner = columns.places.uid === 0 && { uid };
  for await (const { line, text } of parts) {
    const isOpen = text.includes('"') && (await all(findOpenLine, { text })).length > 0;
    await run(addLines({ line, isOpen }, opened), { text, ...owner });
  }
  await checkLines(engine, path, columns);
  const zones = await settleZones(engine, path, opened, facts);

  const findDoubles =
    'CREATE OR REPLACE TABLE doubles AS SELECT order_id FROM listed GROUP BY order_id HAVING count(*) > 1';
  await run(findDoubles);
  // Most lists have none, and what follows takes longer than the rest of a short list.
  const merged = (await countOf(engine, 'doubles')) > 0 ? await countOf(engine, REPEATED) : 0;
  if (merged > 0) {
    await run(`DELETE FROM listed WHERE line IN (SELECT line FROM ${REPEATED})`);
    await run(findDoubles);
  }
  const inFills = await countOf(engine, 'doubles');
  const same = ['uid', 'symbol', 'side', 'state'].map((column) => `count(DISTINCT coalesce(${column}, '')) = 1`);
  const isFill = columns.places.size > 0 ? same.join(' AND ') : 'FALSE';
  const conflicting = `(
    SELECT order_id, min(line) AS first, min(CASE WHEN line > first THEN line END) AS line
    FROM (SELECT *, min(line) OVER (PARTITION BY order_id) AS first FROM listed
      WHERE order_id IN (SELECT order_id FROM doubles)) AS numbered
    GROUP BY order_id HAVING NOT (${isFill})) AS conflicting`;
  const conflicts = inFills > 0 ? await countOf(engine, conflicting) : 0;
  if (conflicts > 0) {
    const named = await all<{ first: number; line: number; order_id: number | bigint }>(
      `SELECT * FROM ${conflicting} ORDER BY line LIMIT ${NAMED}`,
    );
    const texts = named.map((one) => `Lines ${one.first} and ${one.line}: ${one.order_id}.`);
    throw new Failure('usage', [`${path} has different lines with the same order id:`, ...linesOf(texts, conflicts)], {
      advice: `An order list has one line per order, or one per fill with its size, not one per change of status. If ids were rounded: ${BY_SPREADSHEET}`,
    });
  }

  type Unclear = Readonly<Record<'cells' | 'line', number> & { text: string }>;
  const unclear: Unclear[] = [];
  for (const column of ['size', 'price'] as const) {
    if (columns.places[column] === 0) continue;
    await run(dropDecimals(column, opened.delimiter));
    const [found] = await all<Unclear>(`
      SELECT count(*) AS cells, min(line) AS line, arg_min(${column}_comma, line) AS text
      FROM listed WHERE ${column} IS NULL AND ${column}_comma IS NOT NULL`);
    if (found && found.cells > 0) unclear.push(found);
  }
  const { filled, size } = columns.places;
  if (inFills > 0) await run(mergeFills(filled > 0 && filled !== size));

  type Counts = Readonly<
    Record<'orders' | 'cancelled' | 'unknown' | 'withoutSeconds' | 'inStates' | 'inStatesUnfilled', number>
  >;
  const [counts] = await all<Counts>(`
    SELECT count(*) AS orders, count(CASE WHEN cancelled THEN 1 END) AS cancelled,
      count(CASE WHEN kind = 'ended' AND filled IS NULL THEN 1 END) AS unknown,
      count(CASE WHEN lacks_seconds THEN 1 END) AS "withoutSeconds",
      count(CASE WHEN kind = 'other' THEN 1 END) AS "inStates",
      count(CASE WHEN kind = 'other' AND cancelled THEN 1 END) AS "inStatesUnfilled"
    FROM listed`);
  const owners = await all<Owner>(`
    SELECT uid, count(*) AS orders, min(CASE WHEN NOT cancelled THEN placed_at END) AS first,
      max(CASE WHEN NOT cancelled THEN placed_at END) AS last FROM listed GROUP BY uid ORDER BY uid`);
  checkOwner(path, columns, owners, uid);
  const states = await all<{ state: string; orders: number }>(`SELECT left(state, 40) AS state, count(*) AS orders
    FROM listed WHERE kind = 'other' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${NAMED}`);
  await run(`CREATE TABLE IF NOT EXISTS orders (${Object.entries(ORDER_COLUMNS).map((column) => column.join(' '))})`);
  await run(`INSERT INTO orders SELECT ${Object.keys(ORDER_COLUMNS)} FROM listed`);
  for (const table of ['listed', 'doubles']) await run(`DROP TABLE ${table}`);
  return { ...(counts as Counts), owners, states, columns, preamble, list, ...zones, unclear, inFills, merged };
}
