import { expect, test } from 'vitest';
import type { TeamFigures } from '../../../../cli/review/figures/figures.ts';
import { reasonsToLook } from '../../../../cli/review/figures/reasonsToLook.ts';

/** A team without anything to look at: 100 logs, one for each of its orders. */
const honest: TeamFigures = {
  ...{
    entries: 100,
    first: null,
    last: null,
    perDay: {},
    models: {},
    stages: {},
    withOrder: 100,
    withOrderPercent: 100,
  },
  ...{ complete: 100, missing: { modelVersion: 0, data: 0, order: 0, versionOrData: 0 }, silences: [] },
  ...{ ownRepeats: 0, copies: 0, sameTime: 0, ownRepeatsByKind: null, copiesByKind: null, sameTimeByKind: null },
  ...{ hiddenCharacters: 0, cutTexts: 0, foreignOrders: 0 },
};
const traded = { orders: 100, ordersWithLog: 100, ordersWithoutLog: 0, late: 0, early: 0 };
const silence = (seconds: number) => ({ silences: [{ seconds, from: null, until: null, orders: 0 }] });
const HOUR = 3600;

// biome-ignore format: one case a line
test.each<[string, Partial<TeamFigures>, readonly string[]]>([
  ['an honest team', traded, []],
  ['a team without orders', { ...traded, orders: 0, ordersWithLog: 0 }, []],
  ['no order list', {}, []],
  ['orders and no logs', { ...traded, entries: 0, ordersWithLog: 0, ordersWithoutLog: 100, ...silence(99 * HOUR) }, ['no entries']],
  ['no order list and no logs', { entries: 0, ...silence(99 * HOUR) }, ['no entries']],
  ['no orders and no logs', { ...traded, entries: 0, orders: 0, ordersWithLog: 0 }, []],
  ['5 of 100 logged orders late', { ...traded, late: 5, early: 0 }, []],
  ['6 of 100 late', { ...traded, late: 6, early: 0 }, ['late']],
  ['5 late of 90 that are logged', { ...traded, ordersWithLog: 90, late: 5 }, ['late']],
  ['5 of 100 early', { ...traded, late: 0, early: 5 }, []],
  ['6 of 100 early', { ...traded, late: 0, early: 6 }, ['early']],
  ['10 of 100 orders without a log near', { ...traded, ordersWithLog: 90, ordersWithoutLog: 10 }, []],
  ['11 without a log near', { ...traded, ordersWithLog: 89, ordersWithoutLog: 11 }, ['no log near']],
  ['half of the orders named', { ...traded, ordersWithLog: 50 }, []],
  ['less than half named', { ...traded, ordersWithLog: 49 }, ['few named']],
  ['a silence of less than an hour', { ...traded, ...silence(HOUR - 1) }, []],
  ['a silence of an hour', { ...traded, ...silence(HOUR) }, ['silent']],
  ['without orders, a pause of less than 12 hours', silence(12 * HOUR - 1), []],
  ['without orders, a pause of 12 hours', silence(12 * HOUR), ['silent']],
  ['19 of 100 logs repeated', { ownRepeats: 19 }, []],
  ['20 repeated', { ownRepeats: 20 }, ['repeats']],
  ['5 of 100 logs copied', { copies: 5 }, []],
  ['6 copied', { copies: 6 }, ['copies']],
  ['5 of 100 at the same time as another team', { sameTime: 5 }, []],
  ['6 at the same time', { sameTime: 6 }, ['same time']],
  ['5 of 100 logs with hidden characters', { hiddenCharacters: 5 }, []],
  ['6 with hidden characters', { hiddenCharacters: 6 }, ['hidden characters']],
  ["one of others' orders", { foreignOrders: 1 }, ["others' orders"]],
  ['50 of 100 logs without a version or data', { missing: { ...honest.missing, versionOrData: 50 } }, []],
  ['51 without', { missing: { ...honest.missing, versionOrData: 51 } }, ['incomplete']],
])('%s: reasons to look', (_name, figures, reasons) => {
  expect(reasonsToLook({ ...honest, ...figures })).toEqual(reasons);
});
