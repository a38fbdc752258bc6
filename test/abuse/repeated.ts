import { logText } from '../setup/upload.ts';

/** Units of text that are repeated: what careless expressions and loops take more time for than it has characters. */
// biome-ignore format: several a line
export const UNITS: Readonly<Record<string, readonly string[]>> = {
  'strings': ['"', '\\"', '\\\\"', '\\', '\\\n', '\\u200b', '\\u0022', '\\u005c"', '"a":1,', '"a" '],
  'brackets and separators': [
    '{', '[', '}', ']', '{"a":', '{"a":[', '[],', '{},', '"",', ':', ',', ';', '|', 'a,', 'a;b\t',
  ],
  'spaces': [' ', '\t', '\n', '\r\n', '\u00a0', '\u2028', '\n\n', ' a', 'a\t', '\u0000', '\u001b['],
  'numbers and signs': ['0', '1.', '1e', '-', '=', "'", "'=", '"=', '+1', '2026-11-17 ', '\\~'],
  'marks and hidden characters': [
    '\u0301', 'e\u0301', '\u3099', '\uff9e', '\u0345\u0301', '\u200b', 'a\u200b', 'a\\u200b', '\u00ad', '\ufe0f',
    '\u{e0061}', '👩\u200d',
  ],
  'letters': ['\ud800', '\udc00', '\ufdfa', '決', 'ß', '\u0390', 'ﬃ', '가', 'İ'],
  'trades': ['buy ', 'BTC', 'BTCUSDT', '买', 'close ', 'stop hit ', '"side":"', '\\"symbol\\":\\"', 'bid '],
  'syntax': [
    '<b>', '&amp;', '$&', '%41', '((', 'npm run a ', 'ailog a 1 ', '_', 'utc', 'UTC+', '— a b\n', '# receipts a+',
    'b c\n\n',
  ],
};

/** Returns a unit so often that JSON writes it in this many bytes. */
export const repeated = (unit: string, bytes: number): string =>
  unit.repeat(bytes / Buffer.byteLength(JSON.stringify(unit).slice(1, -1)));

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Returns the JSON values that a text is a part of: in a string as it is or escaped, as a name, or as the value. */
function valuesOf(text: string): string[] {
  const closing = Array.from(text.match(/[{[]/g) ?? [], (open) => CLOSING[open]).reverse();
  const string = JSON.stringify(text);
  return [string, `"${text}"`, `{${string}:0}`, `${text}0${closing.join('')}`, `{${text}"z":0}`, `[${text}0]`];
}

/** Returns bodies that have a text in them, no two alike. Some are no JSON, and so no logs. */
export function bodiesOf(text: string): string[] {
  const outputs = valuesOf(text).map((value) => logText({}, { output: `{"a":${value}}` }));
  // The other fields are attributes of the entry, which has less room than the body.
  const part = text.slice(0, text.length / 10);
  const fields = ['stage', 'model', 'orderId', 'explanation'].map((field) => logText({ [field]: part }));
  return [...new Set([text, `{"a":"${text}`, ...outputs, ...fields])];
}
