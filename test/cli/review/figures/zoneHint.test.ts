import { expect, test } from 'vitest';
import { findShifts, noteTimeZone } from '../../../../cli/review/figures/zoneHint.ts';

const HOUR = 3600;

/** Returns what is noted of teams with these median delays, in seconds; null: no log of a team names an order. */
const noted = (delays: readonly (number | null)[], shifts = new Map<string, number>()) => {
  const teams = delays.map((medianDelaySeconds, at) => ({ uid: `${at}`, medianDelaySeconds }));
  return [...noteTimeZone(teams as never, shifts)].map((block) => (block as { note: string }).note);
};
const hint = (some: number, all: number, hours: string, less: string) => [
  `Probably a wrong time zone: the logs of ${some} of ${all} teams come about ${hours} their orders. Try --time-zone with ${less}.`,
];

// biome-ignore format: one case a line
test.each<[string, readonly (number | null)[], readonly string[]]>([
  ['five minutes from a whole hour', [HOUR + 300], hint(1, 1, '1 h after', '1 h less')],
  ['more than that', [HOUR + 301], []],
  ['five minutes before two hours early', [-2 * HOUR - 300], hint(1, 1, '2 h before', '2 h more')],
  ['no hour', [30], []],
  ['half of the teams', [HOUR, 30], []],
  ['more than half', [HOUR, HOUR, 30], hint(2, 3, '1 h after', '1 h less')],
  ['two zones, of which none has more than half', [HOUR, HOUR, 8 * HOUR, 8 * HOUR], []],
  ['a team without delays, which does not count', [HOUR, null], hint(1, 1, '1 h after', '1 h less')],
])('the delays of teams: %s', (_what, delays, expected) => {
  expect(noted(delays)).toEqual(expected);
});

test('a team whose logs name no order counts by its shift', () => {
  expect(noted([null, 30], new Map([['0', 8]]))).toEqual([]);
  expect(
    noted(
      [null, null, 30],
      new Map([
        ['0', 8],
        ['1', 8],
      ]),
    ),
  ).toEqual(hint(2, 3, '8 h after', '8 h less'));
});

// biome-ignore format: one case a line
test.each<[string, readonly (readonly [hours: number, found: number])[], number]>([
  ['half of the orders', [[8, 2]], 8],
  ['twice as many as by the next one', [[1, 2], [8, 4]], 8],
  ['less than twice as many', [[1, 2], [8, 3]], 0],
  ['less than half of the orders', [[8, 1]], 0],
])('a shift is that of %s', async (_what, moves, hours) => {
  async function* read() {
    for (const [hours, found] of moves) yield { uid: '1', hours, found, orders: 4 };
  }
  expect(await findShifts({ read } as never)).toEqual(new Map([['1', hours]]));
});
