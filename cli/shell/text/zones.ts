/** Returns an offset such as `+8`, `+0800` or `-03:30` as `+08:00`; undefined if no place has it. */
export function offsetOf(text: string): string | undefined {
  const [, sign, hours = '', minutes = '00'] = /^([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(text) ?? [];
  if (sign === undefined || Number(hours) * 60 + Number(minutes) > 14 * 60) return undefined;
  return Number(hours) + Number(minutes) === 0 ? '+00:00' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/** Returns the name of a time zone as the tz database writes it, such as `Europe/Berlin`; undefined: there is none. */
export function zoneNamed(text: string): string | undefined {
  // Abbreviations such as CST are those of several zones.
  if (!text.includes('/')) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Returns the offsets of a zone in January and July. */
function offsetsOf(zone: string): string[] {
  if (!zone.includes('/')) return [zone];
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  return [0, 6].map((month) => /[+-].*/.exec(format.format(Date.UTC(2026, month)))?.[0] ?? '+00:00');
}

/** Returns true if two zones are the same, or one is an offset that the other has in a part of the year. */
export function isSameZone(one: string, other: string): boolean {
  const [ofOne, ofOther] = [offsetsOf(one), offsetsOf(other)];
  const [shorter, longer] = ofOne.length < ofOther.length ? [ofOne, ofOther] : [ofOther, ofOne];
  return shorter.length === 1 ? longer.includes(shorter[0] as string) : String(shorter) === String(longer);
}
