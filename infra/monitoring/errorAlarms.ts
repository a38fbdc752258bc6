import { AnomalyDetectionAlarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmDefinition } from './alarms.ts';
import { computed, metrics } from './metrics.ts';

/**
 * Errors with one common cause, which therefore rise together, and the effect of a rise on teams. Each group has an
 * alarm, and every code that the function rejects with is in one group.
 */
export const errorGroups = {
  Headers: {
    codes: ['40001', '40002', '40003', '40011', '40007'],
    impact:
      'Many uploads lack a required header or are not sent as JSON: a client that several teams use may have changed.',
  },
  Clocks: {
    codes: ['40005', '40008'],
    impact: 'Many uploads are rejected for their timestamp: the clocks of teams, or the clock of the service, are off.',
  },
  Keys: {
    codes: ['40006', '40009', '40012'],
    impact:
      'Many uploads fail authentication: keys were revoked, rotated or handed over incorrectly, a client signs incorrectly, or someone is guessing.',
  },
  Allowlist: {
    codes: ['40022'],
    impact: 'Many uploads come from teams that are not approved: an import of the allowlist may have gone wrong.',
  },
  Bodies: {
    codes: ['40017', '40019', '40020'],
    impact: 'Many logs are rejected as invalid: teams lose logs until they fix their client.',
  },
  Size: { codes: ['413'], impact: 'Many logs are rejected as too large: teams lose logs until they shorten them.' },
  Weights: {
    codes: ['429'],
    impact:
      'Many uploads exceed the weight quota: teams that do not wait and resend lose logs. The quota may be too low.',
  },
} as const;

/** The minimum number of requests in 5 minutes for which a share is meaningful. */
const MIN_REQUESTS = 50;

/**
 * Alarms on a fifth of all requests for a quarter of an hour: a cause that several teams share. A fixed number would be
 * wrong in at least one phase of a competition, and would let one bot in a loop set the alarm off.
 */
export function errorAlarms(scope: Construct): Record<string, AlarmDefinition> {
  const { service } = metrics(scope);
  return Object.fromEntries(
    Object.entries(errorGroups).map(([name, { codes, impact }]) => {
      const ofGroup = Object.fromEntries(codes.map((code) => [`c${code}`, service('RejectedByCode', 5, { code })]));
      const rejected = codes.map((code) => `FILL(c${code}, 0)`).join(' + ');
      const all = '(FILL(accepted, 0) + FILL(rejected, 0))';
      const share = `IF(${all} >= ${MIN_REQUESTS}, 100 * (${rejected}) / ${all}, 0)`;
      const counts = { ...ofGroup, accepted: service('Accepted', 5), rejected: service('Rejected', 5) };
      const metric = computed(`Rejected for ${name}, percent`, 5, share, counts);
      return [`Rejected${name}`, { impact, metric, threshold: 20, periods: 3 }];
    }),
  );
}

/** Creates the alarm on fewer uploads than CloudWatch has learned to expect at this time of the week. */
export const createFewerUploads = (scope: Construct): AnomalyDetectionAlarm =>
  new AnomalyDetectionAlarm(scope, 'FewerUploads', {
    alarmDescription:
      'Far fewer logs are accepted than usual at this time: teams cannot reach the service, or all of them are rejected.',
    metric: computed('Accepted', 15, 'FILL(accepted, 0)', { accepted: metrics(scope).service('Accepted', 15) }),
    stdDevs: 3,
    evaluationPeriods: 2,
    comparisonOperator: ComparisonOperator.LESS_THAN_LOWER_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
