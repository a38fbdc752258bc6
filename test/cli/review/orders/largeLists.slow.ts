import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openOrderLines } from '../../../../cli/review/orders/orderLines.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';

test.each([
  ['before lines', 'a\n'.repeat(9_000_000)],
  ['among many', '"",""'.repeat(4_000_000)],
])('a quotation mark %s that is not closed is found', async (_where, text) => {
  const path = join(temporaryFolder(), 'open.csv');
  writeFileSync(path, `uid,id,time\n1,5,"${text}`);
  const { parts } = await openOrderLines(path, false);
  await expect(Array.fromAsync(parts)).rejects.toThrow(`${path} is not CSV, line 2: it is too long, or a quotation`);
});
