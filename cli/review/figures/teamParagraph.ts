import { counted } from '../../shell/text/numbers.ts';
import { formatTime } from '../../shell/text/time.ts';
import { type AnyEngine, quoted, rowsOf } from '../../store/duckdb/duckdb.ts';
import type { Review } from './openReview.ts';
import { formatShare } from './overview.ts';
import { reasons } from './reasons.ts';
import type { TeamReport } from './reviewTeams.ts';
import { describeRules, rules } from './rules.ts';

/** The team that a team copies: the number of logs, also the other way round, the first log, and its original. */
export type Copied = Readonly<Record<'uid' | 'of' | 'first' | 'original', string>> &
  Readonly<Record<'logs' | 'back', number>>;

export const readCopied = (engine: AnyEngine, uids: readonly string[]): Promise<Copied[]> =>
  rowsOf(
    engine,
    `SELECT pairs.uid AS uid, pairs.of_uid AS "of", copies AS logs, back,
        min(entry_id) AS first, min_by(of_id, entry_id) AS original
      FROM pairs
      JOIN related ON related.uid = pairs.uid AND related.of_uid = pairs.of_uid AND relation = 'copy'
      WHERE pairs.uid IN (${uids.map(quoted)})
      GROUP BY pairs.uid, pairs.of_uid, copies, back
      ORDER BY pairs.uid, copies DESC, pairs.of_uid`,
  );

/** Returns the rule behind a fact, as it was announced; undefined: the fact needs none. */
function ruleOf(reason: TeamReport['facts'][number], limits: Review['limits']): string | undefined {
  const { rule, time } = describeRules(limits).find((one) => one.rule === reasons[reason].weight) ?? {};
  return rule && `the announced rule ${rule}${time ? ` (${time})` : ''}: ${rules[rule].says}`;
}

/** Returns what a report says of a team, in sentences that can be pasted into a letter to it. */
export function paragraphOf(
  team: TeamReport,
  { period, limits }: Pick<Review, 'period' | 'limits'>,
  copied: readonly Copied[],
): string {
  const { uid, entries, orders, ordersWithLog = 0, childOrders = 0, ordersOnlyNear = 0, ordersWithoutLog = 0 } = team;
  const name = team.team ? ` (${team.team})` : '';
  const traded = orders === undefined ? '' : ` and placed ${counted(orders, 'order')}`;
  const facts = team.facts.map((reason) => {
    const rule = ruleOf(reason, limits);
    return `${reason} (${reasons[reason].when})${rule ? `, against ${rule.replace(/\.$/, '')}` : ''}`;
  });
  const questions = team.lookAt.filter((reason) => !team.facts.includes(reason));
  return [
    `From ${formatTime(period.from)} until ${formatTime(period.until)}, team ${uid}${name} uploaded ${counted(entries, 'AI log')}${traded}.`,
    ...(orders
      ? [
          `AI logs name ${ordersWithLog} of the orders (${formatShare(team.coveragePercent)} of those that need one); ${childOrders} follow an order that is named; ${ordersOnlyNear} have a log near them that does not name them; ${ordersWithoutLog} have none.`,
        ]
      : []),
    ...facts.map((fact) => `Fact: ${fact}.`),
    ...copied.map(
      ({ of, logs, back, first, original }) =>
        `The team repeats ${counted(logs, 'log')} of team ${of} that the service had received before: the first is ${first}, after ${original}.${back > 0 ? ` Team ${of} repeats ${back} of this team, so a common source is likely.` : ''}`,
    ),
    ...(questions.length > 0 ? [`Questions, which figures alone do not answer: ${questions.join(', ')}.`] : []),
  ].join(' ');
}
