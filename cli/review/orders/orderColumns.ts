import { Failure } from '../../shell/terminal/failure.ts';
import { nameSome } from '../../shell/text/numbers.ts';

/** The names of columns, without case and punctuation, the best name first. docs/review.md lists them. */
const NAMES = {
  uid: ['uid', 'userid', 'teamuid', 'accountid', 'memberid', 'user', 'account'],
  orderId: ['orderid', 'ordid', 'orderno', 'ordernumber', 'id'],
  // biome-ignore format: a list of words
  time: [
    'time', 'ordertime', 'orderplacedtime', 'placedat', 'createtime', 'createdtime', 'creationtime', 'createdat',
    'ctime', 'timestamp', 'datetime', 'date',
  ],
  symbol: ['symbol', 'pair', 'instrument', 'instid', 'contract', 'contracts', 'tradingpair', 'market', 'futures'],
  side: ['side', 'direction', 'orderside'],
  size: ['size', 'qty', 'quantity', 'orderqty', 'orderquantity', 'orderamount', 'amount', 'origqty', 'sz'],
  price: ['price', 'orderprice', 'limitprice', 'px', 'avgprice', 'averageprice', 'avgtradingprice'],
  status: ['status', 'orderstatus', 'state'],
  filled: ['filled', 'executed', 'filledqty', 'executedqty', 'filledquantity', 'accfillsz', 'cumexecqty'],
} satisfies Record<string, readonly string[]>;

export type OrderColumn = keyof typeof NAMES;

/** The columns that a list must have. That of one account needs no UID. */
const REQUIRED = ['uid', 'orderId', 'time'] as const satisfies readonly OrderColumn[];

/** A zone at the end of a column's name, such as `Time(UTC+8)` or `date_utc`. */
const ZONE = /(?:UTC|GMT)(?:([+-])(\d{1,2})(?::?(\d{2}))?)?\)?$/i;

/** The columns of an order list. */
export interface OrderColumns {
  /** The number of columns, and the place of each role among them, from 1 on; 0: the list has no such column. */
  readonly count: number;
  readonly places: Readonly<Record<OrderColumn, number>>;
  /** The heading of each role; undefined: the list has no such column. */
  readonly headings: Readonly<Record<OrderColumn, string | undefined>>;
  /** The headings that are ignored. */
  readonly ignored: readonly string[];
  /** The offset in the heading of the time, such as `+08:00`. Absent: none is given there. */
  readonly zone?: string;
}

/** Returns the places of the headings that have the best name of a column. */
function placesOf(column: OrderColumn, heads: readonly string[]): number[] {
  const compared = heads.map((head) => comparable(column === 'time' ? head.replace(ZONE, '') : head));
  const best = NAMES[column].find((name) => compared.includes(name));
  return compared.flatMap((head, place) => (head === best ? [place] : []));
}

/** Returns the columns that a list must have and these headings do not name. */
export const missingColumns = (heads: readonly string[], isOfOneAccount: boolean): OrderColumn[] =>
  REQUIRED.filter((column) => !(column === 'uid' && isOfOneAccount) && placesOf(column, heads).length === 0);

/** The most headings that a message names. */
const NAMED = 30;

/** Returns headings as a message names them. */
export const nameHeads = (heads: readonly string[]): string => nameSome(heads, NAMED);

const comparable = (heading: string) => heading.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function zoneOf(heading: string): string | undefined {
  const match = ZONE.exec(heading);
  if (!match) return undefined;
  const [, sign = '+', hours = '0', minutes = '00'] = match;
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/**
 * Finds the columns of an order list by their names.
 * @param isOfOneAccount true if the list needs no UID
 * @throws Failure if one is missing, or if two have the same name
 */
export function findOrderColumns(path: string, heads: readonly string[], isOfOneAccount: boolean): OrderColumns {
  const missing = missingColumns(heads, isOfOneAccount);
  if (missing.length > 0) {
    const names = missing.map((column) => `${column} (or ${NAMES[column].slice(1).join(', ')})`);
    const advice = `A line must name its columns, in any case and punctuation: ${names.join('; ')}.`;
    const ofOne = missing.includes('uid')
      ? ' A list of one account needs none: give --uid UID, or drop the list onto the page of the console.'
      : '';
    throw new Failure('usage', `${path} has no column ${missing.join(', ')}. It has: ${nameHeads(heads)}.`, {
      advice: advice + ofOne,
    });
  }
  for (const column of REQUIRED) {
    const places = placesOf(column, heads);
    if (places.length < 2) continue;
    const named = places.map((place) => JSON.stringify(heads[place])).join(' and ');
    throw new Failure('usage', `${path} has two columns for the ${column}: ${named}.`, { advice: 'Remove one.' });
  }
  const columns = Object.keys(NAMES) as OrderColumn[];
  const places = Object.fromEntries(
    columns.map((column) => [column, (placesOf(column, heads)[0] ?? -1) + 1]),
  ) as OrderColumns['places'];
  const zone = zoneOf(heads[places.time - 1] as string);
  return {
    count: heads.length,
    places,
    headings: Object.fromEntries(
      columns.map((column) => [column, heads[places[column] - 1]]),
    ) as OrderColumns['headings'],
    ignored: heads.filter((_, place) => !Object.values(places).includes(place + 1)),
    ...(zone !== undefined && { zone }),
  };
}
