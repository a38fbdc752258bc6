import { expect, test } from 'vitest';
import { linesIn, readLine } from '../../../../cli/proof/evidence/lines.ts';
import { checkLog } from '../../../../cli/upload/readLog.ts';
import { parseWithNames } from '../../../../functions/ailog/plainNames.ts';
import { misreadNames } from '../../../setup/misreadNames.ts';
import { logText } from '../../../setup/upload.ts';

const rest = logText().slice(1);

test("the team's own check finds the order under an escaped name, whatever was parsed before", () => {
  const { before, after } = misreadNames();
  const orders = [`${before},${rest}`, `${after}:"7",${rest}`].map((body) => checkLog(Buffer.from(body)).orderId);
  expect(orders).toEqual([null, '7']);
});

test('evidence is read with escaped names, whatever was parsed before', async () => {
  const receipt = misreadNames('receipt');
  const text = `${receipt.before}}\n${receipt.after}:"r"}`;
  const lines = (await Array.fromAsync(linesIn([Buffer.from(text)]))).map(readLine);
  expect(lines.map((line) => (line as { receipt?: string }).receipt)).toEqual([undefined, 'r']);
});

test('a line of a statement is read with the names of its models as they are, whatever was parsed before', () => {
  for (const model of ['a"b', 'a\\b', '\\u006fr', 'a\nb', '\uffff"', 'plain']) {
    const line = JSON.stringify({ figures: { models: { [model]: 3 } }, list: [{ [model]: [] }], none: null });
    expect(JSON.stringify(parseWithNames(line))).toBe(line);
  }
  const { before, after } = misreadNames('models');
  parseWithNames(`${before}}`);
  expect(Object.keys(parseWithNames(`${after}:{}}`) as object).at(-1)).toBe('models');
});
