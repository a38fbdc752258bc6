import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { IndexerFunction } from '../analytics/indexerFunction.ts';
import type { AlarmDefinition } from './alarms.ts';
import { computed, metrics } from './metrics.ts';

/** The age of the oldest entry without a row at which an alarm goes off. The stream keeps entries for 24 hours. */
const AGE_LIMIT = Duration.hours(1);

/** The entries in six hours below which a share says nothing: a minute's entries come into the other period. */
const COUNTED_FROM = 1000;

/** Alarms on feature rows. Uploads do not depend on them. */
export function analyticsAlarms(scope: Construct, indexer: IndexerFunction): Record<string, AlarmDefinition> {
  const { service } = metrics(scope);
  const entriesAndRows = (minutes: number) => ({
    appended: service('TlogAppended', minutes),
    indexed: service('RowsIndexed', minutes),
  });
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
    RowsStopped: {
      impact:
        'Entries come in, and no feature row is made: the indexer is not invoked, such as by a disabled event source mapping. Its stream keeps 24 hours.',
      metric: computed(
        'A quarter of an hour without a row',
        15,
        'IF(FILL(appended, 0) > 0 AND FILL(indexed, 0) == 0, 1, 0)',
        entriesAndRows(15),
      ),
      periods: 2,
    },
    RowsBehind: {
      impact:
        'Fewer feature rows than entries of the transparency log were made in 6 hours: reports from the bucket lack entries. A backfill finds and adds them.',
      metric: computed(
        '% of the entries of the transparency log',
        360,
        `IF(appended >= ${COUNTED_FROM}, 100 * (appended - FILL(indexed, 0)) / appended, 0)`,
        entriesAndRows(360),
      ),
      threshold: 5,
    },
  };
}
