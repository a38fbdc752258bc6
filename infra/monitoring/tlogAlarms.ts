import { Duration } from 'aws-cdk-lib';
import { Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import type { AlarmDefinition } from './alarms.ts';
import { metrics } from './metrics.ts';

/** The lag of the transparency log at which an alarm goes off. Usually an entry is appended after 30 to 100 s. */
const LAG_LIMIT = Duration.minutes(5);

/**
 * The minutes in a row that must breach. CloudWatch looks for as many data points in the last 5 minutes before it
 * counts missing ones: a sequencer that does not run is noticed after 5 minutes, and a run of 3 minutes is no alarm.
 * Source: CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing data".
 */
const LAG_MINUTES = 3;

/**
 * What CloudFront serves in five minutes for a dollar an hour at list prices, $0.01 for 10 000 requests and $0.085 a
 * GB. The readers of 500 teams, one every ten minutes each, take a thirtieth of it.
 */
const DOLLAR_REQUESTS = 83_000;
const DOLLAR_BYTES = 980_000_000;

/** Alarms on the transparency log. They roll nothing back. */
export function tlogAlarms(scope: Construct, { settings }: { settings: Settings }): Record<string, AlarmDefinition> {
  const { service } = metrics(scope);
  return {
    EntriesEdited: {
      impact:
        'A team sent a log again, and the stored entry is not its log any more: somebody has changed the table. The team gets an error until the row is right.',
      metric: service('EntryEdited', 1),
    },
    TlogLag: {
      impact: `The newest entries of the transparency log are over ${LAG_LIMIT.toMinutes()} minutes old, or the sequencer does not run: uploads go on, but are proven later.`,
      metric: service('TlogLag', 1).with({ statistic: Stats.MAXIMUM }),
      threshold: LAG_LIMIT.toMilliseconds(),
      periods: LAG_MINUTES,
      // A sequencer that does not run reports no lag.
      missing: TreatMissingData.BREACHING,
    },
    TlogFatal: {
      impact:
        'The transparency log has stopped, because its files, its head, the clock or a witness contradict each other: uploads go on, but none is appended until someone has looked.',
      metric: service('TlogFatal', 1),
    },
    TlogStragglers: {
      impact:
        'Entries were missing from the transparency log until the second look, two days after their upload: the index by arrival hid them, or somebody inserted them.',
      metric: service('Stragglers', 60),
    },
    ...(settings.tlogPublic !== 'none' && {
      PublicRequests: {
        impact:
          'The public transparency log is read so often that its requests cost over a dollar an hour. No upload is affected: it can be paused.',
        metric: service('PublicRequests', 5),
        threshold: DOLLAR_REQUESTS,
      },
      PublicBytes: {
        impact:
          'So much of the public transparency log is read that its bytes cost over a dollar an hour. No upload is affected: it can be paused.',
        metric: service('PublicBytes', 5),
        threshold: DOLLAR_BYTES,
      },
    }),
    ...(settings.witnesses !== undefined && {
      WitnessQuorumMissed: {
        impact:
          'Too few witnesses have cosigned the transparency log: nobody outside confirms its newest uploads until they do.',
        metric: service('WitnessQuorumMissed', 5),
        threshold: 3,
      },
      WitnessContradicts: {
        impact:
          'A witness says that the transparency log was forked or rolled back. The log goes on with the other witnesses: find out whether it or the log is wrong.',
        metric: service('WitnessContradicts', 5),
      },
    }),
  };
}
