/** The scripts of which letters join or part by zero-width joiners. */
const JOINING = ['Arab', 'Beng', 'Deva', 'Gujr', 'Guru', 'Khmr', 'Knda', 'Mlym', 'Mong', 'Mymr', 'Nkoo', 'Orya', 'Sinh']
  .concat(['Syrc', 'Taml', 'Telu', 'Tibt'])
  .map((script) => `\\p{scx=${script}}`)
  .join('');

/** Emoji, those of ASCII apart: digits, `#` and `*` are emoji only with U+20E3. */
const EMOJI = '[\\p{Emoji}--[0-9#*]]';

/** The marks that are shown on one letter. Scripts that pile up most, such as Tibetan and Hebrew, need fewer. */
export const SHOWN_MARKS = 8;

/**
 * Matches what changes unseen how a text is seen or read: controls, separators, marks of direction, invisible
 * characters, and marks beyond `SHOWN_MARKS` on one letter. Four kinds stay where ordinary text needs them: joiners in
 * scripts that join and in emoji, the selector of emoji, the tags of a flag, and the selectors of Mongolian.
 */
export const HIDDEN = new RegExp(
  [
    '[\\p{Cc}\\u2028\\u2029\\ufff9-\\ufffb]',
    '[\\p{DI}--[\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe0e\\ufe0f\\u{e0061}-\\u{e007a}\\u{e007f}]]',
    '(?<![\\p{L}&&\\p{scx=Mong}])[\\u180b-\\u180d\\u180f]',
    `(?<![[\\p{L}\\p{M}]&&[${JOINING}]])\\u200c`,
    `(?<![[\\p{L}\\p{M}]&&[${JOINING}]]|[[\\p{Emoji}\\ufe0f]--[0-9#*]])\\u200d`,
    `(?<!${EMOJI}|[0-9#*](?=\\ufe0f\\u20e3))[\\ufe0e\\ufe0f]`,
    '(?<!\\u{1f3f4}[\\u{e0061}-\\u{e007a}]{0,6})[\\u{e0061}-\\u{e007a}\\u{e007f}]',
    `(?<=\\p{M}{${SHOWN_MARKS}})\\p{M}`,
  ].join('|'),
  'gv',
);

const PLAIN = /^[\x20-\x7e]*$/;

const escapeUnits = (character: string): string =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Escapes all hidden characters of a text but its line breaks. In a JSON text, the escapes keep its meaning. */
export const escapeHidden = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text.replace(HIDDEN, (character) => (character === '\n' ? character : escapeUnits(character)));

/** Returns a text as one line on which every character is visible: no text of a team can control a terminal. */
export const visible = (text: string): string => escapeHidden(text).replaceAll('\n', '\\n');
