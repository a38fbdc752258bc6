import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesIn, readLine } from '../../../../cli/proof/evidence/lines.ts';
import { readExport } from '../../../../cli/store/exports/readExport.ts';
import { checkLog } from '../../../../cli/upload/readLog.ts';
import { parseWithNames } from '../../../../functions/ailog/plainNames.ts';
import { misreadNames } from '../../../setup/misreadNames.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { logText } from '../../../setup/upload.ts';

function fileOf(...lines: string[]): string {
  const path = join(temporaryFolder(), 'lines');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const rest = logText().slice(1);

test("the team's own check finds the order under an escaped name, whatever was parsed before", () => {
  const { before, after } = misreadNames();
  const orders = [`${before},${rest}`, `${after}:"7",${rest}`].map((body) => checkLog(Buffer.from(body)).orderId);
  expect(orders).toEqual([null, '7']);
});

test('an export and evidence are read with escaped names, whatever was parsed before', async () => {
  const uid = misreadNames('uid');
  const records = await Array.fromAsync(readExport(fileOf(`${uid.before}}`, `${uid.after}:"7"}`)));
  expect(records.map(({ fields }) => fields?.uid)).toEqual([undefined, '7']);
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
