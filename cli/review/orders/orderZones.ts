import { nameSome } from '../../shell/text/numbers.ts';
import { isSameZone, offsetOf, zoneNamed } from '../../shell/text/zones.ts';
import { shown } from './shown.ts';

/**
 * A text that may say in which zone times are, and where it stands, such as `line 1`. `isOfTimes`: it is about times,
 * such as a heading: `cst` and `local` are zones there, and words elsewhere. `isName`: it is the name of a file:
 * `-0800` is a zone there.
 */
export type ZoneText = Readonly<{ text: string; from: string } & Partial<Record<'isOfTimes' | 'isName', boolean>>>;

/** A zone as `zones.ts` writes it, and where it is stated. */
export type StatedZone = Readonly<Record<'zone' | 'from', string>>;

/** The zones of some words. None of them has summer time, and no abbreviation is that of two zones. */
const WORDS: readonly (readonly [pattern: RegExp, zone: string])[] = [
  [/coordinated universal time|协调世界时|世界协调时|世界标准时/i, '+00:00'],
  [
    /beijing|china standard time|china time|shanghai time|北京时间|北京時間|[(（]北京[)）]|东八区|東八區|中国标准时间/i,
    '+08:00',
  ],
  [/hong ?kong time|singapore time|\bHKT\b|\bSGT\b|香港时间|香港時間|新加坡时间/i, '+08:00'],
  [
    /japan standard time|tokyo time|korea standard time|\bJST\b|\bKST\b|日本[時时][间間]|东京时间|韩国时间|한국 ?시간/i,
    '+09:00',
  ],
  [/india(?:n)? standard time/i, '+05:30'],
  [/\bMSK\b|МСК|moscow time|московско/i, '+03:00'],
];

/** Abbreviations of several zones, or of one with summer time under the same name, and of no zone at all. */
const SEVERAL =
  'ACST ADT AEDT AEST AKST AMT AST AWST BDT BRT BST CAT CDT CEST CET CST EAT ECT EDT EEST EET EST GST HST IST MDT MST NST MESZ MEZ PDT PST PYT SST WAT WEST WET WIB WST';
const ZONE_WORDS = SEVERAL.replaceAll(' ', '|');
const UNCLEAR = new RegExp(`\\b(?:${ZONE_WORDS})\\b`);
/** A remark behind the name of a time that is no zone: a unit, or the form of a date. */
const NO_ZONE =
  /^(?:[mµun]?s|(?:milli|micro)?sec(?:ond)?s?|(?:unix|epoch)\b.*|milliseconds?|iso ?8601|timestamp|24 ?h|created|placed|下单|创建|[ymdhs年月日时時分秒\s\p{P}]+)$/iu;
const REMARK = /[([]([^()[\]]*)[)\]]\s*$/;
const WORDS_OF_TIMES = '[CMP]T|ET(?! heure)|eastern|central|mountain|pacific|local|server';
const UNCLEAR_OF_TIMES = new RegExp(`\\b(?:${ZONE_WORDS}|${WORDS_OF_TIMES})\\b|本地|当地|當地`, 'i');
const LOCAL =
  /\blocal time\b|本地时间|当地时间|本地時間|當地時間|現地時間|현지 ?시간|ortszeit|(?:heure|hora|horário) local|местное время/i;

const REGION = '(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific|US)';
const NAME = new RegExp(`\\b${REGION}/[\\w+/-]{0,60}`, 'gi');
const UTC = /(?<![A-Za-z])(?:UTC|GMT)(?![A-Za-z]|\W?USD)\s?(?:([+-])\s?)?([\d:.]{0,20})(-\d)?/gi;
/** What may stand between `UTC` and its offset, such as in `UTC offset: +8`, `UTC(+8)` and `UTC plus 8`. */
const BETWEEN = /(?<=UTC|GMT)(?:(?:[ _-]?offset)?\s?[:=(]?\s?(?=[+-]\s?\d)|[ _-]?offset\s?[:=]?)/gi;
const SIGN = /(?<=UTC|GMT)[ _-]?(plus|minus)[ _-]?(?=\d)/gi;
const OFFSET = /^[+-]\d{1,2}(?::?[0-5]\d)?$/;
/** An offset in parentheses after a name, such as `Time(+8)`, or after a time, such as `20:00:00 +0800`. */
const BESIDE = /[([（]\s?([+-]\d{1,2}(?::?[0-5]\d)?)\s?[)\]）]\s?$|\d:[0-5]\d(?:\.\d{1,9})?\s?([+-]\d\d:?[0-5]\d)\b/;
const LABELLED =
  /(?:time ?zone|\btz|时区|時區|zeitzone|fuseau horaire|zona horaria|fuso horário|タイムゾーン|시간대|часовой пояс)\)?\s{0,3}[:：=,;]\s{0,3}([^\s,;"']{1,40})/i;

/** Returns the zone that a text after `UTC` gives; undefined: it is not clear. */
function readOffset(sign: string | undefined, digits: string, isDate: boolean): string | undefined {
  const plain = digits.replace(/[.:]+$/, '');
  // What follows is a date or a time of the clock, not an offset.
  if (plain === '' || /^(?:19|20)\d\d|^\d{5}/.test(plain) || (sign === undefined && plain.includes(':')))
    return '+00:00';
  return sign === undefined || (sign === '-' && isDate) ? undefined : offsetOf(sign + plain);
}

/** Returns the longest name of a zone with which a text begins, and what follows it. */
function zoneAtStart(text: string): readonly [zone: string, rest: string] | undefined {
  for (const { index } of [...text.matchAll(/(?<=\w)(?=[/_+-]|$)/g)].reverse()) {
    const zone = zoneNamed(text.slice(0, index));
    if (zone !== undefined) return [zone, text.slice(index)];
  }
  return undefined;
}

/** Offsets with minutes that places have, and whose digits are no day of a month. */
const WITH_MINUTES = '+03:30 +04:30 +05:30 +05:45 +06:30 +08:45 +09:30 +10:30 +12:45'.split(' ');
const SIGNED = /([+-])(?:(\d\d?)[-: ](00|30|45)|(\d\d)(00|30|45)|(\d\d?))(?!\d|[-:]\d|-[\da-f]{4}-)/g;
const DATE_BEFORE = /(?:^|\D)20\d\d([- ]?)\d\d\1\d\d$/;
const TIME_BEFORE = /T\d\d[-:. ]?\d\d(?:[-:. ]?\d\d)?(?:\.\d+)?$/;

/**
 * Yields offsets without UTC in the name of a file, such as `_+0800`, `-0800` and `(-8)`; undefined: it can be another
 * number, such as a count or the time after a date.
 */
function* signedIn(name: string): Generator<readonly [what: string, zone: string | undefined]> {
  for (const { 0: what, index, 1: sign, ...found } of name.matchAll(SIGNED)) {
    const hours = found[2] ?? found[4] ?? found[6] ?? '';
    const minutes = found[3] ?? found[5] ?? '00';
    const zone = offsetOf(`${sign}${hours}:${minutes}`);
    const before = name.slice(0, index);
    const isApart = /[ (]$|^$/.test(before);
    const isShort = found[6] !== undefined;
    if (zone === undefined) continue;
    if (sign === '+') {
      if (minutes === '00' || WITH_MINUTES.includes(zone)) yield [what, isApart || !isShort ? zone : undefined];
      continue;
    }
    const isHour = minutes === '00' && Number(hours) > 0 && Number(hours) <= 12;
    const isOfDate = DATE_BEFORE.test(before);
    const isOther = /\d$/.test(before) && !isOfDate && !TIME_BEFORE.test(before);
    if (!(isHour || zone === '-03:30' || zone === '-09:30') || isOther || (isShort && !isApart)) continue;
    const isClear = isShort ? before.endsWith('(') || hours.length === 2 : isHour && Number(hours) < 10;
    yield [what, (isClear || (isApart && !isShort)) && !isOfDate ? zone : undefined];
  }
}

function zonesIn({ text, isOfTimes = false, isName = false }: ZoneText): { zones: string[]; unclear: string[] } {
  const plain = text
    .normalize('NFKC')
    .replace(/[−–—]/g, '-')
    .replace(BETWEEN, '')
    .replace(SIGN, (_, sign: string) => (sign.toLowerCase() === 'plus' ? '+' : '-'));
  const [zones, unclear] = [new Set<string>(), new Set<string>()];
  const add = (zone: string | undefined, what: string) => (zone ? zones.add(zone) : unclear.add(what));
  const rest = plain.replace(NAME, (name) => {
    const [zone, after = ''] = zoneAtStart(name) ?? [];
    add(zone, name);
    return ` ${after}`;
  });
  for (const [what, sign, digits = '', date] of rest.matchAll(UTC))
    add(readOffset(sign, digits, date !== undefined), what);
  for (const [what, zone] of isName ? signedIn(rest.replace(UTC, ' ')) : []) add(zone, what);
  for (const [pattern, zone] of WORDS) if (pattern.test(rest)) zones.add(zone);
  const [, inHeading, inTime] = BESIDE.exec(rest) ?? [];
  const labelled =
    isOfTimes && OFFSET.test(plain.trim())
      ? plain.trim()
      : (LABELLED.exec(rest)?.[1] ?? (isOfTimes ? inHeading : undefined) ?? inTime);
  if (labelled !== undefined && OFFSET.test(labelled)) add(offsetOf(labelled), labelled);
  if (zones.size === 0) {
    const what = (isOfTimes ? UNCLEAR_OF_TIMES : UNCLEAR).exec(rest)?.[0] ?? LOCAL.exec(rest)?.[0] ?? labelled;
    const remark = isOfTimes && unclear.size === 0 ? REMARK.exec(rest)?.[1] : undefined;
    if (what === undefined && remark !== undefined && /\p{L}/u.test(remark) && !NO_ZONE.test(remark))
      unclear.add(remark);
    if (what !== undefined) unclear.add(what);
  }
  return { zones: [...zones], unclear: [...unclear] };
}

/** A named zone in the name of a file, such as `Asia_Shanghai`, and an offset whose minutes stand apart. */
const ZONE_IN_NAME = new RegExp(`(?<![A-Za-z])(${REGION})[- ](?=[A-Z])([\\w +-]{0,60})`, 'gi');
const MINUTES_IN_NAME = /((?:UTC|GMT)[ _]?([+-])(\d\d?))[-_h](00|30|45)(?!\d|[-_]\d)/gi;

/** The text of a file's name, or of a column's, in which a zone can be found. */
export const textOfName = (name: string): string =>
  name
    .replace(/\.\w{1,5}$/, '')
    .replace(/%2B/gi, '+')
    .replace(MINUTES_IN_NAME, (all, start, sign, hours, minutes) => {
      const isOffset = minutes === '00' || WITH_MINUTES.includes(`${sign}${hours.padStart(2, '0')}:${minutes}`);
      return isOffset ? `${start}:${minutes}` : all;
    })
    .replace(/(?<=[a-z])(?=UTC|GMT|Utc|Gmt)|(?<=UTC|GMT)(?=[A-Z][a-z])/g, ' ')
    .replace(/_/g, ' ')
    .replace(ZONE_IN_NAME, (all, region, city) => {
      const place = city.replaceAll(' ', '_');
      const [zone, rest] =
        zoneAtStart(`${region}/${place}`) ?? zoneAtStart(`${region}/${place.replaceAll('-', '_')}`) ?? [];
      return zone === undefined ? all : `${zone} ${all.slice(all.length - (rest ?? '').length)}`;
    });

/** Finds the zone that some texts state, or says why it is not clear, as a message continues the path of the file. */
export function findZone(texts: readonly ZoneText[]): { stated?: StatedZone; question?: string } {
  const found = texts.map((text) => ({ ...zonesIn(text), from: text.from }));
  const unclear = found.flatMap((one) => one.unclear.map((what) => `${shown(what)} in ${one.from}`));
  if (unclear.length > 0)
    return { question: `does not say clearly in which time zone it is: ${nameSome(unclear, 5)}.` };
  const all = found.flatMap(({ zones, from }) => zones.map((zone) => ({ zone, from })));
  const different = all.filter(({ zone }, place) => all.findIndex((one) => isSameZone(one.zone, zone)) === place);
  if (different.length > 1) {
    const named = different.map(({ zone, from }) => `${labelOf(zone)} from ${from}`);
    return { question: `states different time zones: ${nameSome(named, 5)}.` };
  }
  // A name tells the summer time, too.
  const stated = all.find(({ zone }) => zone.includes('/')) ?? all[0];
  return stated ? { stated } : {};
}

/** Returns a zone as a message names it: `UTC+8`, `UTC`, `Europe/Berlin`. */
export function labelOf(zone: string): string {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours === undefined) return zone;
  return zone === '+00:00' ? 'UTC' : `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`;
}
