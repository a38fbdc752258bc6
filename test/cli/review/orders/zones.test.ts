import { describe, expect, test } from 'vitest';
import { findZone, labelOf, textOfName, type ZoneText } from '../../../../cli/review/orders/orderZones.ts';
import { isSameZone, offsetOf, zoneNamed } from '../../../../cli/shell/text/zones.ts';
import { openReader } from './readList.ts';

const { failure, read } = await openReader();

const AT = Date.parse('2026-11-17T12:30:00Z');

/** Returns the zone in a text, or the words that are not clear. */
function zoneIn(text: string, of?: Partial<ZoneText>): string | undefined {
  const { stated, question } = findZone([{ text, from: 'it', ...of }]);
  return stated?.zone ?? /(?<=: ").*?(?=" in it)/.exec(question ?? '')?.[0];
}

describe('a zone', () => {
  // biome-ignore format: one kind a line
  test.each([
    // Above the table.
    ['UID:1,\ufeffAccount Type:Main,\ufeffTime Zone:UTC+8', '+08:00'], ['Time Zone:UTC', '+00:00'], ['All times are in UTC.', '+00:00'], ['时区：UTC+8', '+08:00'],
    ['Timezone: GMT+05:30', '+05:30'], ['UTC−3:30', '-03:30'], ['UTC＋8', '+08:00'], ['(UTC+0800) Beijing, Hong Kong', '+08:00'], ['Time zone: +0900', '+09:00'], ['tz=-5', '-05:00'],
    ['Time Zone: Asia/Shanghai', 'Asia/Shanghai'], ['(UTC+01:00) Europe/Berlin', 'Europe/Berlin'], ['time zone America/Argentina/Buenos_Aires.', 'America/Buenos_Aires'], ['Etc/GMT-8', 'Etc/GMT-8'],
    ['所有时间均为北京时间', '+08:00'], ['Beijing Time', '+08:00'], ['Times are JST', '+09:00'], ['MSK', '+03:00'], ['Exported 2026-11-28 10:00:00 UTC+8', '+08:00'], ['UTC 10:00:00', '+00:00'], ['from 10:00 UTC - to 12:00', '+00:00'],
    ['Exported 2026-11-17T20:00:00+08:00', '+08:00'], ['Export time: 2026-11-17 20:00:00 -0500', '-05:00'],
    ['Time zone: UTC (+8)', '+08:00'], ['UTC offset: +08:00', '+08:00'], ['UTC: -5', '-05:00'], ['GMT plus 8', '+08:00'], ['UTC minus 3', '-03:00'], ['UTC: 10:00:00', '+00:00'],
    ['Zeitzone: +01:00', '+01:00'], ['タイムゾーン:+9', '+09:00'], ['Fuseau horaire : -5', '-05:00'], ['日本時間', '+09:00'], ['한국 시간', '+09:00'], ['МСК', '+03:00'],
    // Nobody knows which.
    ['UTC offset 8', 'UTC8'], ['MEZ', 'MEZ'], ['Heure locale', 'Heure local'], ['현지 시간', '현지 시간'],
    ['Time Zone: CST', 'CST'], ['Times are IST', 'IST'], ['BST', 'BST'], ['CET', 'CET'], ['Time Zone:Local', 'Local'], ['local time', 'local time'], ['本地时间', '本地时间'], ['UTC8', 'UTC8'], ['UTC+25', 'UTC+25'], ['UTC+5.5', 'UTC+5.5'],
    ['Time zone: Mars/Base', 'Mars/Base'], ['Asia/Atlantis', 'Asia/Atlantis'],
    // None.
    ['Orders of one account', undefined], ['FUTCASH', undefined], ['GMT-USDT', undefined], ['local orders', undefined], ['cst', undefined], ['Time,Zone', undefined],
  ])('in %j is %s', (text, zone) => {
    expect(zoneIn(text)).toBe(zone);
  });

  // biome-ignore format: one kind a line
  test.each([
    ['orders_UTC+8.csv', '+08:00'], ['orders-UTC+08-20261127.csv', '+08:00'], ['Order History(UTC+0).xlsx.csv', '+00:00'], ['orders-utc.csv', '+00:00'], ['orders-UTC-20261127.csv', '+00:00'], ['GMT+0800_orders.csv', '+08:00'], ['ordersUTC.csv', '+00:00'],
    ['orders_Asia_Shanghai.csv', 'Asia/Shanghai'], ['orders-Europe-Berlin-2026.csv', 'Europe/Berlin'], ['orders_America_New_York_2026.json', 'America/New_York'],
    ['orders-0800.csv', '-08:00'], ['orders_-0330.csv', '-03:30'], ['orders_+0800.csv', '+08:00'], ['orders+0530.csv', '+05:30'], ['20261127+0800.csv', '+08:00'], ['orders_+08.csv', '+08:00'], ['orders (+8).csv', '+08:00'], ['+9.csv', '+09:00'],
    ['orders(-8).csv', '-08:00'], ['orders_-08.csv', '-08:00'], ['orders-08-00.csv', '-08:00'], ['orders_+08-00.csv', '+08:00'], ['2026-11-27T10-00-00-0800.csv', '-08:00'], ['20261127T1000-0800.csv', '-08:00'], ['orders+5-45.csv', '+05:45'],
    ['orders GMT+8.csv', '+08:00'], ['orders UTC+08-00.csv', '+08:00'], ['orders UTC-08-00.csv', '-08:00'], ['orders_UTC+05_30.csv', '+05:30'], ['orders UTC+5h30.csv', '+05:30'], ['orders UTC+08-30.csv', '+08:00'], ['orders(UTC+8).csv', '+08:00'],
    ['UTC_plus_8.csv', '+08:00'], ['ordersUTCminus3.csv', '-03:00'], ['orders UTC%2B8.csv', '+08:00'], ['Asia-Shanghai.csv', 'Asia/Shanghai'], ['orders-asia-tokyo.csv', 'Asia/Tokyo'], ['America-New-York.csv', 'America/New_York'],
    // These can be counts, copies, days or times of the export.
    ['orders-1000.csv', '-1000'], ['orders-0330.csv', '-0330'], ['orders_20261127-0800.csv', '-0800'], ['2026-11-27-08-00.csv', '-08-00'], ['orders+8.csv', '+8'], ['orders_-8.csv', '-8'], ['UTC-03-30.csv', 'UTC-03-3'],
    ['orders-1127.csv', undefined], ['orders-2026.csv', undefined], ['1001-1200.csv', undefined], ['orders-1.csv', undefined], ['orders-08.csv', undefined], ['2026-11-27_10-00-00.csv', undefined], ['2026-11-27-08-00-00.csv', undefined],
    ['3f2b9c1e-0800-4e3a-9f00-aa.csv', undefined], ['BTC+2026.csv', undefined], ['orders+0817.csv', undefined], ['orders-1530.csv', undefined], ['orders-1300.csv', undefined], ['orders-0745.csv', undefined], ['orders-08-27.csv', undefined],
    ['orders-CST.csv', 'CST'], ['orders_UTC_8.csv', 'UTC 8'], ['orders-UTC8.csv', 'UTC8'], ['UTC-11-27.csv', 'UTC-11-2'],
    ['orders.csv', undefined], ['BTC-USDT.csv', undefined], ['Asia.csv', undefined], ['orders-Asia-Pacific.csv', undefined], ['Africa_Dar_es_Salaam_2026.csv', 'Africa/Dar_es_Salaam'],
  ])('in the name %s is %s', (name, zone) => {
    expect(zoneIn(textOfName(name), { isName: true })).toBe(zone);
  });

  // biome-ignore format: one kind a line
  test.each([
    ['Time(+8)', '+08:00'], ['Time (+05:30)', '+05:30'], ['时间（-3）', '-03:00'], ['委托时间(北京)', '+08:00'], ['Time(UTC+8)', '+08:00'], ['createTimeUtc', '+00:00'], ['UTCTime', '+00:00'], ['Time (cst)', 'cst'], ['Order Time (IST)', 'IST'], ['Local Time', 'Local'], ['Time (ET)', 'ET'], ['Server Time', 'Server'], ['+08:00', '+08:00'], ['-3', '-03:00'], ['8', undefined], ['Time', undefined], ['Date et heure', undefined], ['Time (created)', undefined], ['时间（上海）', '上海'], ['时间(下单)', undefined], ['Time (Unix seconds)', undefined], ['日期(年/月/日)', undefined], ['Time (ms)', undefined], ['Date (YYYY-MM-DD)', undefined],
    ['注文日時(日本時間)', '+09:00'], ['Время (МСК)', '+03:00'], ['Data (Brasília)', 'Brasília'], ['Heure (Paris)', 'Paris'], ['best', undefined],
  ])('of a heading or a cell %s is %s', (text, zone) => {
    expect(zoneIn(textOfName(text), { isOfTimes: true })).toBe(zone);
  });

  test('is the same by several places, and a name beside its offset counts', () => {
    const at = (...texts: string[]) => findZone(texts.map((text, n) => ({ text, from: `line ${n + 1}` })));
    expect(at('a', 'UTC+8', 'Asia/Shanghai')).toEqual({ stated: { zone: 'Asia/Shanghai', from: 'line 3' } });
    expect(at('UTC+8', 'UTC').question).toBe('states different time zones: UTC+8 from line 1, UTC from line 2.');
    expect(isSameZone('Europe/Berlin', 'Africa/Lagos')).toBe(false);
    expect(isSameZone('Europe/Berlin', 'Europe/Paris')).toBe(true);
    expect(['+00:00', '+05:30', '-11:00', 'Asia/Tokyo'].map(labelOf)).toEqual([
      'UTC',
      'UTC+5:30',
      'UTC-11',
      'Asia/Tokyo',
    ]);
    expect(['+14', '+14:30', '+1460', '8', '-0'].map(offsetOf)).toEqual([
      '+14:00',
      undefined,
      undefined,
      undefined,
      '+00:00',
    ]);
    expect(['CST', 'utc/x', 'europe/rome'].map(zoneNamed)).toEqual([undefined, undefined, 'Europe/Rome']);
  });
});

const ORDER = '1,5,2026-11-17 20:30:00';

describe('the times of a list', () => {
  // biome-ignore format: one source a line
  test.each<[string, string, string | undefined, string | undefined, string]>([
    ['a line above', `Time Zone:UTC+8\nuid,id,time\n${ORDER}\n`, undefined, undefined, '+08:00 line 1'],
    ['a line above, after the separator', `sep=,\nTime Zone,UTC+8\nuid,id,time\n${ORDER}\n`, undefined, undefined, '+08:00 line 2'],
    ['the heading', `uid,id,Time (UTC+08:00)\n${ORDER}\n`, undefined, undefined, '+08:00 the heading "Time (UTC+08:00)"'],
    ["the file's name", `uid,id,time\n${ORDER}\n`, undefined, 'orders UTC+8.csv', "+08:00 the file's name"],
    ['a column', `uid,id,time,Time Zone\n${ORDER},Asia/Singapore\n`, undefined, undefined, 'Asia/Singapore the column "Time Zone"'],
    ['a member with the offset', '{"utcOffset":"+08:00","rows":[{"uid":1,"id":5,"time":"2026-11-17 20:30:00"}]}', undefined, undefined, '+08:00 the member utcOffset'],
    ['a remark in JSON', '{"note":"Times are UTC+8","rows":[{"uid":1,"id":5,"time":"2026-11-17 20:30:00"}]}', undefined, undefined, '+08:00 the member note'],
    ['a member of JSON', '{"timezone":"UTC+8","rows":[{"uid":1,"id":5,"time":"2026-11-17 20:30:00"}]}', undefined, undefined, '+08:00 the member timezone'],
    ['--time-zone', `Time Zone:UTC\nuid,id,Time(CST)\n${ORDER}\n`, '+08:00', undefined, '+08:00 --time-zone'],
    ['a name by --time-zone', `uid,id,time\n${ORDER}\n`, 'Asia/Shanghai', undefined, 'Asia/Shanghai --time-zone'],
  ])('are read by %s', async (_what, content, zone, name, from) => {
    const { orders, zones } = await read(content, zone, undefined, name);
    expect([orders[0]?.placedAt, ...zones.map((one) => `${one.zone} ${one.from}`)]).toEqual([AT, from]);
  });

  const listOfZones = (count: number) =>
    `uid,id,time,tz\n${Array.from({ length: count }, (_, n) => `1,${n + 1},2026-11-17 20:30:00,x${n}\n`).join('')}`;

  // biome-ignore format: one question a line
  test.each<[string, string, string, string?]>([
    ['a line above', `Time Zone: CST\nuid,id,time\n${ORDER}\n`, 'does not say clearly in which time zone it is: "CST" in line 1.'],
    ['two places', `Time Zone: UTC+8\nuid,id,Time(UTC)\n${ORDER}\n`, 'states different time zones: UTC from the heading "Time(UTC)", UTC+8 from line 1.'],
    ["the file's name, once by a place", `uid,id,time\n${ORDER}\n`, "states different time zones: Asia/Shanghai from the file's name, UTC+9 from the file's name.", 'orders_Asia_Shanghai_UTC+9.csv'],
    ["the file's name, by a place and an offset", `uid,id,time\n${ORDER}\n`, "states different time zones: Asia/Tokyo from the file's name, UTC-8 from the file's name.", 'Asia-Tokyo-0800.csv'],
    ["the file's name, twice", `uid,id,time\n${ORDER}\n`, "states different time zones: UTC+8 from the file's name, UTC-5 from the file's name.", 'UTC+8_-0500.csv'],
    ['a column', `uid,id,time,tz\n${ORDER},IST\n`, 'does not say clearly in which time zone it is: "IST" in the column "tz".'],
    ['a column of other words', `uid,id,time,tz\n${ORDER},home\n`, 'has no time zone in the column "tz": "home".'],
    ['many zones', listOfZones(21), 'has more than 20 time zones in the column "tz".'],
    ['the first of twenty words', listOfZones(20), 'has no time zone in the column "tz": "x0".'],
  ])('are a question by %s', async (_what, content, question, name) => {
    expect(await failure(content, undefined, undefined, name)).toBe(
      `FILE ${question}\nSay it: --time-zone with an offset, such as +08:00, or a name, such as Asia/Shanghai.`,
    );
  });

  test('may each have another zone in a column, or none', async () => {
    const rows = ['20:30:00,UTC+8', '13:30:00,Europe/Berlin', '18:00:00,+05:30', '12:30:00,'];
    const { orders, zones } = await read(
      `id,time,tz\n${rows.map((row, n) => `${n + 1},2026-11-17 ${row}\n`).join('')}`,
      undefined,
      '1',
    );
    expect(orders.map(({ placedAt }) => placedAt)).toEqual(rows.map(() => AT));
    expect(zones.map(({ zone }) => zone)).toEqual(['+05:30', 'Europe/Berlin', '+08:00', '+00:00']);
  });

  test('may each have a zone, and CST is none', async () => {
    const times = ['20:30:00 (UTC+8)', '20:30:00 UTC+08:00', '18:00:00 GMT+5:30', '12:30:00 GMT', '20:30:00+8'];
    const { orders, zones } = await read(
      `uid,id,time(CST)\n${times.map((time, n) => `1,${n + 1},2026-11-17 ${time}\n`).join('')}`,
    );
    expect([orders.map(({ placedAt }) => placedAt), zones]).toEqual([times.map(() => AT), []]);
    expect(await failure(`uid,id,time\n${ORDER} CST\n`)).toContain('"CST" in it: write an offset, such as +08:00.\n');
  });

  test('have the clock first, or Chinese words, or nanoseconds', async () => {
    const times = [
      '12:30 2026-11-17',
      '12:30:00 2026/11/17',
      '2026年11月17日 12:30:00',
      '2026.11.17 12:30:00',
      `${AT}000000`,
    ];
    const { orders } = await read(`uid,id,time\n${times.map((time, n) => `1,${n + 1},${time}\n`).join('')}`);
    expect(orders.map(({ placedAt }) => placedAt)).toEqual(times.map(() => AT));
  });

  test('in a zone with summer time change with it, twice or never', async () => {
    const list = (...times: string[]) => `uid,id,time\n${times.map((time, n) => `1,${n + 1},${time}\n`).join('')}`;
    const { orders, twice } = await read(
      list(
        '2026-07-01 12:00:00',
        '2026-12-01 12:00:00',
        '2026-10-25 01:59:59',
        '2026-10-25 02:30:00',
        '2026-10-25 03:00:00',
      ),
      'Europe/Berlin',
    );
    // The Unix times of the same moments, as `date -u -d` tells them.
    expect(orders.map(({ placedAt }) => placedAt / 1000)).toEqual([
      1782900000, 1796122800, 1792886399, 1792891800, 1792893600,
    ]);
    expect(twice).toBe(1);
    expect(await failure(list('2026-03-29 02:30:00', '2026-03-29 01:59:59'), 'Europe/Berlin')).toBe(
      'FILE has times that the clocks of Europe/Berlin skipped, when they went forward:\nLine 2: 2026-03-29 02:30:00.\nThe list has another time zone: give it by --time-zone.',
    );
    expect((await read(list('2026-04-05 01:45:00'), 'Australia/Lord_Howe')).twice).toBe(1);
  });

  test('by another zone than the list states are told', async () => {
    const { overridden } = await read(`Time Zone:UTC\nuid,id,time,tz\n${ORDER},CST\n`, '+08:00');
    expect(overridden).toBe('UTC from line 1; those of the column "tz"');
  });
});
