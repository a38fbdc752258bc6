import { expect, test } from 'vitest';
import { requireRecent } from '../../functions/auth/timestamp.ts';

const NOW = 1_763_103_201_300;

test.each(['', 'x', `x${NOW}`, `${NOW}x`, `1${NOW}`, `${NOW}0`, `${NOW}\n`, '176310320130', '+763103201300'])(
  'the timestamp %j is malformed, not expired',
  (timestamp) => {
    expect(() => requireRecent(timestamp, NOW)).toThrow(expect.objectContaining({ code: '40005' }));
  },
);

test('a timestamp of 13 digits is well-formed', () => {
  expect(requireRecent(String(NOW), NOW)).toBeUndefined();
});
