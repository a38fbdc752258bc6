import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readOrders } from '../../../cli/analysis/readOrders.ts';
import type { Failure } from '../../../cli/terminal/failure.ts';
import { parseOrderTime } from '../../../cli/text/orderTime.ts';
import { temporaryFolder } from '../../setup/temporaryFolder.ts';

const folder = temporaryFolder();
let files = 0;

/** Reads a file with this content. */
function read(content: string | Uint8Array, zone?: string) {
  files += 1;
  const path = join(folder, `${files}.csv`);
  writeFileSync(path, content);
  return readOrders(path, zone);
}

/** Returns the message and the advice of the failure to read a file. */
function failure(content: string | Uint8Array): string {
  try {
    read(content);
  } catch (error) {
    const { outcome, message, advice } = error as Failure;
    expect(outcome).toBe('usage');
    return `${message}\n${advice}`.replaceAll(/\/\S*\.csv/g, 'FILE');
  }
  throw new Error('The file was accepted.');
}

const AT = Date.parse('2026-11-17T00:30:00Z');
const ID = '590480926522704171';

describe('the columns of an order list', () => {
  // biome-ignore format: one case a line
  test.each([
    ['uid,orderId,time', 'orderId'],
    ['UID,Order ID,Time', 'Order ID'],
    ['user_id,order_id,created_at', 'order_id'],
    ['userId,ORDERID,cTime', 'ORDERID'],
    ['account_id,order-no,order_time', 'order-no'],
    ['uid,id,timestamp', 'id'],
    ['Uid,OrdId,Date(UTC)', 'OrdId'],
  ])('%s', (heads, orderId) => {
    const { orders, columns } = read(`${heads}\n1,${ID},${AT}\n`);
    expect(orders).toEqual([{ uid: '1', orderId: ID, placedAt: AT }]);
    expect([columns.headings.orderId, columns.ignored]).toEqual([orderId, []]);
  });

  test('come in any order, with semicolons or tabs, and others are ignored', () => {
    const { orders, columns } = read(`symbol;time;id;order_id;uid;side\nBTC;${AT};1;${ID};1;buy\n`);
    expect(orders).toEqual([{ uid: '1', orderId: ID, placedAt: AT }]);
    expect(columns.ignored).toEqual(['symbol', 'id', 'side']);
    expect(read(`time\torder_id\tuid\n${AT}\t${ID}\t1\n`).orders).toHaveLength(1);
  });

  // biome-ignore format: one case a line
  test.each([
    ['missing', 'uid,client_oid,time\n1,5,1', 'FILE has no column orderId. It has: uid, client_oid, time.\nIts first line must name its columns, such as uid,orderId,time. Names such as order_id work too; others are ignored.'],
    ['two missing', 'uid,client_oid\n1,5', /^FILE has no column orderId, time\. It has: uid, client_oid\./],
    ['twice', 'uid,order_id,orderId,time\n1,5,6,1', 'FILE has two columns for the orderId: "order_id" and "orderId".\nRemove one.'],
    ['without lines', 'uid,orderId,time\n', 'FILE has no lines below its column names.\nundefined'],
    ['an empty file', '', 'FILE is empty.\nundefined'],
    ['Latin-1', Buffer.from('uid,orderId,time,n\xf6te\n', 'latin1'), /^FILE is not UTF-8: line 1 looks like Latin-1/],
  ])('%s: rejected', (_name, content, expected) => {
    expect(failure(content)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });
});

describe('the time of an order', () => {
  // biome-ignore format: one case a line
  test.each([
    ['2026-11-17T00:30:00Z'], ['2026-11-17T00:30:00.000Z'], ['2026-11-17 00:30:00'], ['2026-11-17 00:30'], ['2026/11/17 0:30:00'],
    ['2026-11-17 00:30:00.000000'], ['2026-11-17 00:30:00 UTC'], ['2026-11-17T08:30:00+08:00'], ['2026-11-17 08:30:00+0800'],
    ['2026-11-17T00:30:00z'], ['2026-11-17 00:30:00utc'], ['2026-11-16 21:00:00-0330'], ['2026-11-16 21:00:00 -03:30'],
    ['1794875400'], ['1794875400.0'], ['1794875400000'], ['1794875400000000'],
  ])('%s', (text) => {
    expect(parseOrderTime(text, '+00:00')).toBe(AT);
  });

  test('keeps milliseconds', () => {
    expect(
      [
        '1794875400.25',
        '1794875400250',
        '1794875400250999',
        '2026-11-17 00:30:00.25',
        '2026-11-17 00:30:00,25',
        '2026-11-17 00:30:00.250999999',
      ].map((text) => parseOrderTime(text, '+00:00') - AT),
    ).toEqual([250, 250, 250, 250, 250, 250]);
  });

  test('can have a month, a day and an hour of one digit', () => {
    expect(parseOrderTime('2026/1/7 5:30', '+00:00')).toBe(Date.parse('2026-01-07T05:30:00Z'));
  });

  // biome-ignore format: one case a line
  test.each([[''], ['2026-02-30 00:30:00'], ['2026-11-17'], ['17.11.2026 00:30'], ['12345'], ['1.79E+12'], ['2026-11-17 25:00:00'], ['noon'], ['2026-11-17 0:3'], ['x1794875400'], ['1794875400.1234567890'], ['2026-11-17 00:30:00.'], ['x2026-11-17 00:30:00'], ['2026-11-17 00:30:00 CET']])('%j is none', (text) => {
    expect(parseOrderTime(text, '+00:00')).toBeNaN();
  });

  // biome-ignore format: one case a line
  test.each([
    ['UTC, if nothing says otherwise', 'time', undefined, '2026-11-17 00:30:00', '+00:00'],
    ['the zone in the heading', 'Time(UTC+8)', undefined, '2026-11-17 08:30:00', '+08:00'],
    ['the option before the heading', 'Time(UTC+8)', '-03:00', '2026-11-16 21:30:00', '-03:00'],
    ['UTC, if the heading says so', 'date_utc', undefined, '2026-11-17 00:30:00', '+00:00'],
    ['a zone of half an hour', 'Time (UTC-03:30)', undefined, '2026-11-16 21:00:00', '-03:30'],
    ['a zone without its colon', 'Time_UTC+1000', undefined, '2026-11-17 10:30:00', '+10:00'],
    ['none, if every time has its own', 'Time(UTC+8)', undefined, '2026-11-17T00:30:00Z', undefined],
  ])('is read in %s', (_name, heading, zone, time, assumed) => {
    const list = read(`uid,order_id,${heading}\n1,${ID},${time}\n`, zone);
    expect([list.orders[0]?.placedAt, list.assumedZone]).toEqual([AT, assumed]);
  });
});

describe('a damaged order list is rejected, with its lines', () => {
  const rows = (ids: readonly string[]) =>
    `uid,orderId,time\n${ids.map((id, index) => `1,${id},${AT + index}`).join('\n')}\n`;
  const BY_SPREADSHEET =
    'A spreadsheet keeps only 15 digits of a number. Export the list again and do not save it in a spreadsheet, or format the column as text there before the import.';

  // biome-ignore format: one case a line
  test.each([
    ['exponents', ['5.90481E+17', ID], `FILE has invalid lines:\nLine 2: "5.90481E+17" is an order id that a spreadsheet has shortened.\n${BY_SPREADSHEET}`],
    ['15 digits', ['590480926522704000', '590480926522705000'], `FILE has rounded order ids: 2 of 2 ids of more than 15 digits end in zeros:\nLine 2: 590480926522704000.\nLine 3: 590480926522705000.\n${BY_SPREADSHEET}`],
    ['one line of 15 digits', ['590480926522704000'], /1 of 1 ids/],
    ['digits of a floating-point number', ['590480926522704100', '590480926522714200', '590480926522724300'], /3 of 3 ids/],
    ['mostly rounded', ['590480926522704000', '590480926522705000', ID], /2 of 3 ids/],
  ])('%s', (_name, ids, expected) => {
    expect(failure(rows(ids))).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  // biome-ignore format: one case a line
  test.each([
    ['some zeros by chance', [ID, '590480926522704172', '590480926522704000']],
    ['16 digits with one zero', ['5904809265227040']],
    ['18 digits with two zeros', ['590480926522704100']],
    ['half of them rounded', ['590480926522704000', ID]],
    ['15 digits with zeros', ['590480926522000', '590480926523000']],
    ['short ids with zeros', ['1000', '2000', '3000']],
  ])('%s are accepted', (_name, ids) => {
    expect(read(rows(ids)).orders).toHaveLength(ids.length);
  });

  test('different lines with the same order id', () => {
    const lines = [`1,${ID},buy,${AT}`, `1,7,buy,${AT}`, `1,${ID},sell,${AT}`, `2,7,buy,${AT}`];
    expect(failure(`uid,orderId,side,time\n${lines.join('\n')}\n`)).toMatch(
      new RegExp(
        `^FILE has different lines with the same order id:\nLines 2 and 4: ${ID}\\.\nLines 3 and 5: 7\\.\nAn order list has one line per order`,
      ),
    );
  });

  test('equal lines are merged and counted', () => {
    const line = `1,${ID},${AT}\n`;
    expect(read(`uid,orderId,time\n${line.repeat(3)}`)).toMatchObject({ orders: [{ orderId: ID }], merged: 2 });
  });

  test('ids in the forms that a spreadsheet keeps are accepted', () => {
    const { orders } = read(`uid,orderId,time\n1,"=""${ID}""",${AT}\n1,'590480926522704172,${AT}\n`);
    expect(orders.map(({ orderId }) => orderId)).toEqual([ID, '590480926522704172']);
  });

  test('all invalid lines are counted, ten are named', () => {
    const text = failure(rows(['0', '01', '5.0', '9223372036854775808', '', ...Array.from({ length: 8 }, () => 'x')]));
    expect(text).toContain('Line 2: "0" is not an order id, an integer from 1 to 9223372036854775807.');
    expect(text).toContain('\nand 3 more.\n');
    expect(text).toMatch(/\nCorrect them: an order that is missing here would be missing in the coverage\.$/);
    expect(failure(rows(Array.from({ length: 10 }, () => 'x')))).not.toContain('more');
  });

  test('lines with another number of cells are named among the others, by their lines', () => {
    expect(failure(`uid,orderId,time\n1,x,${AT}\n1,${ID}\n1,y,${AT}\n`)).toMatch(/^Line 2: .*\nLine 3: .*\nLine 4: /m);
  });

  test('times without seconds are counted, of merged lines once', () => {
    const line = `1,${ID},2026-11-17 00:30\n`;
    expect(read(`uid,orderId,time\n${line}${line}1,7,2026-11-17 00:30:00\n1,8,${AT}\n`)).toMatchObject({
      withoutSeconds: 1,
      merged: 1,
    });
  });

  // biome-ignore format: one case a line
  test.each([
    ['01', '2026-11-17 00:30:00', '"01" is not a UID, a decimal number without leading zeros.'],
    ['1', '2026-11-17', '"2026-11-17" is a day without a time.'],
    ['1', '11/12/2026 00:30', '"11/12/2026 00:30" can be two dates: write the year first, such as 2026-11-17 00:30:00.'],
    ['1', '1.79488E+12', '"1.79488E+12" is a time that a spreadsheet has shortened.'],
    ['1', 'noon', '"noon" is not a time, such as 2026-11-17T00:30:00Z, 2026-11-17 00:30:00 or milliseconds since 1970.'],
  ])('UID %s at %s', (uid, time, problem) => {
    expect(failure(`uid,orderId,time\n${uid},5,${time}\n`)).toContain(`Line 2: ${problem}\n`);
  });
});
