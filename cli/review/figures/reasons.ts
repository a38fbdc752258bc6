import { SAME_TIME_MS, SILENT_HOURS, SILENT_HOURS_WITHOUT_ORDERS } from './limits.ts';

/**
 * The reasons to look at a team: what each says, and its condition on a row of `figures.sql`. Without an order list,
 * `orders` is null, and no condition on orders holds. They are not verdicts: docs/review.md says what else can explain
 * them.
 */
export const reasons = {
  'no entries': {
    when: 'orders, or no order list, and not one log',
    condition: 'entries = 0 AND (orders IS NULL OR orders > 0)',
  },
  late: {
    when: 'more than 5 % of the logged orders are late',
    condition: 'late * 20 > orders_with_log',
  },
  early: {
    when: 'more than 5 % of the logged orders are early',
    condition: 'early * 20 > orders_with_log',
  },
  'no log near': {
    when: 'more than 10 % of the orders have no log that names them and no log near them',
    condition: 'entries > 0 AND orders_without_log * 10 > orders',
  },
  'few named': {
    when: 'logs name less than half of the orders',
    condition: 'entries > 0 AND orders_with_log * 2 < orders',
  },
  silent: {
    when: `a silence of an hour or more; without an order list, a pause of ${SILENT_HOURS_WITHOUT_ORDERS} hours or more`,
    condition: `entries > 0 AND silence_seconds
      >= 3600 * CASE WHEN orders IS NULL THEN ${SILENT_HOURS_WITHOUT_ORDERS} ELSE ${SILENT_HOURS} END`,
  },
  repeats: {
    when: 'at least 20 % of the logs repeat an earlier log of the team',
    condition: 'entries > 0 AND own_repeats * 5 >= entries',
  },
  copies: {
    when: `more than 5 % of the logs repeat a log of another team that was received more than ${SAME_TIME_MS / 1000} s earlier`,
    condition: 'copies * 20 > entries',
  },
  'same time': {
    when: 'more than 5 % of the logs repeat a log of another team that was received at the same time',
    condition: 'same_time * 20 > entries',
  },
  'hidden characters': {
    when: 'more than 5 % of the logs have invisible characters in three words or more',
    condition: 'hidden_characters * 20 > entries',
  },
  "others' orders": {
    when: 'a log names an order of another team, or an order that another team names too and no order list contains',
    condition: 'foreign_orders > 0',
  },
  incomplete: {
    when: 'more than half of the logs lack a model version or data',
    condition: 'without_version_or_data * 2 > entries',
  },
} as const satisfies Record<string, { readonly when: string; readonly condition: string }>;

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
