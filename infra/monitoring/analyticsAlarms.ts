import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { IndexerFunction } from '../analytics/indexerFunction.ts';
import type { AlarmDefinition } from './alarms.ts';
import { metrics } from './metrics.ts';

/** The age of the oldest entry without a row at which an alarm goes off. The stream keeps entries for 24 hours. */
const AGE_LIMIT = Duration.hours(1);

const HOURS = 6;

/** The entries in that time below which a share says nothing: a minute's entries come into the other period. */
const COUNTED_FROM = 1000;

/** Alarms on feature rows. Uploads do not depend on them. */
export function analyticsAlarms(scope: Construct, indexer: IndexerFunction): Record<string, AlarmDefinition> {
  const { service } = metrics(scope);
  const maximum = { statistic: Stats.MAXIMUM, period: Duration.minutes(5) };
  return {
    RowsLate: {
      impact: `The oldest entry without a feature row is over ${AGE_LIMIT.toHours()} hour old: reports from the bucket lack the newest entries. After 24 hours, a backfill is needed.`,
      metric: indexer.lambda.metric('IteratorAge', maximum),
      threshold: AGE_LIMIT.toMilliseconds(),
      periods: 3,
    },
    RowsFailed: {
      impact:
        'The indexer has given up on entries or on a nightly run: reports from the bucket lack these entries, or read more files than needed.',
      metric: indexer.failures.metricApproximateNumberOfMessagesVisible(maximum),
    },
    RowsBehind: {
      impact:
        'Fewer feature rows than entries of the transparency log were made in 6 hours: reports from the bucket lack entries. A backfill finds and adds them.',
      metric: new MathExpression({
        expression: `IF(appended >= ${COUNTED_FROM}, 100 * (appended - FILL(indexed, 0)) / appended, 0)`,
        usingMetrics: { appended: service('TlogAppended', HOURS * 60), indexed: service('RowsIndexed', HOURS * 60) },
        label: '% of the entries of the transparency log',
        period: Duration.hours(HOURS),
      }),
      threshold: 5,
    },
  };
}
