import { isOrderId, ORDER_ID_LIMIT } from '../../functions/ailog/orderId.ts';
import { isUid, parseDate } from '../terminal/arguments.ts';
import { readCsv } from '../terminal/csv.ts';
import { Failure } from '../terminal/failure.ts';

/** An order that a team placed. */
export interface Order {
  readonly uid: string;
  /** The order id as decimal digits. */
  readonly orderId: string;
  /** The time of the order, in milliseconds since 1970. */
  readonly at: number;
  /** True if an AI log of the same team names the order. */
  logged: boolean;
}

/** The maximum number of invalid lines in the message. */
const NAMED = 10;

/** Parses a time: ISO 8601, or milliseconds since 1970 as exchanges write them. */
const parseTime = (text: string) => (/^\d{13}$/.test(text) ? Number(text) : parseDate(text));

/** Finds the problem of a line; undefined if it is valid. */
function findProblem({ uid = '', orderId = '', time = '' }: Partial<Record<string, string>>): string | undefined {
  if (!isUid(uid)) return `${JSON.stringify(uid)} is not a UID, a decimal number without leading zeros`;
  if (orderId === '' || orderId === '0' || !isOrderId(orderId)) {
    return `${JSON.stringify(orderId)} is not an order id, an integer from 1 to ${ORDER_ID_LIMIT}`;
  }
  if (Number.isNaN(parseTime(time))) return `${JSON.stringify(time)} is not a time, such as 2025-11-14T09:30:00Z`;
  return undefined;
}

/**
 * Reads an order list: CSV with the columns uid, orderId, time. Repeated orders count once.
 * @returns the orders by UID, then by order id
 * @throws Failure that names the invalid lines
 */
export function readOrders(path: string): Map<string, Map<string, Order>> {
  const columns = ['uid', 'orderId', 'time'] as const;
  const lines = readCsv(path, { columns, required: columns });
  const problems = lines.flatMap(({ line, cells }) => {
    const problem = findProblem(cells);
    return problem === undefined ? [] : [`Line ${line}: ${problem}.`];
  });
  if (problems.length > 0) {
    const more = problems.length > NAMED ? `\nand ${problems.length - NAMED} more.` : '';
    throw new Failure('usage', `${path} has invalid lines:\n${problems.slice(0, NAMED).join('\n')}${more}`, {
      advice: 'Correct them: an order that is missing here would be missing in the coverage.',
    });
  }
  const orders = new Map<string, Map<string, Order>>();
  for (const { cells } of lines) {
    const { uid, orderId, time } = cells as Record<(typeof columns)[number], string>;
    const ofTeam = orders.get(uid) ?? new Map<string, Order>();
    ofTeam.set(orderId, { uid, orderId, at: parseTime(time), logged: false });
    orders.set(uid, ofTeam);
  }
  return orders;
}
