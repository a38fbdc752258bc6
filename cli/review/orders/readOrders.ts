import { basename } from 'node:path';
import { Failure } from '../../shell/terminal/failure.ts';
import { formatTime } from '../../shell/text/time.ts';
import { countOf, type Engine, quoted } from '../../store/duckdb/duckdb.ts';
import { BY_SPREADSHEET, checkLines, checkOwner, linesOf, NAMED } from './checkLines.ts';
import { ORDER_COLUMNS } from './order.ts';
import type { OrderLines } from './orderColumns.ts';
import { openOrderLines } from './orderLines.ts';
import { addLines, dropDecimals, findOpenLine, isSkipped, isTwice, LISTED, leaveZone, mergeFills } from './orderSql.ts';
import { findZone, labelOf, type StatedZone, textOfName } from './orderZones.ts';
import { shown } from './shown.ts';

/** The way in which an order list was read. */
export interface OrderList extends Pick<OrderLines, 'columns' | 'preamble' | 'list'> {
  /** The number of orders, those that need no log too. */
  readonly orders: number;
  /** The orders of each UID, and the first and the last time of one that needs a log; null: none does. */
  readonly owners: readonly (Readonly<Record<'uid', string>> &
    Readonly<Record<'orders', number>> &
    Readonly<Record<'first' | 'last', number | null>>)[];
  /** Those of which nothing was filled, and nothing will be: they need no log. */
  readonly cancelled: number;
  /** Those that ended, and may have been filled: the list does not say it. */
  readonly unknown: number;
  /** States that are not known, with the number of orders, the most frequent first. */
  readonly states: readonly { readonly state: string; readonly orders: number }[];
  /** The zones of times without one, and whence they come. Empty: all times have one. */
  readonly zones: readonly StatedZone[];
  /** What the list says of its zone, if --time-zone says something else. */
  readonly overridden?: string;
  /** The orders whose times occurred twice in a zone, when its clocks went back. */
  readonly twice: number;
  /** The number of orders whose time has no seconds: each was placed within the minute that follows. */
  readonly withoutSeconds: number;
  /** The number of lines that repeat an earlier line exactly. */
  readonly merged: number;
  /** The orders that have a line for each fill. */
  readonly inFills: number;
  /** Sizes or prices that count as none, because their comma can be read in two ways: how many, and the first one. */
  readonly unclear: readonly { readonly cells: number; readonly line: number; readonly text: string }[];
}

/** The most zones of a list, the most characters of one in a column, and the most states that are named. */
const ZONES = 20;
const ZONE_UNITS = 100;
const NAMED_STATES = 10;

/** What is known of a list besides its content. */
interface ListFacts {
  /** The owner of all orders of a list without a UID. */
  readonly uid?: string | undefined;
  /** The zone of times without one: an offset, such as `+08:00`, or a name, such as `Europe/Berlin`. */
  readonly zone?: string | undefined;
  /** The name of the file, if its path has another one. */
  readonly name?: string | undefined;
}

/**
 * Moves the times without a zone from UTC to the zone of the list: the given one, else that of a column, or what the
 * heading, the text beside the orders or the file's name states, or else UTC.
 * @throws Failure if what they state is not clear, or if the clocks of the zone skip a time
 */
async function settleZones(
  { run, read }: Engine,
  path: string,
  { columns, stated: beside }: OrderLines,
  { zone, name = basename(path) }: ListFacts,
): Promise<Pick<OrderList, 'zones' | 'overridden' | 'twice'>> {
  const all = <Row extends object>(query: string) => Array.fromAsync(read<Row>(query));
  const question = (problem: string) =>
    new Failure('usage', `${path} ${problem}`, {
      advice: 'Say it: --time-zone with an offset, such as +08:00, or a name, such as Asia/Shanghai.',
    });
  const heading = columns.headings.time ?? '';
  const { stated, question: problem } = findZone([
    { text: textOfName(heading), from: `the heading ${shown(heading)}`, isOfTimes: true },
    ...beside,
    { text: textOfName(name), from: "the file's name" },
  ]);
  const column = columns.headings.zone;
  const cells = `listed WHERE lacks_zone AND coalesce(zone, '') <> ''`;
  const named = zone
    ? []
    : await all<{ zone: string }>(`SELECT DISTINCT zone FROM ${cells} ORDER BY 1 LIMIT ${ZONES + 1}`);
  if (named.length > ZONES) throw question(`has more than ${ZONES} time zones in the column ${shown(column ?? '')}.`);
  let twice = 0;
  const leave = async (from: string, where: string): Promise<void> => {
    if (from.includes('/')) {
      const skipped = `listed WHERE ${where} AND ${isSkipped(from)}`;
      const lines = await all<{ line: number; at: number }>(
        `SELECT line, placed_at AS at FROM ${skipped} ORDER BY line LIMIT ${NAMED}`,
      );
      const texts = lines.map(({ line, at }) => `Line ${line}: ${formatTime(at).replace(/[TZ]/g, ' ').trim()}.`);
      if (texts.length > 0) {
        const what = `has times that the clocks of ${from} skipped, when they went forward:`;
        throw new Failure('usage', [`${path} ${what}`, ...linesOf(texts, await countOf({ read }, skipped))], {
          advice: 'The list has another time zone: give it by --time-zone.',
        });
      }
      twice += await countOf({ read }, `listed WHERE ${where} AND ${isTwice(from)}`);
    }
    await run(leaveZone(from, where));
  };
  const zones: StatedZone[] = [];
  for (const { zone: cell } of named) {
    const from = `the column ${shown(column ?? '')}`;
    const of = cell.length > ZONE_UNITS ? {} : findZone([{ text: cell, from, isOfTimes: true }]);
    const none = `has no time zone in ${from}: ${shown(cell.slice(0, ZONE_UNITS))}.`;
    if (!of.stated) throw question(of.question ?? none);
    zones.push(of.stated);
    await leave(of.stated.zone, `lacks_zone AND zone = ${quoted(cell)}`);
  }
  const rest = zone ? 'lacks_zone' : `lacks_zone AND coalesce(zone, '') = ''`;
  if ((await countOf({ read }, `listed WHERE ${rest}`)) === 0) return { zones, twice };
  if (!zone && problem !== undefined) throw question(problem);
  const used = zone ? { zone, from: '--time-zone' } : (stated ?? { zone: '+00:00', from: '' });
  await leave(used.zone, rest);
  const isOther = zone !== undefined && stated !== undefined && stated.zone !== zone;
  return {
    zones: [...zones, used],
    twice,
    ...(isOther && { overridden: `${labelOf(stated.zone)} from ${stated.from}` }),
  };
}

/** The lines that repeat an earlier line exactly. */
const REPEATED = `(
  SELECT line, row_number() OVER (PARTITION BY order_id, digest ORDER BY line) AS place
  FROM listed WHERE order_id IN (SELECT order_id FROM doubles) QUALIFY place > 1) AS repeated`;

/**
 * Reads an order list as exchanges export it, or as their APIs answer: CSV, JSON or JSON Lines. It needs columns for
 * the order id, the time and, unless it is of one account, the UID. Adds its orders to the table `orders`.
 * @param engine a local one
 * @throws Failure that names the lines that are invalid, were damaged by a spreadsheet, or contradict each other; or if
 * the list does not say clearly whose it is, or in which time zone
 */
export async function readOrders(engine: Engine, path: string, facts: ListFacts): Promise<OrderList> {
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
  const merged = await countOf(engine, REPEATED);
  if (merged > 0) {
    await run(`DELETE FROM listed WHERE line IN (SELECT line FROM ${REPEATED})`);
    await run(findDoubles);
  }
  const same = ['uid', 'symbol', 'side', 'state'].map((column) => `count(DISTINCT coalesce(${column}, '')) = 1`);
  const isFill = columns.places.size > 0 ? same.join(' AND ') : 'FALSE';
  const conflicting = `(
    SELECT order_id, min(line) AS first, min(CASE WHEN line > first THEN line END) AS line
    FROM (SELECT *, min(line) OVER (PARTITION BY order_id) AS first FROM listed
      WHERE order_id IN (SELECT order_id FROM doubles)) AS numbered
    GROUP BY order_id HAVING NOT (${isFill})) AS conflicting`;
  const conflicts = await countOf(engine, conflicting);
  if (conflicts > 0) {
    const named = await all<{ first: number; line: number; order_id: number | bigint }>(
      `SELECT * FROM ${conflicting} ORDER BY line LIMIT ${NAMED}`,
    );
    const texts = named.map((one) => `Lines ${one.first} and ${one.line}: ${one.order_id}.`);
    throw new Failure('usage', [`${path} has different lines with the same order id:`, ...linesOf(texts, conflicts)], {
      advice: `An order list has one line per order, or one per fill with its size, not one per change of status. If ids were rounded: ${BY_SPREADSHEET}`,
    });
  }

  const unclear: OrderList['unclear'][number][] = [];
  for (const column of ['size', 'price'] as const) {
    await run(dropDecimals(column, opened.delimiter));
    const [found] = await all<OrderList['unclear'][number]>(`
      SELECT count(*) AS cells, min(line) AS line, arg_min(${column}_comma, line) AS text
      FROM listed WHERE ${column} IS NULL AND ${column}_comma IS NOT NULL`);
    if (found && found.cells > 0) unclear.push(found);
  }
  const inFills = await countOf(engine, 'doubles');
  const { filled, size } = columns.places;
  if (inFills > 0) await run(mergeFills(filled > 0 && filled !== size));

  const [counts] = await all<Record<'orders' | 'cancelled' | 'unknown' | 'minutes', number>>(`
    SELECT count(*) AS orders, count(CASE WHEN cancelled THEN 1 END) AS cancelled,
      count(CASE WHEN kind = 'ended' AND filled IS NULL THEN 1 END) AS unknown, count(CASE WHEN lacks_seconds THEN 1 END) AS minutes
    FROM listed`);
  const { orders, cancelled, unknown, minutes } = counts as NonNullable<typeof counts>;
  const owners = await all<OrderList['owners'][number]>(`
    SELECT uid, count(*) AS orders, min(CASE WHEN NOT cancelled THEN placed_at END) AS first,
      max(CASE WHEN NOT cancelled THEN placed_at END) AS last FROM listed GROUP BY uid ORDER BY uid`);
  checkOwner(path, columns, owners, uid);
  const states = await all<OrderList['states'][number]>(`SELECT left(state, 40) AS state, count(*) AS orders
    FROM listed WHERE kind = 'other' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${NAMED_STATES}`);
  await run(`CREATE TABLE IF NOT EXISTS orders (${Object.entries(ORDER_COLUMNS).map((column) => column.join(' '))})`);
  await run(`INSERT INTO orders SELECT ${Object.keys(ORDER_COLUMNS)} FROM listed`);
  for (const table of ['listed', 'doubles']) await run(`DROP TABLE ${table}`);
  return {
    ...{ orders, owners, cancelled, unknown, states, columns, preamble, ...zones, unclear, inFills },
    ...(list !== undefined && { list }),
    ...{ merged, withoutSeconds: minutes },
  };
}
