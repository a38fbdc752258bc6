import { isOrderId, ORDER_ID_LIMIT } from '../../functions/ailog/orderId.ts';
import { type CsvLine, readCsvRecords } from '../files/csv.ts';
import { Failure } from '../terminal/failure.ts';
import { lacksSeconds, lacksZone, parseOrderTime } from '../text/orderTime.ts';
import { fromSpreadsheet } from '../text/spreadsheet.ts';
import { isUid } from '../text/uid.ts';
import type { Order } from './order.ts';
import { findOrderColumns, type OrderColumns } from './orderColumns.ts';

/** An order list, and how it was read. */
export interface OrderList {
  readonly orders: readonly Order[];
  readonly columns: OrderColumns;
  /** The offset that was assumed for times without one. Absent if all times have one. */
  readonly assumedZone?: string;
  /** The number of orders whose time has no seconds: each was placed within the minute that follows. */
  readonly withoutSeconds: number;
  /** The number of lines that repeat an earlier line exactly. */
  readonly merged: number;
}

interface OrderLine {
  readonly line: number;
  readonly order: Order;
  readonly lacksSeconds: boolean;
  /** The text of all cells, those of ignored columns too. */
  readonly text: string;
}

/** The maximum number of lines that a message names. */
const NAMED = 10;

const BY_SPREADSHEET =
  'A spreadsheet keeps only 15 digits of a number. Export the list again and do not save it in a spreadsheet, or format the column as text there before the import.';

function fail(path: string, what: string, problems: readonly string[], advice: string): never {
  const more = problems.length > NAMED ? `\nand ${problems.length - NAMED} more.` : '';
  throw new Failure('usage', `${path} ${what}:\n${problems.slice(0, NAMED).join('\n')}${more}`, { advice });
}

/** Finds the problem of a line; undefined if it is valid. */
function findProblem({ uid, orderId, placedAt }: Order, time: string): string | undefined {
  const exponent = /^\d+(\.\d+)?e\+?\d+$/i;
  if (!isUid(uid)) return `${JSON.stringify(uid)} is not a UID, a decimal number without leading zeros`;
  if (exponent.test(orderId)) return `${JSON.stringify(orderId)} is an order id that a spreadsheet has shortened`;
  if (orderId === '' || orderId === '0' || !isOrderId(orderId)) {
    return `${JSON.stringify(orderId)} is not an order id, an integer from 1 to ${ORDER_ID_LIMIT}`;
  }
  if (!Number.isNaN(placedAt)) return undefined;
  if (exponent.test(time)) return `${JSON.stringify(time)} is a time that a spreadsheet has shortened`;
  if (/^\d{4}-\d{2}-\d{2}$/.test(time)) return `${JSON.stringify(time)} is a day without a time`;
  if (/^\d{1,2}[/.]\d{1,2}[/.]\d{4}/.test(time)) {
    return `${JSON.stringify(time)} can be two dates: write the year first, such as 2026-11-17 00:30:00`;
  }
  return `${JSON.stringify(time)} is not a time, such as 2026-11-17T00:30:00Z, 2026-11-17 00:30:00 or milliseconds since 1970`;
}

/**
 * Rejects a list whose long order ids mostly end in zeros: a program has rounded them, so that several orders may have
 * become one. By chance, one id in a thousand ends in three zeros.
 */
function requireExactIds(path: string, lines: readonly OrderLine[]): void {
  const long = lines.filter(({ order }) => order.orderId.length > 15);
  const rounded = long.filter(({ order }) => order.orderId.endsWith('0'));
  const zeros = rounded.reduce((sum, { order }) => sum + (/0*$/.exec(order.orderId)?.[0].length ?? 0), 0);
  if (rounded.length * 2 <= long.length || zeros < 3) return;
  fail(
    path,
    `has rounded order ids: ${rounded.length} of ${long.length} ids of more than 15 digits end in zeros`,
    rounded.map(({ line, order }) => `Line ${line}: ${order.orderId}.`),
    BY_SPREADSHEET,
  );
}

/** Merges lines that are exactly equal. @throws Failure that names the lines with the same order id that are not */
function mergeLines(path: string, lines: readonly OrderLine[]): OrderLine[] {
  const first = new Map<string, OrderLine>();
  const conflicts: string[] = [];
  for (const line of lines) {
    const known = first.get(line.order.orderId);
    if (!known) first.set(line.order.orderId, line);
    else if (known.text !== line.text) {
      conflicts.push(`Lines ${known.line} and ${line.line}: ${line.order.orderId}.`);
    }
  }
  if (conflicts.length > 0) {
    const advice = `An order list has one line per order, not one per fill or change of status. If ids were rounded: ${BY_SPREADSHEET}`;
    fail(path, 'has different lines with the same order id', conflicts, advice);
  }
  return [...first.values()];
}

/** Returns the digits of a cell that was written for a spreadsheet: `'123` or `="123"`. */
const plainDigits = (cell: string): string => /^="(\d+)"$/.exec(cell)?.[1] ?? fromSpreadsheet(cell);

/** Returns the order in a line. Its time is NaN if it cannot be read. */
function readLine({ line, cells }: CsvLine<string>, zone: string): OrderLine {
  const { uid = '', orderId = '', time = '' } = cells;
  const order = {
    uid: plainDigits(uid),
    orderId: plainDigits(orderId),
    placedAt: parseOrderTime(plainDigits(time), zone),
  };
  return { line, order, lacksSeconds: lacksSeconds(plainDigits(time)), text: JSON.stringify(cells) };
}

/**
 * Reads an order list, a CSV file as exchanges export it. It needs columns for the UID, the order id and the time; all
 * others are ignored.
 * @param zone the offset from UTC for times without one, such as `+08:00`; without it, the heading of the column, then
 * UTC
 * @throws Failure that names the lines that are invalid, were damaged by a spreadsheet, or contradict each other
 */
export function readOrders(path: string, zone: string | undefined): OrderList {
  let columns: OrderColumns | undefined;
  const { lines: records, problems: malformed } = readCsvRecords<string>(path, (heads) => {
    columns = findOrderColumns(path, heads);
    return [...columns.names];
  });
  if (columns === undefined) throw new Failure('usage', `${path} is empty.`);
  const assumed = zone ?? columns.zone ?? '+00:00';
  const lines = records.map((record) => readLine(record, assumed));
  const found = lines.flatMap(({ line, order }, index) => {
    const problem = findProblem(order, records[index]?.cells.time ?? '');
    return problem === undefined ? [] : [[line, problem] as const];
  });
  const problems = [...malformed, ...found]
    .sort(([a], [b]) => a - b)
    .map(([line, problem]) => `Line ${line}: ${problem}.`);
  if (problems.length > 0) {
    const shortened = problems.some((problem) => problem.includes('spreadsheet'));
    const advice = 'Correct them: an order that is missing here would be missing in the coverage.';
    fail(path, 'has invalid lines', problems, shortened ? BY_SPREADSHEET : advice);
  }
  requireExactIds(path, lines);
  const kept = mergeLines(path, lines);
  return {
    orders: kept.map(({ order }) => order),
    columns,
    ...(records.some(({ cells }) => lacksZone(cells.time ?? '')) && { assumedZone: assumed }),
    withoutSeconds: kept.filter((line) => line.lacksSeconds).length,
    merged: lines.length - kept.length,
  };
}
