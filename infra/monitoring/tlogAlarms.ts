import { Duration } from 'aws-cdk-lib';
import { Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmDefinition } from './alarms.ts';
import { computed, metrics, total, type Watched } from './metrics.ts';

/** The lag of the transparency log at which an alarm goes off. Usually an entry is appended after 30 to 100 s. */
const LAG_LIMIT = Duration.minutes(5);

/** The missed quorums in 5 minutes at which an alarm goes off: a single run may find a witness busy. */
const MISSED_QUORUMS = 3;

/** The age of the oldest entry without a row at which an alarm goes off. The stream keeps entries for 24 hours. */
const AGE_LIMIT = Duration.hours(1);

/** Alarms on the transparency log and on feature rows. They roll nothing back, and uploads do not depend on either. */
export function tlogAlarms(scope: Construct, { settings, indexer }: Watched): Record<string, AlarmDefinition> {
  const { service } = metrics(scope);
  const lagLimit = LAG_LIMIT.toMilliseconds();
  return {
    TlogEdited: {
      impact:
        'A stored entry is not what a team sent: somebody has changed the table. A team that sends this log again gets an error until the row is right.',
      first: 'run ailog tlog audit, which names the entry, and ask who may write the table.',
      metric: total('Edited entries and poisoned rows', {
        edited: service('EntryEdited', 5),
        poisoned: service('EntriesPoisoned', 5),
      }),
    },
    TlogLag: {
      impact: `The transparency log is over ${LAG_LIMIT.toMinutes()} minutes behind, or an entry was found only two days after its upload: uploads go on, but their receipts promised ten minutes.`,
      first: 'run ailog tlog status, and read the log of the sequencer.',
      // The least lag of 5 minutes: one long run is no alarm. A sequencer that does not run reports none.
      metric: computed('Lag, ms', 5, `FILL(lag, ${lagLimit}) + ${lagLimit} * FILL(stragglers, 0)`, {
        lag: service('TlogLag', 5).with({ statistic: Stats.MINIMUM }),
        stragglers: service('Stragglers', 5),
      }),
      threshold: lagLimit,
      missing: TreatMissingData.BREACHING,
    },
    TlogFatal: {
      impact:
        'The transparency log has stopped, because its files, its table, its keys or the clock contradict each other: uploads go on, but none is appended until someone has looked.',
      first: 'change nothing, and read the condition in the log of the sequencer.',
      metric: service('TlogFatal', 1),
    },
    ...(settings.witnesses !== undefined && {
      Witnesses: {
        impact:
          'Too few witnesses have cosigned the transparency log: nobody outside confirms the newest uploads. A witness that has seen another log of this name does not cosign either.',
        first: 'read what the witnesses say in the log of the sequencer.',
        metric: service('WitnessQuorumMissed', 5),
        threshold: MISSED_QUORUMS,
      },
    }),
    ...(indexer && {
      RowsLate: {
        impact: `No feature row is made, or the oldest entry without one is over ${AGE_LIMIT.toHours()} hour old: reports about teams lack the newest logs. After 24 hours, a backfill is needed.`,
        first: 'read the log of the indexer.',
        metric: computed(
          'Rows are late',
          15,
          `IF(FILL(age, 0) >= ${AGE_LIMIT.toMilliseconds()} OR (FILL(appended, 0) > 0 AND FILL(indexed, 0) == 0), 1, 0)`,
          {
            age: indexer.lambda.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: Duration.minutes(15) }),
            appended: service('TlogAppended', 15),
            indexed: service('RowsIndexed', 15),
          },
        ),
        periods: 2,
      },
    }),
  };
}
