import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkUids } from '../../../../cli/review/orders/checkLines.ts';
import type { Order } from '../../../../cli/review/orders/order.ts';
import { findOrderColumns } from '../../../../cli/review/orders/orderColumns.ts';
import { openOrderLines } from '../../../../cli/review/orders/orderLines.ts';
import { NAMES, STATES, TRADE_COLUMNS, TRADE_TIMES } from '../../../../cli/review/orders/orderWords.ts';
import { comparable } from '../../../../cli/shell/text/comparable.ts';
import { parseOrderTime } from '../../../../cli/shell/text/time.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { openReader } from './readList.ts';

const { failure, read } = await openReader();

const folder = temporaryFolder();

/** Returns what every order has. */
const idsOf = ({ orders }: { orders: readonly Order[] }) =>
  orders.map(({ uid, orderId, placedAt }) => ({ uid, orderId, placedAt }));

const columnsOf = (heads: string) => findOrderColumns('FILE', heads.split(','), false);

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
    const { places, headings, ignored } = columnsOf(heads);
    expect([places.uid, places.orderId, places.time, headings.orderId, ignored]).toEqual([1, 2, 3, orderId, []]);
  });

  test('come in any order, with semicolons or tabs, and others are ignored', async () => {
    const { orders, columns } = await read(`symbol;time;id;order_id;uid;side;fee\nBTC;${AT};1;${ID};1;buy;3\n`);
    expect(orders).toMatchObject([{ uid: '1', orderId: ID, placedAt: AT, symbol: 'BTC', side: 'buy' }]);
    expect(columns.ignored).toEqual(['id', 'fee']);
    expect((await read(`time\torder_id\tuid\n${AT}\t${ID}\t1\n`)).orders).toHaveLength(1);
  });

  // biome-ignore format: one case a line
  test.each([
    ['tradeSide', 'open', 'buy'],
    ['tradeSide', 'close', 'buy close'],
    ['Reduce Only', 'false', 'buy'],
    ['reduceOnly', 'True', 'buy close'],
    ['开平', '平仓', 'buy close'],
  ])('a side is that of an end of a position, if %s is %s', async (name, value, side) => {
    const { orders, columns } = await read(`uid,order_id,time,side,${name}\n1,${ID},${AT},buy,${value}\n`);
    expect([orders[0]?.side, columns.ignored]).toEqual([side, []]);
  });

  test('may have separators within quotation marks', async () => {
    const list = await read(`uid,"Fee (USDT, USDC)","Order ID",time\n1,"0.1, 0",${ID},${AT}\n`);
    expect(idsOf(list)).toEqual([{ uid: '1', orderId: ID, placedAt: AT }]);
    expect(list.columns.ignored).toEqual(['Fee (USDT, USDC)']);
  });

  // biome-ignore format: one case a line
  test.each([
    ['missing', 'uid,client_oid,time\n1,5,1', 'FILE has no column orderId. It has: uid, client_oid, time.\nA line must name its columns, in any case and punctuation: orderId (or ordid, orderno, ordernumber, ordernum, orderidstr …).'],
    ['the UID missing', 'order_id,time\n1,5', /A list of one account needs none: give --uid UID, or drop the list onto the page of the console\.$/],
    ['the UID missing, below other lines', 'sep=,\n\nOrders of one account\nA note, with a comma\norder_id,time,fee\n1,5,0\n', /^FILE has no column uid\. It has: order_id, time, fee\./],
    ['all missing, below blank lines', 'sep=;\n\nfee;note\n', /^FILE has no column uid, orderId, time\. It has: fee, note\./],
    ['trades', 'uid,id,time,symbol,takerOrMaker\n1,5,1,BTC,taker', 'FILE looks like a list of trades by "takerOrMaker", and "id" can be the id of a trade.\nName the column that holds the ids of orders order_id, also if it is "id". Without one, export the orders.'],
    ['two missing', 'uid,client_oid\n1,5', /^FILE has no column orderId, time\. It has: uid, client_oid\./],
    ['twice', 'uid,order_id,orderId,time\n1,5,6,1', 'FILE has two columns for the orderId: "order_id" and "orderId".\nRemove one.'],
    ['without lines', 'uid,orderId,time\n', 'FILE has no lines below its column names.\nundefined'],
    ['an empty file', '', 'FILE is empty.\nundefined'],
    ['a NUL', 'uid,orderId,time\n1,5,1\0\n', /^FILE is not UTF-8: line 2 looks like UTF-16/],
    ['Latin-1', Buffer.from('uid,orderId,time,n\xf6te\n', 'latin1'), /^FILE is not UTF-8: line 1 looks like Latin-1/],
  ])('%s: rejected', async (_name, content, expected) => {
    expect(await failure(content)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });
});

/** Texts of the same time, and of others with their distance to it in milliseconds. */
// biome-ignore format: few lines
const TIMES: readonly (readonly [text: string, after?: number])[] = [
  ['2026-11-17T00:30:00Z'], ['2026-11-17T00:30:00.000Z'], ['2026-11-17 00:30:00'], ['2026-11-17 00:30'], ['2026/11/17 0:30:00'],
  ['2026-11-17 00:30:00.000000'], ['2026-11-17 00:30:00 UTC'], ['26-11-17 00:30:00'], ['2026-11-17T08:30:00+08:00'], ['2026-11-17 08:30:00+0800'],
  ['2026-11-17 00:30:00 GMT'], ['2026-11-17T08:30:00+08'], ['2026-11-16 21:30:00 -03'], ['2026-11-17T00:30:00z'], ['2026-11-17 00:30:00utc'], ['2026-11-16 21:00:00-0330'], ['2026-11-16 21:00:00 -03:30'],
  ['1794875400'], ['1794875400.0'], ['1794875400000'], ['1794875400000000'],
  ['1794875400.25', 250], ['1794875400250', 250], ['1794875400250999', 250], ['2026-11-17 00:30:00.25', 250], ['2026-11-17 00:30:00,25', 250],
  ['2026-11-17 00:30:00.250999999', 250], ['2026/1/7 5:30', Date.parse('2026-01-07T05:30:00Z') - AT], ['2026-11-17 24:00:00', 23.5 * 3_600_000],
];
// biome-ignore format: few lines
const NO_TIMES = ['', '2026-02-30 00:30:00', '2026-11-17', '17.11.2026 00:30', '17-11-26 00:30:00', '26/11/17 00:30:00', '12345', '1.79E+12', '2026-11-17 25:00:00', 'noon', '2026-11-17 0:3', 'x1794875400', '1794875400.1234567890', '2026-11-17 00:30:00.', 'x2026-11-17 00:30:00', '2026-11-17 00:30:00 CET', '2026-11-17 00:30:00+24:00', '2026-11-17 00:30:00+24', '2026-11-17 23:59:60'];

describe('a list with only an id', () => {
  // biome-ignore format: the columns of exchanges and their APIs
  const OF_TRADES = ['tradeId', 'trade_id', 'Trade ID', 'trade', 'execId', 'match-id', 'takerOrMaker', 'isBuyerMaker', 'is_maker', 'Maker', 'liquidity', 'Role', 'execType', 'tradeScope', 'isBestMatch', 'commissionAsset', 'Trade Price(USDT)', '成交编号', '成交角色', '約定番号'];

  test.each(OF_TRADES)('and %s is one of trades, which no log names', (heading) => {
    expect(() => columnsOf(`uid,id,time,${heading}`)).toThrow(`looks like a list of trades by "${heading}"`);
    for (const id of ['order_id', 'order']) expect(columnsOf(`uid,id,${id},time,${heading}`).places.orderId).toBe(3);
  });

  test.each(['Trade Time', 'fill_time', 'Trade Time(UTC+8)', 'Trade Time UTC+8', '成交时间', '約定日時'])(
    'and %s is one of trades',
    (time) => {
      expect(() => columnsOf(`uid,ID,${time}`)).toThrow(`looks like a list of trades by "${time}"`);
    },
  );

  test.each(['trades', 'fills', 'fillList', 'deals'])('in the JSON list %s is one of trades', async (name) => {
    expect(await failure(`{"data":{"${name}":[{"id":5,"time":${AT},"symbol":"BTC"}]}}`, undefined, '1')).toContain(
      `looks like a list of trades by "${name}"`,
    );
    const named = `{"data":{"${name}":[{"order_id":5,"time":${AT},"symbol":"BTC"}]}}`;
    expect((await read(named, undefined, '1')).orders).toMatchObject([{ orderId: '5' }]);
  });

  test.each(['trades', 'fee', 'fee_currency', 'Trade Type', 'type', 'status'])('and %s is one of orders', (heading) => {
    expect(columnsOf(`uid,id,time,${heading}`).headings.orderId).toBe('id');
  });
});

describe('the columns in another language', () => {
  // biome-ignore format: one language a line
  test.each([
    ['French', "N° d'ordre;Date de l'ordre;Paire;Type;Côté;Prix;Quantité;Exécuté;Statut"],
    ['French, in other words', "Identifiant de l'ordre;Date et heure;Symbole;Type;Sens;Prix de l'ordre;Quantité;Quantité exécutée;État"],
    ['Japanese', '注文番号;注文日時;銘柄;タイプ;売買区分;価格;注文数量;約定数量;ステータス'],
    ['Japanese, in other words', '注文ID;日時(日本時間);通貨ペア;種別;売買;注文価格;数量;約定量;状態'],
    ['Spanish', 'ID de orden;Fecha y hora;Par;Tipo;Lado;Precio;Cantidad;Ejecutado;Estado'],
    ['German', 'Auftragsnummer;Zeit;Handelspaar;Typ;Seite;Preis;Menge;Ausgeführt;Status'],
    ['Korean', '주문번호;주문시간;마켓;유형;매매구분;주문가격;주문수량;체결수량;상태'],
    ['Portuguese', 'ID da ordem;Data e hora;Par;Tipo;Lado;Preço;Quantidade;Executado;Situação'],
    ['Russian', '№ ордера;Время (МСК);Пара;Тип;Сторона;Цена;Количество;Исполнено;Статус'],
  ])('%s', (_language, heads) => {
    const { headings, ignored } = findOrderColumns('FILE', heads.split(';'), true);
    const { orderId, time, symbol, side, price, size, filled, status } = headings;
    const [type = ''] = ignored;
    expect([orderId, time, symbol, type, side, price, size, filled, status].join(';')).toBe(heads);
  });

  test.each(['ユーザーID', 'Identifiant utilisateur', 'Benutzer-ID', 'ID de usuario', '사용자 ID', 'ID пользователя'])(
    '%s is the UID',
    (heading) => {
      expect(columnsOf(`${heading},id,time`).headings.uid).toBe(heading);
    },
  );

  test('are written as headings are compared', () => {
    for (const names of [...Object.values(NAMES), TRADE_COLUMNS, TRADE_TIMES, ...Object.values(STATES)])
      expect(names).toEqual(names.map(comparable));
  });
});

describe('the time of an order', () => {
  test('has many forms, the same in a list as in an option', async () => {
    const expected = TIMES.map(([, after = 0]) => AT + after);
    expect(TIMES.map(([text]) => parseOrderTime(text, '+00:00'))).toEqual(expected);
    const { orders } = await read(`uid;id;time\n${TIMES.map(([text], index) => `1;${index + 1};${text}\n`).join('')}`);
    expect(orders.map(({ placedAt }) => placedAt)).toEqual(expected);
  });

  test('is none of these', async () => {
    for (const text of NO_TIMES) expect([text, parseOrderTime(text, '+00:00')]).toEqual([text, Number.NaN]);
    const list = (texts: readonly string[]) => `uid;id;time\n${texts.map((text) => `1;5;${text}\n`).join('')}`;
    for (const texts of [NO_TIMES.slice(0, 10), NO_TIMES.slice(10)]) {
      expect((await failure(list(texts))).match(/^Line /gm)).toHaveLength(texts.length);
    }
  });

  // biome-ignore format: one case a line
  test.each([
    ['UTC, if nothing says otherwise', 'time', undefined, '2026-11-17 00:30:00', '+00:00 '],
    ['the zone in the heading', 'Time(UTC+8)', undefined, '2026-11-17 08:30:00', '+08:00 the heading "Time(UTC+8)"'],
    ['the option before the heading', 'Time(UTC+8)', '-03:00', '2026-11-16 21:30:00', '-03:00 --time-zone'],
    ['UTC, if the heading says so', 'date_utc', undefined, '2026-11-17 00:30:00', '+00:00 the heading "date_utc"'],
    ['GMT as UTC', 'Time(GMT+8)', undefined, '2026-11-17 08:30:00', '+08:00 the heading "Time(GMT+8)"'],
    ['a zone of half an hour', 'Time (UTC-03:30)', undefined, '2026-11-16 21:00:00', '-03:30 the heading "Time (UTC-03:30)"'],
    ['a zone without its colon', 'Time_UTC+1000', undefined, '2026-11-17 10:30:00', '+10:00 the heading "Time_UTC+1000"'],
    ['none, if every time has its own', 'Time(UTC+8)', undefined, '2026-11-17T00:30:00Z', undefined],
    ['none, if the times are those since 1970', 'Time(CST)', undefined, '1794875400', undefined],
  ])('is read in %s', async (_name, heading, zone, time, assumed) => {
    const list = await read(`uid,order_id,${heading}\n1,${ID},${time}\n`, zone);
    const [used] = list.zones.map((one) => `${one.zone} ${one.from}`);
    expect([list.orders[0]?.placedAt, used]).toEqual([AT, assumed]);
  });
});

describe('a damaged order list is rejected, with its lines', () => {
  const rows = (ids: readonly string[]) =>
    `uid,orderId,time\n${ids.map((id, index) => `1,"${id}",${AT + index}`).join('\n')}\n`;
  const BY_SPREADSHEET =
    'A spreadsheet keeps only 15 digits of a number. Export the list again and do not save it in a spreadsheet, or format the column as text there before the import.';

  // biome-ignore format: one case a line
  test.each([
    ['an exponent without a point', ['590481E17'], /"590481E17" is an order id that a spreadsheet has shortened/],
    ['an exponent with a comma', ['5,90481E+17'], /"5,90481E\+17" is an order id that a spreadsheet has shortened/],
    ['exponents', ['5.90481E+17', ID], `FILE has invalid lines:\nLine 2: "5.90481E+17" is an order id that a spreadsheet has shortened.\n${BY_SPREADSHEET}`],
    ['ids of Kraken', ['O6ZQWC-ABCDE-FGHIJK', 'O6ZQWC-ABCDE-FGHIJL', 'O6ZQWC-ABCDE-FGHIJM'], 'FILE has order ids that are not the integers that the interface of the competition demands: line 2 has "O6ZQWC-ABCDE-FGHIJK".\nInvalid lines: 3. An order id is an integer from 1 to 9223372036854775807: no log can name another one. If a column has such ids, name only that one order_id.'],
    ['ids of KuCoin, below one', [ID, '670fd33bf9406e0007ab3945'], /demands: line 3 has "670fd33bf9406e0007ab3945"\.\nInvalid lines: 1\./],
    ['ids of Bybit', ['fd4300ae-7847-404e-b947-b46980a4d140'], /demands: line 2 has "fd4300ae-/],
    ['such ids beside other errors', ['fd4300ae-7847-404e-b947-b46980a4d140', 'x'], /invalid lines:\nLine 2: "fd4300ae.*\nLine 3: "x"/],
    ['15 digits', ['590480926522704000', '590480926522705000'], `FILE has rounded order ids: 2 of 2 ids of more than 15 digits end in zeros:\nLine 2: 590480926522704000.\nLine 3: 590480926522705000.\n${BY_SPREADSHEET}`],
    ['one line of 15 digits', ['590480926522704000'], /1 of 1 ids/],
    ['digits of a floating-point number', ['590480926522704100', '590480926522714200', '590480926522724300'], /3 of 3 ids/],
    ['mostly rounded', ['590480926522704000', '590480926522705000', ID], /2 of 3 ids/],
  ])('%s', async (_name, ids, expected) => {
    expect(await failure(rows(ids))).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  // biome-ignore format: one case a line
  test.each([
    ['some zeros by chance', [ID, '590480926522704172', '590480926522704000']],
    ['16 digits with one zero', ['5904809265227040']],
    ['18 digits with two zeros', ['590480926522704100']],
    ['half of them rounded', ['590480926522704000', ID]],
    ['15 digits with zeros', ['590480926522000', '590480926523000']],
    ['short ids with zeros', ['1000', '2000', '3000']],
  ])('%s are accepted', async (_name, ids) => {
    expect((await read(rows(ids))).orders).toHaveLength(ids.length);
  });

  test('different lines with the same order id', async () => {
    const lines = [`1,${ID},buy,${AT}`, `1,7,buy,${AT}`, `1,${ID},sell,${AT}`, `2,7,buy,${AT}`];
    expect(await failure(`uid,orderId,side,time\n${lines.join('\n')}\n`)).toMatch(
      new RegExp(
        `^FILE has different lines with the same order id:\nLines 2 and 4: ${ID}\\.\nLines 3 and 5: 7\\.\nAn order list has one line per order`,
      ),
    );
  });

  test('equal lines are merged and counted', async () => {
    const line = `1,${ID},${AT}\n`;
    expect(await read(`uid,orderId,time\n${line.repeat(3)}`)).toMatchObject({ orders: [{ orderId: ID }], merged: 2 });
  });

  test('ids in the forms that a spreadsheet keeps are accepted', async () => {
    const idOf = (end: number) => `5904809265227041${end}`;
    const cells = [`"=""${idOf(71)}"""`, `'${idOf(72)}`, `="${idOf(73)}"`, ` ="${idOf(74)}" `];
    const notes = ['a', '"b, c"', '"d ""e"", f"', '', '="7"'];
    const lines = cells.flatMap((cell, at) => `="1",${cell},${AT},${notes[at]}\n`);
    const { orders } = await read(`uid,orderId,time,note\n${lines.join('')}="1",="${idOf(75)}","${AT}","g, ""h"""\n`);
    expect(orders.map(({ uid, orderId }) => [uid, orderId])).toEqual(
      [71, 72, 73, 74, 75].map((end) => ['1', idOf(end)]),
    );
    expect(await failure(`uid,orderId,time\n1,="${ID},${AT}\n`)).toContain('is not CSV, line 2');
  });

  test('all invalid lines are counted, ten are named', async () => {
    const text = await failure(
      rows(['0', '01', '5.0', '9223372036854775808', '', ...Array.from({ length: 8 }, () => 'x')]),
    );
    expect(text).toContain('Line 2: "0" is not an order id, an integer from 1 to 9223372036854775807.');
    expect(text).toContain('\nand 3 more.\n');
    expect(text).toMatch(/\nCorrect them: an order that is missing here would be missing in the coverage\.$/);
    expect(await failure(rows(Array.from({ length: 10 }, () => 'x')))).not.toContain('more');
  });

  test('lines with another number of cells are named among the others, by their lines', async () => {
    expect(await failure(`uid,orderId,time\n1,x,${AT}\n1,${ID}\n1,y,${AT}\n`)).toMatch(
      /^Line 2: .*\nLine 3: .*\nLine 4: /m,
    );
    for (const [line, cells] of [
      [`1,5,${AT},`, 4],
      ['1,5', 2],
    ])
      expect(await failure(`uid,orderId,time\n${line}\n`)).toContain(
        `Line 2: cells: ${cells}, but columns in the first line: 3.\n`,
      );
  });

  test('times without seconds are counted, of merged lines once', async () => {
    const line = `1,${ID},2026-11-17 00:30\n`;
    expect(await read(`uid,orderId,time\n${line}${line}1,7,2026-11-17 00:30:00\n1,8,${AT}\n`)).toMatchObject({
      withoutSeconds: 1,
      merged: 1,
    });
  });

  // biome-ignore format: one case a line
  const INVALID = [
    ['01', '2026-11-17 00:30:00', '"01" is not a UID, a decimal number without leading zeros.'],
    ['1', '2026-11-17', '"2026-11-17" is a day without a time.'],
    ['1', '11/12/2026 00:30', '"11/12/2026 00:30" can be two dates: write the year first, such as 2026-11-17 00:30:00.'],
    ['1', '17/11/26 00:30', '"17/11/26 00:30" can be two dates: write the year first, such as 2026-11-17 00:30:00.'],
    ['1', '1.79488E+12', '"1.79488E+12" is a time that a spreadsheet has shortened.'],
    ['1.00123E+09', '2026-11-17 00:30:00', '"1.00123E+09" is a UID that a spreadsheet has shortened.'],
    ['1', '2569-11-17 00:30:00', '"2569-11-17 00:30:00" is not a time, such as 2026-11-17T00:30:00Z, 2026-11-17 00:30:00 or milliseconds since 1970.'],
    ['1', 'noon', '"noon" is not a time, such as 2026-11-17T00:30:00Z, 2026-11-17 00:30:00 or milliseconds since 1970.'],
  ] as const;

  test('by what is wrong in each line', async () => {
    const lines = INVALID.map(([uid, time]) => `${uid},5,${time}\n`);
    const said = await failure(`uid,orderId,time\n${lines.join('')}`);
    for (const [n, [, , problem]] of INVALID.entries()) expect(said).toContain(`Line ${n + 2}: ${problem}\n`);
  });
});

describe('the exports of exchanges', () => {
  // biome-ignore format: one case a line
  test.each<[string, string, object]>([
    ['Binance', `"Date(UTC)","OrderNo","Pair","Type","Side","Order Price","Order Amount","Filled","status"\n"2026-11-17 00:30:00","${ID}","BTCUSDT","Limit","BUY","91250.5","0.2BTC","0.2BTC","FILLED"\n`,
      { symbol: 'BTCUSDT', side: 'BUY', price: 91_250.5, size: 0.2, cancelled: false }],
    ['OKX', `\ufeffUID:1234,Account Type:Trading\n\nOrder id,Order Time,Instrument,Side,Price,Amount,Filled,Status\n${ID},2026-11-17 00:30:00,BTC-USDT-SWAP,sell,"91,250",3,0,Canceled\n`,
      { symbol: 'BTC-USDT-SWAP', side: 'sell', price: 91_250, size: 3, cancelled: true }],
    ['Bybit', `UID: 1234\nContracts,Direction,Qty,Order Price,Filled Qty,Order Status,Order No.,Order Time(UTC+8)\nBTCUSDT,Open Long,1.5,91000,0.5,Cancelled,${ID},2026-11-17 08:30:00\n`,
      { symbol: 'BTCUSDT', side: 'Open Long', size: 1.5, price: 91_000, cancelled: false }],
    ['WEEX', `Order ID;Futures;Direction;Order time;Price;Quantity;Status\n${ID};BTC/USDT;Open short;26-11-17 00:30:00;91000;2;Filled\n`,
      { symbol: 'BTC/USDT', side: 'Open short', size: 2, cancelled: false }],
    ['JSON', `{"code":"0","data":[{"ordId":${ID},"cTime":"${AT}","instId":"BTC-USDT","side":"buy","sz":"2","px":91000,"state":"filled"}]}`,
      { symbol: 'BTC-USDT', side: 'buy', size: 2, price: 91_000, cancelled: false }],
  ])('%s', async (_name, content, expected) => {
    const { orders } = await read(content, undefined, '1');
    expect(orders).toMatchObject([{ uid: '1', orderId: ID, placedAt: AT, ...expected }]);
  });

  /** Reads orders that differ in one column. @returns what was read of each, in their order */
  async function readColumn(head: string, cells: readonly string[]) {
    const lines = cells.map((cell, at) => `1;${at + 1};${AT};${cell}\n`);
    return (await read(`uid;order_id;time;${head}\n${lines.join('')}`)).orders;
  }

  test('the size in a cell', async () => {
    // biome-ignore format: several a line
    const sizes: readonly (readonly [string, number | null])[] = [
      ['1234.5', 1234.5], ['0.2BTC', 0.2], ['.5', 0.5], ['1.', 1], ['-3', -3], ['1e5', 1e5], ['"\'123456789012"', 123456789012],
      // These can be read in two ways, so they are no sizes.
      ['1 234.5', null], ['1_000', null], ["1'000", null], ['', null], ['-', null], ['$5', null], ['9'.repeat(400), null],
    ];
    const orders = await readColumn(
      'size',
      sizes.map(([cell]) => cell),
    );
    expect(orders.map(({ size }, at) => [sizes[at]?.[0], size])).toEqual(sizes);
  });

  test.each([
    ['1,234.5 BTC', 1234.5],
    ['0,5', null],
    ['1.234,56', null],
  ])('the size in %j, which others in its column could explain, is %s', async (cell, size) => {
    expect(await readColumn('size', [cell])).toMatchObject([{ size }]);
  });

  // biome-ignore format: one case a line
  test.each<[string, string, readonly string[], readonly (number | null)[], readonly object[]]>([
    ['commas beside a decimal comma are none', ';', ['1,500', '0,5', '2', '1,250 BTC'], [null, null, 2, null], [{ cells: 3, line: 2, text: '1,500' }]],
    ['commas without any sign of what they are are none between semicolons', ';', ['1,500', '2'], [null, 2], [{ cells: 1, line: 2, text: '1,500' }]],
    ['commas are between thousands if one number shows it', ';', ['1,500', '1,234.5'], [1500, 1234.5], []],
    ['commas are between thousands if a number has two', '\t', ['1,500', '-1,234,567'], [1500, -1_234_567], []],
    ['commas are none if the numbers show both', ';', ['1,500', '1,234.5', '0,5'], [null, 1234.5, null], [{ cells: 2, line: 2, text: '1,500' }]],
    ['commas are between thousands in a list with commas', ',', ['1,500', '2'], [1500, 2], []],
    ['commas are none in a list with commas beside a decimal comma', ',', ['2', '1,500', '12,25'], [2, null, null], [{ cells: 2, line: 3, text: '1,500' }]],
    ['text with a comma shows nothing', ',', ['1,500 A,B', '-, none'], [1500, null], []],
  ])('in a column of sizes, %s', async (_name, separator, cells, sizes, unclear) => {
    const lines = cells.map((cell, place) => ['1', BigInt(ID) + BigInt(place), AT, `"${cell}"`].join(separator));
    const list = await read([['uid', 'id', 'time', 'qty'].join(separator), ...lines, ''].join('\n'));
    expect(list.orders.map(({ size }) => size)).toEqual(sizes);
    expect(list.unclear).toEqual(unclear);
  });

  test('a null in JSON is an empty cell, and line feeds are blanks', async () => {
    const { orders } = await read(
      `[{"uid":1,"orderId":${ID},"time":${AT},"symbol":null,"side":"a\\n\\"b\\",c","note":[null]}]`,
    );
    expect(orders).toMatchObject([{ orderId: ID, symbol: '', side: 'a "b",c' }]);
  });

  test('orders of a JSON list may each have other names', async () => {
    const order = (place: number) => `{"uid":1,"orderId":${place + 1},"time":${AT},"${place}":{"a":[]}}`;
    const orders = Array.from({ length: 3000 }, (_, place) => order(place));
    const list = await read(`{"page":{"of":[{}]},"rows":[${[...orders, order(1)]}],"next":[{"uid":2}]}`);
    expect([list.orders.length, list.merged, list.columns.ignored.length]).toEqual([3000, 1, 3000]);
    expect(await failure(`[{${Array.from({ length: 40 }, (_, place) => `"n${place}":1`)}}]`)).toMatch(
      /n29, and 10 more\.\n/,
    );
    expect(await failure(`[${order(1)},${order(1).replace('[]', '[1]')}]`)).toContain('Lines 1 and 2: 2.');
  });

  // biome-ignore format: one case a line
  test.each([
    ['[{"uid":1} {"uid":2}]', 'is not JSON: '],
    ['[{"uid":1},]', 'is not JSON: '],
    ['[{"uid":1}]x', 'is not JSON: Unexpected non-whitespace character after JSON, after 1 order.'],
    ['[{"uid":1},{"uid":1,}]', 'is not JSON: Expected double-quoted property name, after 1 order.'],
    ['{"rows":3 "list":4}', 'is not JSON: '],
    ['{"uid":1}', 'has no list of orders.'],
    ['{"orderId":1,"time":1}\n{"orderId":2,"time":1}', 'has no column uid. It has: orderId, time.'],
    ['[1,2]', 'has no list of orders.'],
    [`[{"uid":1}${' '.repeat(1_050_000)}]`, 'has no list of orders.'],
    [`[{"uid":1},${' '.repeat(1_050_000)}2]`, 'has no list of orders.'],
    ['[{"uid":1}', 'is not JSON: '],
    ['[{"uid":1,}]', 'is not JSON: '],
    ['{"rows":', 'is not JSON: '],
    ['[{"uid":1},2]', 'has no list of orders.'],
    ['["a",{"uid":1}]', 'has no list of orders.'],
    ['{"rows":[]}', 'has no list of orders.'],
    ['{"rows":{"list":[{"uid":1}]}}', 'has no column orderId, time. It has: uid.'],
    ['{"data":[{"uid":1,"id":5,"time":1},2]}', 'has no list of orders.'],
    ['{"uid":1}\n{"uid":2', 'is not JSON: '],
    ['{"uid":1,"id":5,"time":1,"data":{"uid":1,"orderId":7,"time":1,"symbol":"BTC"}}', 'has no list of orders.'],
    ['{"open":[{"uid":1,"id":5,"time":1}],"done":{"list":[{"uid":1,"id":6,"time":1}]}}', 'has several lists of orders: open, done.list.'],
    [`[{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`, 'has no list of orders.'],
    [`[{"a":"${'x'.repeat(65_536)}"}]`, 'has no list of orders.\nGive a JSON array of objects, each of at most 64 KiB'],
    [`[{${Array.from({ length: 6000 }, (_, n) => `"${n}":1`)}},{${Array.from({ length: 6000 }, (_, n) => `"x${n}":1`)}}]`, 'has no list of orders.'],
  ])('the JSON %.40s is refused', async (json, says) => {
    expect(await failure(json)).toContain(`FILE ${says}`);
  });

  test.each([
    ['one message', '{"uid":1,"id":5,"time":1,"data":[ORDER]}'],
    ['messages', '{"uid":1,"id":5,"time":1,"data":[ORDER]}\n{"uid":1,"id":6,"time":1,"data":[]}\n'],
  ])('orders within %s are those, not the messages', async (_what, json) => {
    const list = await read(json.replace('ORDER', `{"uid":1,"orderId":${ID},"time":${AT},"symbol":"BTC"}`));
    expect([idsOf(list), list.list]).toEqual([[{ uid: '1', orderId: ID, placedAt: AT }], 'data']);
  });

  test('an order is not a message because it says only when it was placed', async () => {
    const order = { uid: 1, orderId: 6, time: AT, states: [{ uid: 1, id: 5, time: AT }] };
    expect((await read(JSON.stringify([order]))).orders).toMatchObject([{ orderId: '6' }]);
  });

  test.each([
    ['is read', Array.from({ length: 5000 }, (_, place) => `{"uid":1,"orderId":${place + 1},"time":${AT}}`)],
    ['without objects is looked through', Array(50_000).fill('""')],
  ])('while a JSON list %s, an interruption is heard', async (_what, values) => {
    const path = join(folder, 'turns.json');
    writeFileSync(path, `[${values}]`);
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    for await (const _part of (await openOrderLines(path, false).catch(() => ({ parts: [] }))).parts);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(20);
  });

  test('a directory is named', async () => {
    await expect(openOrderLines(folder, false)).rejects.toThrow(`${folder} is a folder, not a file.`);
  });

  test('a quotation mark that is not closed is found', async () => {
    const path = join(folder, 'open.csv');
    writeFileSync(path, `uid,id,time\n1,5,"${'a'.repeat(17 * 1024 * 1024)}`);
    const { parts } = await openOrderLines(path, false);
    await expect(Array.fromAsync(parts)).rejects.toThrow(`${path} is not CSV, line 2: it is too long, or a quotation`);
  });

  test('lines end outside of quotation marks, wherever parts of the file end', async () => {
    const path = join(folder, 'quoted.csv');
    const record = (n: number) => `1,${n + 1},${AT},"${'a ""b"" \n c,'.repeat(n % 9)}"\n`;
    writeFileSync(path, `uid,id,time,note\n${Array.from({ length: 100_000 }, (_, n) => record(n)).join('')}`);
    const { parts } = await openOrderLines(path, false);
    const texts = (await Array.fromAsync(parts)).map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect([text.slice(-1), text.split('"').length % 2]).toEqual(['\n', 1]);
  });

  test.each([
    ['a character that is not UTF-8', Buffer.from([0xf6])],
    ['half a character at the end', Buffer.from([0xe5, 0x86])],
  ])('the line of %s is named, in whatever part of a large file it is', async (_name, wrong) => {
    const path = join(folder, 'latin1.csv');
    const line = `1,5,${AT},决策\n`;
    const count = Math.ceil((9 * 1024 * 1024) / Buffer.byteLength(line));
    writeFileSync(path, Buffer.concat([Buffer.from(`uid,id,time,note\n${line.repeat(count)}1,6,${AT},`), wrong]));
    const { parts } = await openOrderLines(path, false);
    await expect(Array.fromAsync(parts)).rejects.toThrow(`is not UTF-8: line ${count + 2} looks like Latin-1`);
  });

  test('a JSON list that is too large to be parsed is refused', async () => {
    const path = join(folder, 'large.json');
    writeFileSync(path, '[');
    truncateSync(path, 33 * 1024 * 1024);
    await expect(openOrderLines(path, false)).rejects.toThrow(`${path} is larger than 32 MiB.`);
  });

  test.each([
    ['carriage returns', '\r', 4],
    ['both, mixed', '\r\n', 4],
  ])('lines that end in %s keep their numbers', async (_name, end, line) => {
    const list = `uid,order_id,time\n1,${ID},${AT}${end}1,7,${AT}\n1,x,${AT}${end}`;
    expect(await failure(list)).toContain(`\nLine ${line}: "x" is not an order id`);
  });

  test('a cell can have line feeds, and a quotation mark that is not closed is named by its line', async () => {
    const head = `uid,order_id,time,note\n1,7,${AT},"a\nb, ""c"""\n`;
    expect((await read(`${head}1,8,${AT},\n`)).orders).toHaveLength(2);
    expect(await failure(`${head}1,x,${AT},\n`)).toContain('\nLine 4: "x" is not an order id');
    expect(await failure(`${head}1,8,${AT},"a\n1,9,${AT},\n`)).toMatch(/^FILE is not CSV, line 4: text stands beside/);
    expect(await failure(`${head}1,8,${AT},"a"b\n`)).toMatch(/^FILE is not CSV, line 4: text stands beside/);
  });

  test('blanks around cells do not count, quoted or not', async () => {
    const { orders, merged } = await read(
      `uid,order_id,time,symbol\n 1 ,${ID},\t${AT} , "BTC" \n1,${ID},${AT},BTC\n\n  \n`,
    );
    expect([orders, merged]).toEqual([[expect.objectContaining({ uid: '1', placedAt: AT, symbol: 'BTC' })], 1]);
  });

  test('a cell can end in another part of the file than it begins', async () => {
    const long = 'x'.repeat(8 * 1024 * 1024 - 100);
    const list = `uid,order_id,time,note\n1,7,${AT},"${long}\n${'y'.repeat(200)}"\n1,8,${AT},\n`;
    // The only wrong line is the last one.
    expect(await failure(`${list}1,x,${AT},\n`)).toMatch(/^FILE has invalid lines:\nLine 5: "x" is not.*\nCorrect/);
  });

  test('lines above the names are counted, and lines keep their numbers', async () => {
    const head = `Exported 2026-11-18\n\nuid,order_id,time\n`;
    expect(await read(`${head}1,${ID},${AT}\n`)).toMatchObject({
      preamble: 2,
      cancelled: 0,
      owners: [{ uid: '1', orders: 1, first: AT, last: AT }],
    });
    expect(await failure(`${head}1,x,${AT}\n`)).toContain('\nLine 4: "x" is not an order id');
  });
});

describe('a UID that no team has', () => {
  const known = new Set(['1001234567', '1001234567890123', '123456789012345678', '1999999999', '1234567', '7']);

  // biome-ignore format: several a line
  test.each([
    ['1001230000', '1001234567'], ['1001200000', '1001234567'], ['1000000000', '1001234567'], ['1001235000', '1001234567'], ['2000000000', '1999999999'], ['1999990000', '1999999999'],
    ['1001230000000000', '1001234567890123'], ['1001234567890120', '1001234567890123'], ['123456789012346000', '123456789012345678'], ['123456789012345680', '123456789012345678'],
  ])('looks rounded: %s of %s', (uid, exact) => {
    expect(() => checkUids(['5', uid], known)).toThrow(`The order lists have UIDs that look rounded:\n${uid}: a team has ${exact}.`);
  });

  // biome-ignore format: several a line
  test.each(['1230000', '1001240000', '1001234560', '100123000', '10012300000', '1001234000000001', '1001234567890110', '10', '0'])('is another one: %s', (uid) => {
    expect(() => checkUids([uid], known)).not.toThrow();
  });
});
