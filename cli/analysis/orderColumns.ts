import { Failure } from '../terminal/failure.ts';

type OrderColumn = keyof typeof NAMES;

/** The names of columns, without case and punctuation, the best name first. docs/review.md lists them. */
const NAMES = {
  uid: ['uid', 'userid', 'teamuid', 'accountid', 'memberid', 'user', 'account'],
  orderId: ['orderid', 'ordid', 'orderno', 'ordernumber', 'id'],
  time: [
    'time',
    'ordertime',
    'orderplacedtime',
    'placedat',
    'createtime',
    'createdtime',
    'creationtime',
    'createdat',
    'ctime',
    'timestamp',
    'datetime',
    'date',
  ],
} as const satisfies Record<string, readonly string[]>;

/** A zone at the end of a column's name, such as `Time(UTC+8)` or `date_utc`. */
const ZONE = /[\s_(]*UTC(?:([+-])(\d{1,2})(?::?(\d{2}))?)?\)?$/i;

/** The columns of an order list. */
export interface OrderColumns {
  /** A name for each column of the file: its role, or its number if it has none. */
  readonly names: readonly string[];
  /** The heading of each role. */
  readonly headings: Readonly<Record<OrderColumn, string>>;
  /** The headings that are ignored. */
  readonly ignored: readonly string[];
  /** The offset in the heading of the time, such as `+08:00`. Absent: none is given there. */
  readonly zone?: string;
}

const comparable = (heading: string) => heading.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function zoneOf(heading: string): string | undefined {
  const match = ZONE.exec(heading);
  if (!match) return undefined;
  const [, sign = '+', hours = '0', minutes = '00'] = match;
  return `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/**
 * Finds the columns of an order list by their names.
 * @throws Failure if one is missing, or if two have the same name
 */
export function findOrderColumns(path: string, heads: readonly string[]): OrderColumns {
  const plain = heads.map((head) => comparable(head));
  const withoutZone = heads.map((head) => comparable(head.replace(ZONE, '')));
  const find = (column: OrderColumn): number => {
    const compared = column === 'time' ? withoutZone : plain;
    for (const name of NAMES[column]) {
      const places = compared.flatMap((head, place) => (head === name ? [place] : []));
      if (places.length > 1) {
        const named = places.map((place) => JSON.stringify(heads[place])).join(' and ');
        throw new Failure('usage', `${path} has two columns for the ${column}: ${named}.`, { advice: 'Remove one.' });
      }
      if (places[0] !== undefined) return places[0];
    }
    return -1;
  };
  const columns = Object.keys(NAMES) as OrderColumn[];
  const places = Object.fromEntries(columns.map((column) => [column, find(column)])) as Record<OrderColumn, number>;
  const missing = columns.filter((column) => places[column] === -1);
  if (missing.length > 0) {
    throw new Failure('usage', `${path} has no column ${missing.join(', ')}. It has: ${heads.join(', ')}.`, {
      advice:
        'Its first line must name its columns, such as uid,orderId,time. Names such as order_id work too; others are ignored.',
    });
  }
  const roles = new Map(columns.map((column) => [places[column], column]));
  const zone = zoneOf(heads[places.time] as string);
  return {
    names: heads.map((_, place) => roles.get(place) ?? `column ${place + 1}`),
    headings: Object.fromEntries(columns.map((column) => [column, heads[places[column]]])) as Record<
      OrderColumn,
      string
    >,
    ignored: heads.filter((_, place) => !roles.has(place)),
    ...(zone !== undefined && { zone }),
  };
}
