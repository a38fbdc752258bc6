import { afterAll, expect, test } from 'vitest';
import { parseReasons, type Reason, withReasons } from '../../../../cli/review/figures/reasons.ts';
import type { Rule } from '../../../../cli/review/figures/rules.ts';
import { openEngine } from '../../../../cli/store/duckdb/duckdb.ts';

type Figures = Readonly<Record<string, number | null>>;

/** A team without anything to look at: 100 logs, without an order list. */
const honest: Figures = {
  entries: 100,
  own_repeats: 0,
  templates: 0,
  copies: 0,
  same_time: 0,
  follows: 0,
  hidden_characters: 0,
  foreign_orders: 0,
  named_orders: 100,
  says_nothing: 0,
  other_trades: null,
  contested_orders: 0,
  without_version_or_data: 0,
  silence_seconds: 0,
  orders: null,
  orders_with_log: null,
  orders_without_log: null,
  child_orders: null,
  median_ratio: null,
  late: null,
  early: null,
};
const traded = {
  orders: 100,
  orders_with_log: 100,
  orders_without_log: 0,
  other_trades: 0,
  child_orders: 0,
  median_ratio: 1,
  late: 0,
  early: 0,
};
const silence = (seconds: number) => ({ silence_seconds: seconds });
const HOUR = 3600;

const engine = await openEngine({ threads: 1 });
afterAll(() => engine.close());

async function find(figures: Figures, announced: readonly Rule[] = []) {
  const columns = Object.entries({ ...honest, ...figures }).map(
    ([name, value]) => `CAST(${value} AS DOUBLE) AS ${name}`,
  );
  const query = withReasons(`SELECT ${columns}`, announced);
  const [row] = await Array.fromAsync(engine.read<{ facts: string; questions: string; fact_orders: number }>(query));
  if (!row) throw new Error('There is no row.');
  return { facts: parseReasons(row.facts), questions: parseReasons(row.questions), orders: row.fact_orders };
}

// biome-ignore format: one case a line
test.each<[string, Figures, readonly string[]]>([
  ['an honest team', traded, []],
  ['a team without orders', { ...traded, orders: 0, orders_with_log: 0 }, []],
  ['no order list', {}, []],
  ['orders and no logs', { ...traded, entries: 0, orders_with_log: 0, orders_without_log: 100, ...silence(99 * HOUR) }, ['no entries']],
  ['no order list and no logs', { entries: 0, ...silence(99 * HOUR) }, []],
  ['no logs in a period whose orders have logs', { ...traded, entries: 0, late: 10, ...silence(HOUR) }, ['late', 'silent']],
  ['no logs in a period with a log near one order', { ...traded, entries: 0, orders_with_log: 0, orders_without_log: 99 }, ['no log near', 'few named']],
  ['no orders and no logs', { ...traded, entries: 0, orders: 0, orders_with_log: 0 }, []],
  ['5 of 100 logged orders late', { ...traded, late: 5, early: 0 }, []],
  ['6 of 100 late', { ...traded, late: 6, early: 0 }, ['late']],
  ['5 late of 90 that are logged', { ...traded, orders_with_log: 90, late: 5 }, ['late']],
  ['5 of 100 early', { ...traded, late: 0, early: 5 }, []],
  ['6 of 100 early', { ...traded, late: 0, early: 6 }, ['early']],
  ['10 of 100 orders without a log near', { ...traded, orders_with_log: 90, orders_without_log: 10 }, []],
  ['11 without a log near', { ...traded, orders_with_log: 89, orders_without_log: 11 }, ['no log near']],
  ['half of the orders named', { ...traded, orders_with_log: 50 }, []],
  ['less than half named', { ...traded, orders_with_log: 49 }, ['few named']],
  ['11 without a log near beside 10 child orders', { ...traded, orders: 110, orders_with_log: 89, orders_without_log: 11, child_orders: 10 }, ['no log near']],
  ['half of those named that are no child orders', { ...traded, orders_with_log: 20, child_orders: 60 }, []],
  ['a silence of less than an hour', { ...traded, ...silence(HOUR - 1) }, []],
  ['a silence of an hour', { ...traded, ...silence(HOUR) }, ['silent']],
  ['without orders, a pause of less than 12 hours', silence(12 * HOUR - 1), []],
  ['without orders, a pause of 12 hours', silence(12 * HOUR), ['silent']],
  ['19 of 100 logs repeated', { own_repeats: 19 }, []],
  ['20 repeated', { own_repeats: 20 }, ['repeats']],
  ['19 of 100 logs fill a template', { templates: 19 }, []],
  ['20 fill one', { templates: 20 }, ['template']],
  ['39 repeated and 39 templates of 1000', { entries: 1000, own_repeats: 39, templates: 39 }, []],
  ['40 of 1000', { entries: 1000, own_repeats: 40, templates: 40 }, ['repeats', 'template']],
  ['19 of 1000 copied, at the same time and hidden', { entries: 1000, copies: 19, same_time: 19, hidden_characters: 19 }, []],
  ['20 of 1000', { entries: 1000, copies: 20, same_time: 20, hidden_characters: 20 }, ['copies', 'same time', 'hidden characters']],
  ['five times as many logs as the median', { ...traded, entries: 500 }, []],
  ['more than that', { ...traded, entries: 501 }, ['many logs']],
  ['more than that, but less than 200', { ...traded, entries: 199, orders: 10, orders_with_log: 10 }, []],
  ['200', { ...traded, entries: 200, orders: 10, orders_with_log: 10 }, ['many logs']],
  ['2 of 10 copied, at the same time', { entries: 10, copies: 2, same_time: 2 }, []],
  ['3 of 10', { entries: 10, copies: 3, same_time: 3 }, ['copies', 'same time']],
  ['5 of 100 short logs that follow', { follows: 5 }, []],
  ['6 that follow', { follows: 6 }, ['follows']],
  ['5 of 100 logs copied', { copies: 5 }, []],
  ['6 copied', { copies: 6 }, ['copies']],
  ['5 of 100 at the same time as another team', { same_time: 5 }, []],
  ['6 at the same time', { same_time: 6 }, ['same time']],
  ['5 of 100 logs with hidden characters', { hidden_characters: 5 }, []],
  ['6 with hidden characters', { hidden_characters: 6 }, ['hidden characters']],
  ["one of others' orders", { foreign_orders: 1 }, ["others' orders"]],
  ['5 of 100 logged orders of another trade', { ...traded, other_trades: 5 }, []],
  ['6 of another trade', { ...traded, other_trades: 6 }, ['other trade']],
  ['two of three', { ...traded, orders: 3, orders_with_log: 3, other_trades: 2 }, []],
  ['three of three', { ...traded, orders: 3, orders_with_log: 3, other_trades: 3 }, ['other trade']],
  ['19 of 1000 of another trade', { ...traded, orders: 1000, orders_with_log: 1000, other_trades: 19 }, []],
  ['20 of 1000', { ...traded, orders: 1000, orders_with_log: 1000, other_trades: 20 }, ['other trade']],
  ['logs of 19 of 100 orders say nothing', { says_nothing: 19 }, []],
  ['logs of 20 of 100', { says_nothing: 20 }, ['says nothing']],
  ['39 of 1000', { named_orders: 1000, says_nothing: 39 }, []],
  ['40 of 1000', { named_orders: 1000, says_nothing: 40 }, ['says nothing']],
  ['no order that logs name', { named_orders: 0 }, []],
  ['an order in no list that another team names too', { foreign_orders: 1, contested_orders: 1 }, ['contested orders']],
  ['50 of 100 logs without a version or data', { without_version_or_data: 50 }, []],
  ['51 without', { without_version_or_data: 51 }, ['incomplete']],
])('%s: reasons to look', async (_name, figures, reasons) => {
  const { facts, questions } = await find(figures);
  expect([...facts, ...questions]).toEqual(reasons);
});

const all: Figures = {
  ...{
    ...traded,
    orders: 1000,
    orders_with_log: 500,
    late: 30,
    orders_without_log: 400,
    foreign_orders: 5,
    other_trades: 60,
  },
  ...{ copies: 100, contested_orders: 2, silence_seconds: 99 * HOUR },
};
const OTHERS = "others' orders";

// biome-ignore format: one case a line
test.each<[string, Rule[], Reason[], Reason[], number]>([
  ['no rule', [], [OTHERS, 'other trade'], ['late', 'no log near', 'silent', 'copies', 'contested orders'], 63],
  ['a time limit', ['log-within'], ['late', OTHERS, 'other trade'], ['no log near', 'silent', 'copies', 'contested orders'], 93],
  ['both rules', ['log-within', 'log-for-each-order'], ['late', 'no log near', OTHERS, 'other trade'], ['silent', 'copies', 'contested orders'], 493],
])('%s announced: facts, questions, and the orders that facts concern', async (_name, rules, facts, questions, orders) => {
  expect(await find(all, rules)).toEqual({ facts, questions, orders });
});
