import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openOrderLines } from '../../../../cli/review/orders/orderLines.ts';
import { longestWork } from '../../../setup/longestWork.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

const folder = temporaryFolder();

const UNITS = 8 * 1024 * 1024;
const many = (value: string) => `[${Array(Math.floor(UNITS / (value.length + 1))).fill(value)}]`;
test.each([
  ['numbers', many('1')],
  ['empty objects', many('{}')],
  ['empty arrays', many('[]')],
  ['arrays in arrays', `${'['.repeat(UNITS / 2)}${']'.repeat(UNITS / 2)}`],
  ['arrays that do not end', '['.repeat(UNITS)],
  ['one number, after an array of arrays', `{"a":{"b":${many('[]')}},"c":[1]}`],
  ['empty objects, which does not end', many('{}').slice(0, -1)],
])('on a JSON list of %s, no work without a pause takes as long as to parse it', async (_what, json) => {
  const path = join(folder, 'pauses.json');
  writeFileSync(path, json);
  const { whole } = await longestWork(() => JSON.parse(many('[]')));
  const { longest } = await longestWork(() => expect(openOrderLines(path, false)).rejects.toThrow(path));
  expect(longest / whole).toBeLessThan(0.9);
});
