import { expect, test } from 'vitest';
import { readPart } from '../../../cli/analysis/reviewPart.ts';
import { unpackRowKeys } from '../../../cli/inclusion/rowKeys.ts';
import type { Entry } from '../../../functions/ailog/entry.ts';

test('a log behind a damaged entry gets its own place in the transparency log', () => {
  const [damaged, whole] = [1, 2].map((receivedAt) => ({
    uid: '1',
    entryId: String(receivedAt),
    receivedAt,
    ...(receivedAt === 2 && { timestamp: '1763000000000', model: 'm', stage: 's', bodySha256: '00' }),
  })) as unknown as [Entry, Entry];
  const { part } = readPart([damaged, whole], 0, { within: 0, tolerance: 0, withRowKeys: true });
  expect(part.damaged).toEqual([{ uid: '1', entryId: '1' }]);
  expect(part.logs.count).toBe(1);
  expect(unpackRowKeys(part.rowKeys, 0).receivedAt).toBe(2);
});
