import { isOrderId, ORDER_ID_LIMIT } from '../../../functions/ailog/orderId.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { isUid } from '../../shell/text/uid.ts';
import { countOf, type Engine, rowsOf } from '../../store/duckdb/duckdb.ts';
import type { OrderColumns } from './orderColumns.ts';
import { findZone } from './orderZones.ts';
import { shown } from './shown.ts';

export const NAMED = 10;

export const BY_SPREADSHEET =
  'A spreadsheet keeps only 15 digits of a number. Export the list again and do not save it in a spreadsheet, or format the column as text there before the import.';

/** A line that is no order: its number of cells, and those that tell why. */
type WrongLine = Readonly<Record<'line' | 'cells', number> & Record<'uid' | 'id' | 'time', string>> &
  Readonly<{ has_time: boolean }>;

/** A number to which a spreadsheet gave fewer digits. */
const SHORTENED = /^\d+([.,]\d+)?e\+?\d+$|^\d{16,}\.0+$/i;

/** An id as Kraken, KuCoin and Bybit give them: letters and digits. */
const WITH_LETTERS = /^(?=.*[a-z])[\w-]{8,}$/i;

function describeProblem({ cells, uid, id, time, has_time }: WrongLine, columns: number): string {
  if (cells !== columns) return `cells: ${cells}, but columns in the first line: ${columns}`;
  if (SHORTENED.test(uid)) return `${shown(uid)} is a UID that a spreadsheet has shortened`;
  if (!isUid(uid)) return `${shown(uid)} is not a UID, a decimal number without leading zeros`;
  if (SHORTENED.test(id)) return `${shown(id)} is an order id that a spreadsheet has shortened`;
  if (has_time || id === '' || id === '0' || !isOrderId(id)) {
    return `${shown(id)} is not an order id, an integer from 1 to ${ORDER_ID_LIMIT}`;
  }
  if (SHORTENED.test(time)) return `${shown(time)} is a time that a spreadsheet has shortened`;
  if (/^\d{4}-\d{2}-\d{2}$/.test(time)) return `${shown(time)} is a day without a time`;
  if (/^\d{1,2}[/.]\d{1,2}[/.]\d{2}/.test(time)) {
    return `${shown(time)} can be two dates: write the year first, such as 2026-11-17 00:30:00`;
  }
  const { question } = findZone([{ text: time.slice(0, 100), from: 'it', isOfTimes: true }]);
  if (question !== undefined) return `${shown(time)} ${question.slice(0, -1)}: write an offset, such as +08:00`;
  return `${shown(time)} is not a time, such as 2026-11-17T00:30:00Z, 2026-11-17 00:30:00 or milliseconds since 1970`;
}

/** Returns the lines that a message names, and how many more there are. */
export const linesOf = (texts: readonly string[], count: number): string[] =>
  count > texts.length ? [...texts, `and ${count - texts.length} more.`] : [...texts];

const withoutUids = (heading: string) =>
  `If all orders are of one team, remove the column ${shown(heading)}, and give --uid UID: it counts only without such a column.`;

/**
 * Checks each line of an order list in the table `listed`.
 * @throws Failure that names the lines that are invalid, or were damaged by a spreadsheet
 */
export async function checkLines(engine: Engine, path: string, columns: OrderColumns): Promise<void> {
  const all = <Row extends object>(query: string) => rowsOf<Row>(engine, query);
  const [quote] = await all<{ line: number }>('SELECT line FROM listed WHERE cells IS NULL ORDER BY line LIMIT 1');
  // A wrong quotation mark may hide the lines after it, so no line of the file counts.
  if (quote !== undefined) {
    const what = 'text stands beside a quotation mark, or one is not closed';
    throw new Failure('usage', `${path} is not CSV, line ${quote.line}: ${what}.`);
  }
  if ((await countOf(engine, 'listed')) === 0)
    throw new Failure('usage', `${path} has no lines below its column names.`);

  const invalid = await countOf(engine, 'listed WHERE order_id IS NULL');
  if (invalid > 0) {
    const wrong = await all<WrongLine>(`SELECT line, cells, coalesce(uid, '') AS uid, coalesce(id, '') AS id,
      coalesce(time, '') AS time, placed_at IS NOT NULL AS has_time FROM listed
      WHERE order_id IS NULL ORDER BY line LIMIT ${NAMED}`);
    const [first, ...others] = wrong.filter(({ id }) => WITH_LETTERS.test(id) && !SHORTENED.test(id));
    if (first !== undefined && others.length === wrong.length - 1) {
      const what = 'has order ids that are not the integers that the interface of the competition demands';
      throw new Failure('usage', `${path} ${what}: line ${first.line} has ${shown(first.id)}.`, {
        advice: `Invalid lines: ${invalid}. An order id is an integer from 1 to ${ORDER_ID_LIMIT}: no log can name another one. If a column has such ids, name only that one order_id.`,
      });
    }
    const texts = wrong.map((one) => `Line ${one.line}: ${describeProblem(one, columns.count)}.`);
    const hasUids = !texts.every((text) => text.includes(' is not a UID'));
    const advice = texts.some((text) => text.includes('spreadsheet'))
      ? BY_SPREADSHEET
      : hasUids
        ? 'Correct them: an order that is missing here would be missing in the coverage.'
        : withoutUids(columns.headings.uid ?? '');
    throw new Failure('usage', [`${path} has invalid lines:`, ...linesOf(texts, invalid)], { advice });
  }

  const [long] = await all<{ ids: number; rounded: number; zeros: number }>(`
    SELECT count(*) AS ids, count(CASE WHEN order_id % 10 = 0 THEN 1 END) AS rounded,
      sum(length(CAST(order_id AS VARCHAR)) - length(rtrim(CAST(order_id AS VARCHAR), '0'))) AS zeros
    FROM (SELECT DISTINCT order_id FROM listed WHERE order_id > 999999999999999) AS ids`);
  // A program has rounded long ids that mostly end in zeros: several orders may have become one.
  if (long && long.rounded * 2 > long.ids && long.zeros >= 3) {
    const named = await all<{ line: number; order_id: number | bigint }>(`SELECT min(line) AS line, order_id FROM listed
      WHERE order_id > 999999999999999 AND order_id % 10 = 0 GROUP BY order_id ORDER BY line LIMIT ${NAMED}`);
    const texts = named.map((one) => `Line ${one.line}: ${one.order_id}.`);
    const what = `has rounded order ids: ${long.rounded} of ${long.ids} ids of more than 15 digits end in zeros`;
    throw new Failure('usage', [`${path} ${what}:`, ...linesOf(texts, long.rounded)], { advice: BY_SPREADSHEET });
  }
}

/** Returns true if a UID has the first digits of another one, rounded or cut, and zeros in place of three or more. */
function isRounded(uid: string, exact: string): boolean {
  if (uid.length !== exact.length || uid === exact) return false;
  const digits = uid.length;
  // A number of a program has 15 to 17 digits that are right.
  const most = digits > 15 ? Math.min(digits - 1, 17) : digits - 3;
  return Array.from({ length: Math.max(0, most - 2) }, (_, more) => 10n ** BigInt(digits - 3 - more)).some((unit) =>
    [0n, unit / 2n].some((half) => String(((BigInt(exact) + half) / unit) * unit) === uid),
  );
}

/** @throws Failure if UIDs that no team has are those of teams, with digits lost: the teams would look as if silent */
export function checkUids(unknown: Iterable<string>, known: ReadonlySet<string>): void {
  const likely = [...unknown].filter((uid) => uid.length >= 8 && uid.endsWith('0'));
  const rounded = likely.flatMap((uid) => {
    const exact = known.values().find((one) => isRounded(uid, one));
    return exact === undefined ? [] : [`${uid}: a team has ${exact}.`];
  });
  if (rounded.length === 0) return;
  const texts = linesOf(rounded.slice(0, NAMED), rounded.length);
  throw new Failure('usage', ['The order lists have UIDs that look rounded:', ...texts], { advice: BY_SPREADSHEET });
}

/** @throws Failure if a list names one owner, and another one was asked for */
export function checkOwner(path: string, { headings }: OrderColumns, owners: readonly { uid: string }[], uid: string) {
  const [owner, ...others] = owners;
  if (uid === '' || owner === undefined || others.length > 0 || owner.uid === uid) return;
  const heading = headings.uid ?? '';
  const message = `All orders of ${path} are of UID ${owner.uid} by its column ${shown(heading)}, not of ${uid}.`;
  throw new Failure('usage', message, {
    advice: `Leave out --uid to read them as orders of ${owner.uid}. ${withoutUids(heading)}`,
  });
}
