import { expect, test } from 'vitest';
import { reasonsToLook, type TeamFigures } from '../../../cli/analysis/reasonsToLook.ts';
import { MINUTE_MS } from '../../setup/time.ts';

const coverage = { orders: 100, logged: 100, onlyNear: 0, withoutLog: 0, onlyOthers: 0 };
const noOrders = { ...coverage, orders: 0, logged: 0 };

/** A team without anything to look at: 100 logs, one for each of its orders. */
const honest: TeamFigures = {
  entries: 100,
  coverage,
  delays: { median: 0, p95: 0, late: 0, early: 0 },
  longestSilence: 0,
  ownRepeats: 0,
  copies: 0,
  sameTime: 0,
  hiddenCharacters: 0,
  foreignOrders: 0,
  withoutVersionOrData: 0,
};

// biome-ignore format: one case a line
test.each<[string, Partial<TeamFigures>, readonly string[]]>([
  ['an honest team', {}, []],
  ['a team without orders', { coverage: noOrders }, []],
  ['no order list', { coverage: undefined, delays: undefined }, []],
  ['orders and no logs', { entries: 0, coverage: { ...coverage, logged: 0, withoutLog: 100 }, longestSilence: 999 * MINUTE_MS }, ['no entries']],
  ['no order list and no logs', { entries: 0, coverage: undefined, delays: undefined, longestSilence: 999 * MINUTE_MS }, ['no entries']],
  ['no orders and no logs', { entries: 0, coverage: noOrders }, []],
  ['5 of 100 logged orders late', { delays: { late: 5, early: 0 } }, []],
  ['6 of 100 late', { delays: { late: 6, early: 0 } }, ['late']],
  ['5 late of 90 that are logged', { coverage: { ...coverage, logged: 90 }, delays: { late: 5, early: 0 } }, ['late']],
  ['5 of 100 early', { delays: { late: 0, early: 5 } }, []],
  ['6 of 100 early', { delays: { late: 0, early: 6 } }, ['early']],
  ['10 of 100 orders without a log near', { coverage: { ...coverage, logged: 90, withoutLog: 10 } }, []],
  ['11 without a log near', { coverage: { ...coverage, logged: 89, withoutLog: 11 } }, ['no log near']],
  ['half of the orders named', { coverage: { ...coverage, logged: 50, onlyNear: 50 } }, []],
  ['less than half named', { coverage: { ...coverage, logged: 49, onlyNear: 51 } }, ['few named']],
  ['a silence of less than an hour', { longestSilence: 60 * MINUTE_MS - 1 }, []],
  ['a silence of an hour', { longestSilence: 60 * MINUTE_MS }, ['silent']],
  ['without orders, a pause of less than 12 hours', { coverage: undefined, longestSilence: 12 * 60 * MINUTE_MS - 1 }, []],
  ['without orders, a pause of 12 hours', { coverage: undefined, longestSilence: 12 * 60 * MINUTE_MS }, ['silent']],
  ['19 of 100 logs repeated', { ownRepeats: 19 }, []],
  ['20 repeated', { ownRepeats: 20 }, ['repeats']],
  ['5 of 100 logs copied', { copies: 5 }, []],
  ['6 copied', { copies: 6 }, ['copies']],
  ['5 of 100 at the same time as another team', { sameTime: 5 }, []],
  ['6 at the same time', { sameTime: 6 }, ['same time']],
  ['5 of 100 logs with hidden characters', { hiddenCharacters: 5 }, []],
  ['6 with hidden characters', { hiddenCharacters: 6 }, ['hidden characters']],
  ["one of others' orders", { foreignOrders: 1 }, ["others' orders"]],
  ['50 of 100 logs without a version or data', { withoutVersionOrData: 50 }, []],
  ['51 without', { withoutVersionOrData: 51 }, ['incomplete']],
])('%s: reasons to look', (_name, figures, reasons) => {
  expect(reasonsToLook({ ...honest, ...figures })).toEqual(reasons);
});
