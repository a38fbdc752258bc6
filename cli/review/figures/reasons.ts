import {
  MANY_COPIES,
  MANY_LOGS,
  MANY_REPEATS,
  MANY_TIMES,
  SAME_TIME_MS,
  SILENT_HOURS,
  SILENT_HOURS_WITHOUT_ORDERS,
} from './limits.ts';

/** More than 5 % of the logs, or a number that no honest archetype has: other logs cannot make it small. */
const manyOf = (count: string) => `(${count} * 20 > entries OR ${count} >= ${MANY_COPIES})`;
const repeated = (count: string) => `entries > 0 AND (${count} * 5 >= entries OR ${count} >= ${MANY_REPEATS})`;

/** The team uploads: in the period, or elsewhere a log that names an order of the period or is near it. */
const HAS_LOGS = '(entries > 0 OR orders_without_log < orders)';

interface ReasonToLook {
  /** When it holds, for people, and as a condition on a row of `figures.sql`. */
  readonly when: string;
  readonly condition: string;
  /** What is likely if nothing is wrong. */
  readonly innocent: string;
}

/**
 * The reasons to look at a team. Without an order list, `orders` is null, and no condition on orders holds. They are
 * not verdicts: each says what else can explain it.
 */
export const reasons = {
  'no entries': {
    when: 'orders, or no order list, and not one log',
    condition: `entries = 0 AND (orders IS NULL OR orders > 0 AND NOT ${HAS_LOGS})`,
    innocent: 'The team uploads under another UID, or its uploads were rejected: see its messages to support.',
  },
  late: {
    when: 'more than 5 % of the logged orders are late',
    condition: 'late * 20 > orders_with_log',
    innocent: 'A slow model, a queue that was full, or a time zone that the order list does not state.',
  },
  early: {
    when: 'more than 5 % of the logged orders are early',
    condition: 'early * 20 > orders_with_log',
    innocent: 'The order list has the time of the fill, not of the order.',
  },
  'no log near': {
    when: 'more than 10 % of the orders, without child orders, have no log that names them and no log near them',
    condition: `${HAS_LOGS} AND orders_without_log * 10 > orders - child_orders`,
    innocent: 'Stop-loss orders that an exchange places itself, or slices or a grid further apart than --child-gap.',
  },
  'few named': {
    when: 'logs name less than half of the orders, without child orders',
    condition: `${HAS_LOGS} AND orders_with_log * 2 < orders - child_orders`,
    innocent: 'The client does not know the order id when it uploads, or one decision trades for hours.',
  },
  silent: {
    when: `a silence of an hour or more; without an order list, a pause of ${SILENT_HOURS_WITHOUT_ORDERS} hours or more`,
    condition: `${HAS_LOGS} AND silence_seconds
      >= 3600 * CASE WHEN orders IS NULL THEN ${SILENT_HOURS_WITHOUT_ORDERS} ELSE ${SILENT_HOURS} END`,
    innocent: "An outage of the team's network, or orders of a plan that was logged before.",
  },
  repeats: {
    when: `at least 20 % of the logs, or ${MANY_REPEATS}, repeat an earlier decision of the team with its data`,
    condition: repeated('own_repeats'),
    innocent: 'A strategy that says “hold” most of the time or buys by a plan, and logs few market data.',
  },
  template: {
    when: `at least 20 % of the logs, or ${MANY_REPEATS}, fill one long text with other data`,
    condition: repeated('templates'),
    innocent:
      'A program that fills a text with the data of its model, which figures cannot tell from invented data, or repeats the talk so far.',
  },
  copies: {
    when: `more than 5 % of the logs, or ${MANY_COPIES}, repeat a log of another team that was received more than ${SAME_TIME_MS / 1000} s earlier`,
    condition: manyOf('copies'),
    innocent: 'A library or a text that both teams use, and that the first one used only once or twice.',
  },
  'same time': {
    when: `more than 5 % of the logs, or ${MANY_COPIES}, repeat a log of another team that was received at the same time`,
    condition: manyOf('same_time'),
    innocent:
      'The other team may be the one that copies: each of the two has this reason. Or both run the same program.',
  },
  'hidden characters': {
    when: `more than 5 % of the logs, or ${MANY_COPIES}, have invisible characters in three words or more`,
    condition: manyOf('hidden_characters'),
    innocent: 'Text that is copied from web pages or PDF files, with soft hyphens in its words.',
  },
  'many logs': {
    when: `${MANY_LOGS} logs or more, and more than ${MANY_TIMES} times as many for each order as the median team has`,
    condition: `entries >= ${MANY_LOGS} AND entries > ${MANY_TIMES} * median_ratio * orders`,
    innocent: 'A bot that logs each look at the market, and seldom trades, or the vote of each of many models.',
  },
  "others' orders": {
    when: 'a log names an order of another team, or an order that another team names too and no order list contains',
    condition: 'foreign_orders > 0',
    innocent: 'A mistyped id. The other team may be the one that claims it.',
  },
  incomplete: {
    when: 'more than half of the logs lack a model version or data',
    condition: 'without_version_or_data * 2 > entries',
    innocent: 'A model whose name has no version.',
  },
} as const satisfies Record<string, ReasonToLook>;

export type Reason = keyof typeof reasons;

/** Parts the reasons in the column `look_at`. None has this character. */
const SEPARATOR = '|';

/** Returns a query of figures with the column `look_at`: the reasons to look at each team, in one text. */
export function withReasons(figures: string): string {
  const found = Object.entries(reasons).map(
    ([name, { condition }]) => `CASE WHEN ${condition} THEN '${name.replaceAll("'", "''")}' END`,
  );
  return `SELECT figures.*, concat_ws('${SEPARATOR}', ${found.join(',\n')}) AS look_at FROM (${figures}) AS figures`;
}

export const parseReasons = (lookAt: string): Reason[] => (lookAt === '' ? [] : (lookAt.split(SEPARATOR) as Reason[]));
