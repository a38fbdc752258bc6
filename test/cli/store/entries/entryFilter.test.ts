import { expect, test } from 'vitest';
import { fieldsMatch, keyMatches, timeKey } from '../../../../cli/store/entries/entryFilter.ts';

test.each([
  [-1, '0000000000000'],
  [5, '0000000000005'],
  [1_763_112_660_000, '1763112660000'],
  [1e14, '9999999999999'],
])('the sort key of the time %d is %s', (time, key) => {
  expect(timeKey(time)).toBe(key);
});

test('a key matches by its UID, from `since` on and before `until`', () => {
  const entry = { uid: '1', entryId: '0000000000005-a' };
  for (const filter of [{}, { uids: ['2', '1'] }, { since: 5 }, { until: 6 }, { since: 5, until: 6 }]) {
    expect(keyMatches(entry, filter)).toBe(true);
  }
  for (const filter of [{ uids: [] }, { uids: ['2'] }, { since: 6 }, { until: 5 }, { since: 5, until: 5 }]) {
    expect(keyMatches(entry, filter)).toBe(false);
  }
});

test('a stage that was written by hand, and is no text, is compared as text', () => {
  expect(fieldsMatch({ stage: 5, model: undefined } as never, { stage: '5' })).toBe(true);
  expect(fieldsMatch({ stage: 5, model: undefined } as never, { model: 'm' })).toBe(false);
});
