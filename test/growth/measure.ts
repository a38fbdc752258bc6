/** Units of text that are repeated: what careless expressions and loops take more time for than it has characters. */
export const UNITS: readonly string[] = [
  ...['"', '\\"', '\\\\"', '\\', '\\\n', '\\u200b', '\\u0022', '\\u005c"', '"a":1,', '"a" '],
  ...['{', '[', '}', ']', '{"a":', '{"a":[', '[],', '{},', '"",', ':', ',', ';', '|', 'a,', 'a;b\t'],
  ...[' ', '\t', '\n', '\r\n', '\u00a0', '\u2028', '\n\n', ' a', 'a\t', '\u0000', '\u001b['],
  ...['0', '1.', '1e', '-', '=', "'", "'=", '"=', '+1', '2026-11-17 ', '\\~'],
  ...[
    '\u0301',
    'e\u0301',
    '\u3099',
    '\uff9e',
    '\u0345\u0301',
    '\u200b',
    'a\u200b',
    'a\\u200b',
    '\u00ad',
    '\ufe0f',
    '\u{e0061}',
    '👩\u200d',
  ],
  ...['\ud800', '\udc00', '\ufdfa', '決', 'ß', '\u0390', 'ﬃ', '가', 'İ'],
  ...[
    '<b>',
    '&amp;',
    '$&',
    '%41',
    '((',
    'npm run a ',
    'ailog a 1 ',
    '_',
    'utc',
    'UTC+',
    '— a b\n',
    '# receipts a+',
    'b c\n\n',
  ],
];

/** Returns at least this many characters of a unit. */
export const repeated = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length));

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Returns the JSON values that a text is a part of: in a string as it is or escaped, as a name, or as the value itself. */
function valuesOf(text: string): string[] {
  const closing = Array.from(text.match(/[{[]/g) ?? [], (open) => CLOSING[open]).reverse();
  const string = JSON.stringify(text);
  const bare = [
    text,
    `${text}0${closing.join('')}`,
    `{${text}"z":0}`,
    `[${text}0]`,
    `[${text.trimEnd().slice(0, -1)}]`,
  ];
  return [string, `"${text}"`, `{${string}:${string}}`, ...bare.filter(isJson).slice(0, 1)].filter(isJson);
}

/** Returns the bodies of logs that have a text in them. */
export const bodiesOf = (text: string): string[] =>
  valuesOf(text).map(
    (value) =>
      `{"stage":"s","model":"m-1","input":{"a":1},"output":{"a":${value}},"explanation":${JSON.stringify(text)}}`,
  );

/** Returns texts as a body, a field or a file may have them: whole, cut in a string, and before something else. */
export const textsOf = (text: string): string[] => [text, `{"a":"${text}`, `${text}x`];

/** Runs a function, whatever it throws. @returns the processor time in microseconds */
export async function costOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  try {
    await run();
  } catch {}
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
