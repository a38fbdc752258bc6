import { quoted } from '../../store/duckdb/duckdb.ts';
import {
  FOLLOW_TIMES,
  FOLLOW_WITHIN_MS,
  LEAST_COPIES,
  LEAST_FOLLOWS,
  LEAST_OTHER_TRADES,
  MANY_COPIES,
  MANY_LOGS,
  MANY_REPEATS,
  MANY_TIMES,
  SAME_TIME_MS,
  SILENT_HOURS,
  SILENT_HOURS_WITHOUT_ORDERS,
} from './limits.ts';
import type { Rule } from './rules.ts';

/** More than 5 % of the logs, or a number that no honest archetype has: other logs cannot make it small. */
const manyOf = (count: string) => `(${count} * 20 > entries OR ${count} >= ${MANY_COPIES})`;
const repeatedOfOne = (count: string) => `${count} >= ${LEAST_COPIES} AND ${manyOf(count)}`;
const fifthOf = (count: string, all: string) =>
  `${count} > 0 AND (${count} * 5 >= ${all} OR ${count} >= ${MANY_REPEATS})`;

/** The team uploads: in the period, or elsewhere a log that names an order of the period or is near it. */
const HAS_LOGS = '(entries > 0 OR orders_without_log < orders)';

/**
 * When a reason holds, for people, and as a condition on a row of `figures.sql`; what is likely if nothing is wrong. It
 * is a fact if order list and logs say it by themselves, or if the organisers announced its rule; else a question.
 * `orders`: how many it concerns, as an expression on the row.
 */
type ReasonToLook = Readonly<Record<'when' | 'condition' | 'innocent', string>> &
  Readonly<{ weight?: 'fact' | Rule; orders?: string }>;

const named = <Name extends string>(table: Readonly<Record<Name, ReasonToLook>>) => table;

/**
 * The reasons to look at a team. They are no verdicts: each says what else explains it. Without an order list, `orders`
 * is null, and no condition on orders holds.
 */
export const reasons = named({
  'no entries': {
    weight: 'fact',
    orders: 'orders',
    when: 'orders, and not one log',
    condition: `orders > 0 AND NOT ${HAS_LOGS}`,
    innocent: 'It uploads under another UID, or its uploads were rejected.',
  },
  late: {
    weight: 'log-within',
    orders: 'late',
    when: 'more than 5 % of the logged orders are late',
    condition: 'late * 20 > orders_with_log',
    innocent: 'A slow model, a full queue, or a time zone that the list does not state.',
  },
  early: {
    when: 'more than 5 % of the logged orders are early',
    condition: 'early * 20 > orders_with_log',
    innocent: 'The order list has the time of the fill, not of the order.',
  },
  'no log near': {
    weight: 'log-for-each-order',
    orders: 'orders_without_log',
    when: 'more than 10 % of the orders, without child orders, have no log that names them and no log near them',
    condition: `${HAS_LOGS} AND orders_without_log * 10 > orders - child_orders`,
    innocent: 'Stops of an exchange, slices or a grid over hours, or an outage.',
  },
  'few named': {
    when: 'logs name less than half of the orders, without child orders',
    condition: `${HAS_LOGS} AND orders_with_log * 2 < orders - child_orders`,
    innocent: 'The order id comes after the upload, or a decision trades for hours.',
  },
  silent: {
    when: `a silence of an hour or more; without an order list, a pause of ${SILENT_HOURS_WITHOUT_ORDERS} hours or more`,
    condition: `${HAS_LOGS} AND silence_seconds
      >= 3600 * CASE WHEN orders IS NULL THEN ${SILENT_HOURS_WITHOUT_ORDERS} ELSE ${SILENT_HOURS} END`,
    innocent: 'An outage, or orders of a plan that was logged before.',
  },
  repeats: {
    when: `at least 20 % of the logs, or ${MANY_REPEATS}, repeat an earlier decision of the team with its data`,
    condition: fifthOf('own_repeats', 'entries'),
    innocent: 'A strategy that mostly holds or buys by a plan, and logs few data.',
  },
  template: {
    when: `at least 20 % of the logs, or ${MANY_REPEATS}, fill one long text with other data`,
    condition: fifthOf('templates', 'entries'),
    innocent: 'A program that fills a text with data of its model, or the talk so far.',
  },
  copies: {
    when: `more than 5 % of the logs, or ${MANY_COPIES}, repeat logs of one other team, ${LEAST_COPIES} different ones or more, that were received more than ${SAME_TIME_MS / 1000} s earlier`,
    condition: repeatedOfOne('copies'),
    innocent: 'A feed, a signal service or an owner that both have: so if both ways.',
  },
  'same time': {
    when: 'the same as copies, with logs that were received at the same time',
    condition: repeatedOfOne('same_time'),
    innocent: 'The other one copies: both have this reason. Or both run one program.',
  },
  follows: {
    when: `more than 5 % of the logs, or ${MANY_COPIES}, nearly equal short logs of one other team in the ${FOLLOW_WITHIN_MS / 3_600_000} h before: ${LEAST_FOLLOWS} more than ${FOLLOW_TIMES} times what shifted times give`,
    condition: manyOf('follows'),
    innocent: 'A signal service that reaches one later, or one owner of both.',
  },
  'hidden characters': {
    when: `more than 5 % of the logs, or ${MANY_COPIES}, have invisible characters in three words or more`,
    condition: manyOf('hidden_characters'),
    innocent: 'Text of web pages or PDF files, with soft hyphens.',
  },
  'many logs': {
    when: `${MANY_LOGS} logs or more, and more than ${MANY_TIMES} times as many for each order as the median team has`,
    condition: `entries >= ${MANY_LOGS} AND entries > ${MANY_TIMES} * median_ratio * orders`,
    innocent: 'A bot that logs each look at the market, or votes of many models.',
  },
  "others' orders": {
    weight: 'fact',
    orders: 'foreign_orders - contested_orders',
    when: 'a log names an order that the order list gives to another team',
    condition: 'foreign_orders > contested_orders',
    innocent: 'A mistyped id, or two accounts of one owner.',
  },
  'other trade': {
    weight: 'fact',
    orders: 'other_trades',
    when: `logs state another coin or side than the orders that they name: ${LEAST_OTHER_TRADES} or more, and more than 5 % of those with a log, or ${MANY_COPIES}`,
    condition: `other_trades >= ${LEAST_OTHER_TRADES} AND (other_trades * 20 > orders_with_log OR other_trades >= ${MANY_COPIES})`,
    innocent: 'Ids that the client mixed up, such as that of the order before.',
  },
  'contested orders': {
    when: 'a log names an order that another team names too, and that no order list contains',
    condition: 'contested_orders > 0',
    innocent: 'The other team may claim it: each of the two has this reason.',
  },
  'says nothing': {
    when: `at least 20 % of the orders that logs name, or ${MANY_REPEATS}, have only logs without symbol, side, price or reason`,
    condition: fifthOf('says_nothing', 'named_orders'),
    innocent: 'A model whose input and output are numbers only.',
  },
  incomplete: {
    when: 'more than half of the logs lack a model version or data',
    condition: 'without_version_or_data * 2 > entries',
    innocent: 'A model whose name has no version.',
  },
});

export type Reason = keyof typeof reasons;

/** Parts the reasons in one column. None has this character. */
const SEPARATOR = '|';

export function weightOf(reason: Reason, announced: readonly Rule[]): 'fact' | 'question' {
  const { weight } = reasons[reason];
  return weight === 'fact' || announced.some((rule) => rule === weight) ? 'fact' : 'question';
}

/**
 * Returns a query of figures with the columns `facts`, `questions`, and `fact_orders`: how many orders the facts
 * concern.
 */
export function withReasons(figures: string, announced: readonly Rule[]): string {
  const all = Object.entries<ReasonToLook>(reasons).map(([name, { condition, orders = '0' }]) => {
    return { condition, orders, weight: weightOf(name as Reason, announced), name: quoted(name) };
  });
  const facts = all.filter(({ weight }) => weight === 'fact');
  const questions = all.filter(({ weight }) => weight === 'question');
  const list = (of: typeof all) =>
    `concat_ws('${SEPARATOR}', ${of.map(({ name, condition }) => `CASE WHEN ${condition} THEN ${name} END`).join(',\n')})`;
  const concerned = facts.map(({ condition, orders }) => `CASE WHEN ${condition} THEN ${orders} ELSE 0 END`);
  return `SELECT figures.*, ${list(facts)} AS facts, ${list(questions)} AS questions,
    ${concerned.join(' + ')} AS fact_orders FROM (${figures}) AS figures`;
}

export const parseReasons = (column: string): Reason[] => (column === '' ? [] : (column.split(SEPARATOR) as Reason[]));
