import { expect, test } from 'vitest';
import { whyUnlogged } from '../../../../cli/proof/log/rowPlace.ts';
import { MINUTE_MS } from '../../../setup/time.ts';

const now = 100 * MINUTE_MS;
const cursor = 90 * MINUTE_MS;
const looked = 20 * MINUTE_MS;

// biome-ignore format: one case a line
test.each<[number, ReturnType<typeof whyUnlogged>]>([
  [now + MINUTE_MS + 1, 'ahead'],
  [now + MINUTE_MS, 'pending'],
  [cursor - 10 * MINUTE_MS, 'pending'],
  [cursor - 10 * MINUTE_MS - 1, 'waiting'],
  [looked, 'waiting'],
  [looked - 1, 'passed'],
])('a row that was received at %i, and that the log does not have, is %s', (receivedAt, why) => {
  const row = { isEdited: false, isIndexed: true, receivedAt };
  expect(whyUnlogged(row, { cursor, looked }, now)).toBe(why);
  expect(whyUnlogged({ ...row, isIndexed: false }, { cursor, looked }, now)).toBe('unindexed');
  expect(whyUnlogged({ ...row, isIndexed: false, isEdited: true }, { cursor, looked }, now)).toBe('edited');
});
