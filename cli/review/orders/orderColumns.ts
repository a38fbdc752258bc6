import { placesOf } from '../../shell/files/headings.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { nameSome } from '../../shell/text/numbers.ts';
import { NAMES, TRADE_COLUMNS, TRADE_TIMES } from './orderWords.ts';
import { textOfName, type ZoneText } from './orderZones.ts';
import { shown, visibleCell } from './shown.ts';

export type OrderColumn = keyof typeof NAMES;

/** The columns that a list must have. That of one account needs no UID. */
const REQUIRED = ['uid', 'orderId', 'time'] as const satisfies readonly OrderColumn[];

/** A zone beside the name of a time, such as `date_utc`, `Time UTC+8` or `UTC time`. */
const ZONE = /\b(?:UTC|GMT|utc|gmt|Utc|Gmt)\b(?:\s?[+-][\d:]{1,6})?|\s[A-Z]{2,4}T$|^(?:[Ll]ocal|本地|当地|北京)\s?/g;

export interface OrderColumns {
  /** The number of columns, and the place of each role among them, from 1 on; 0: the list has no such column. */
  readonly count: number;
  readonly places: Readonly<Record<OrderColumn, number>>;
  readonly headings: Readonly<Record<OrderColumn, string | undefined>>;
  readonly ignored: readonly string[];
}

/** Some lines of an order list, with the number of the first one. None of them ends within a cell. */
export type Lines = { readonly line: number; readonly text: string };

export interface OrderLines {
  readonly columns: OrderColumns;
  readonly delimiter: string;
  readonly preamble: number;
  /** The texts beside the orders, which may say in which zone their times are. */
  readonly stated: readonly ZoneText[];
  /** Where a list stands in a JSON value, such as `data.list`. Absent: nothing is around it. */
  readonly list?: string;
  readonly parts: AsyncIterable<Lines>;
}

/** Returns the places of the headings that have the best name of a column. A time may have its zone beside it. */
const placesFor = (column: OrderColumn, heads: readonly string[]): number[] =>
  placesOf(NAMES[column], heads, column === 'time' ? withoutZone : undefined);

const withoutZone = (heading: string): string => textOfName(heading).replace(ZONE, ' ');

/** Returns the columns that a list must have and these headings do not name. */
export const missingColumns = (heads: readonly string[], isOfOneAccount: boolean): OrderColumn[] =>
  REQUIRED.filter((column) => !(column === 'uid' && isOfOneAccount) && placesFor(column, heads).length === 0);

/** Returns true if a column says what was traded. A message around orders has an id and a time, too. */
export const hasTrade = (heads: readonly string[]): boolean =>
  (['symbol', 'side', 'size'] as const).some((column) => placesFor(column, heads).length > 0);

export function nameHeads(heads: readonly string[]): string {
  const named = heads.map((head) => visibleCell(head) || '""');
  return nameSome(named, 30);
}

/** @throws Failure if the only ids of a list are likely those of trades: no log names them */
function refuseTrades(
  path: string,
  heads: readonly string[],
  { orderId = '', time = '' }: OrderColumns['headings'],
  list: string,
): void {
  if (placesOf(['id'], [orderId]).length === 0) return;
  const [place] = placesOf(TRADE_COLUMNS, heads);
  const sign =
    placesOf(TRADE_TIMES, [time], withoutZone).length > 0
      ? time
      : (heads[place ?? -1] ?? /(?:trades|fills?|fillList|executions|deals)$/i.exec(list)?.[0]);
  if (sign === undefined) return;
  const what = `looks like a list of trades by ${shown(sign)}, and ${shown(orderId)} can be the id of a trade`;
  throw new Failure('usage', `${path} ${what}.`, {
    advice: `Name the column that holds the ids of orders order_id, also if it is ${shown(orderId)}. Without one, export the orders.`,
  });
}

/**
 * Finds the columns of an order list by their names. @param list where it is in JSON, such as `data.list`
 * @throws Failure if one is missing, two have one name, or the list is one of trades
 */
export function findOrderColumns(
  path: string,
  heads: readonly string[],
  isOfOneAccount: boolean,
  list = '',
): OrderColumns {
  const missing = missingColumns(heads, isOfOneAccount);
  if (missing.length > 0) {
    const namesOf = (column: OrderColumn) => NAMES[column].filter((name) => name !== column.toLowerCase());
    const names = missing.map((column) => `${column} (or ${namesOf(column).slice(0, 5).join(', ')} …)`);
    const advice = `A line must name its columns, in any case and punctuation: ${names.join('; ')}.`;
    const ofOne = missing.includes('uid')
      ? ' A list of one account needs none: give --uid UID, or drop the list onto the page of the console.'
      : '';
    throw new Failure('usage', `${path} has no column ${missing.join(', ')}. It has: ${nameHeads(heads)}.`, {
      advice: advice + ofOne,
    });
  }
  for (const column of REQUIRED) {
    const places = placesFor(column, heads);
    if (places.length < 2) continue;
    const named = places.map((place) => shown(heads[place] ?? '')).join(' and ');
    throw new Failure('usage', `${path} has two columns for the ${column}: ${named}.`, { advice: 'Remove one.' });
  }
  const ofEach = <Value>(find: (column: OrderColumn) => Value) => {
    const found = Object.keys(NAMES).map((name) => [name, find(name as OrderColumn)]);
    return Object.fromEntries(found) as Record<OrderColumn, Value>;
  };
  const places = ofEach((column) => (placesFor(column, heads)[0] ?? -1) + 1);
  const headings = ofEach((column) => heads[places[column] - 1]);
  refuseTrades(path, heads, headings, list);
  const ignored = heads.filter((_, place) => !Object.values(places).includes(place + 1));
  return { count: heads.length, places, headings, ignored };
}
