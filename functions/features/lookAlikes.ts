/**
 * Letters of other alphabets that look like a Latin one, by that letter: those of Unicode's confusables.txt (UTS #39)
 * that are Greek, Cyrillic, Armenian, Cherokee, Lisu or Coptic, and the Latin ones outside ASCII. A small letter
 * without a look-alike of its own stands with its capital, so that upper and lower case stay equal. Digits are not in
 * the list: every word with a digit counts as the same word anyway.
 *
 * No package: `unhomoglyph` and `confusables` also rewrite Chinese, Arabic and Latin letters (m becomes rn, 0 becomes
 * O) and were last updated for Unicode 10 and before.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аАαΑɑᎪꓮ',
  b: 'ЬьВвΒβᏴꓐ',
  c: 'сСϲϹᴄⲥⲤᏟꓚ',
  d: 'ԁᎠꓓ',
  e: 'еЕεΕҽᎬꓰ',
  f: 'Ϝꓝ',
  g: 'ɡᏀꓖ',
  h: 'һҺНнΗհᎻꓧⲎ',
  i: 'іІιΙӏӀıɪⲒꓲ',
  j: 'јЈϳͿᎫꓙ',
  k: 'кКκΚᏦꓗⲔ',
  l: 'Ꮮꓡ',
  m: 'мМμΜϺᎷꓟⲘ',
  n: 'ηΝոꓠⲚ',
  o: 'оОοΟօՕᴏⲟⲞꓳ',
  p: 'рРρΡᏢꓑⲣⲢ',
  q: 'ԛԚ',
  r: 'Ꭱꓣ',
  s: 'ѕЅꜱՏᏚꓢ',
  t: 'тТτΤᎢꓔⲦ',
  u: 'υսՍᴜꓴ',
  v: 'νѵѴᴠᏙꓦ',
  w: 'ԝԜᴡᏔꓪ',
  x: 'хХχΧꓫⲬ',
  y: 'уУүҮγΥʏᎩꓬⲨ',
  z: 'ζΖᴢᏃꓜ',
};

const LATIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((letter) => [letter, latin])),
);

const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join('')}]`, 'gu');

/** Replaces letters that look like a Latin letter by that letter, in lower case. */
export const foldLookAlikes = (text: string): string =>
  text.replace(LOOK_ALIKE, (letter) => LATIN.get(letter) ?? letter);
