import { describe, expect, test } from 'vitest';
import { formatReceipt, parseReceipt, receiptOf } from '../../functions/receipts/receiptFormat.ts';
import { entry } from './receiptEntry.ts';

const receipt = receiptOf('logs.example.com/ailog', entry);
const text = formatReceipt(receipt);

test('a receipt is eight lines: format, log, UID, entry id, time, digest, entry hash, deadline', () => {
  // The entry hash was computed with: printf 'ai-log-entry/v1\n["1001",…,2]' | sha256sum
  expect(text).toBe(`ai-log-receipt/v1
logs.example.com/ailog
1001
1763103201300-00112233445566778899aabbccddeeff
1763103201345
${'ab'.repeat(32)}
fd0056a264880a7032015e18dc0130aad840abfb35270f8cdcbda6928017f1e0
1763103801345
`);
});

test('a receipt that is read back is the same', () => {
  expect(parseReceipt(text)).toEqual(receipt);
});

test.each([
  ['uid', '1001\n1002'],
  ['uid', ''],
  ['uid', '10 01'],
  ['origin', 'a\nb'],
  ['entryId', '1\r2'],
])('a %s of %j is not written: it could pass for two lines', (name, value) => {
  expect(() => formatReceipt({ ...receipt, [name]: value })).toThrow(JSON.stringify(value));
});

describe('a text is not read as a receipt', () => {
  const lines = text.split('\n');
  const withLine = (number: number, line: string) => lines.map((one, i) => (i === number - 1 ? line : one)).join('\n');
  test.each([
    ['another version', withLine(1, 'ai-log-receipt/v2'), 'The first line of a receipt must be ai-log-receipt/v1.'],
    ['a line less', lines.slice(0, 7).join('\n'), 'eight lines'],
    ['a line more', `${text}more\n`, 'eight lines'],
    ['an empty line more', `${text}\n`, 'eight lines'],
    ['a text after the last line', `${text}more`, 'eight lines'],
    ['no newline at the end', text.trimEnd(), 'eight lines'],
    ['an empty name of the log', withLine(2, ''), 'Line 2'],
    ['an empty UID', withLine(3, ''), 'Line 3'],
    ['another entry id', withLine(4, '1763103201300-xyz'), 'Line 4'],
    ['a time with a sign', withLine(5, '-1763103201345'), 'Line 5'],
    ['a time beyond 2^53', withLine(5, '9999999999999999'), 'Line 5'],
    ['a digest in capitals', withLine(6, 'AB'.repeat(32)), 'Line 6'],
    ['a short entry hash', withLine(7, 'ab'), 'Line 7'],
    ['a deadline that is no time', withLine(8, 'soon'), 'Line 8'],
  ])('%s', (_, wrong, message) => {
    expect(() => parseReceipt(wrong)).toThrow(message);
  });

  test.each(
    [2, 3, 4, 5, 6, 7, 8].flatMap((number) => [
      [number, `x ${lines[number - 1]}`],
      [number, `${lines[number - 1]} x`],
    ]) as [number, string][],
  )('line %i is %j', (number, line) => {
    const message = `Line ${number} of the receipt is wrong: ${JSON.stringify(line)}.`;
    expect(() => parseReceipt(withLine(number, line))).toThrow(message);
  });
});
