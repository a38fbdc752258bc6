import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmShape } from './alarms.ts';
import { metricsOf } from './metrics.ts';

/** Errors that rise together when one thing is wrong. Every code that the function rejects with is in one group. */
interface ErrorGroup {
  readonly codes: readonly string[];
  /** What a rise means to teams, as a sentence. */
  readonly means: string;
}

/** The groups by name; each has an alarm of its own. */
export const errorGroups = {
  Headers: {
    codes: ['40001', '40002', '40003', '40011', '40007'],
    means:
      'Many uploads come without a header that they need, or not as JSON: a client that several teams use has changed.',
  },
  Clocks: {
    codes: ['40005', '40008'],
    means: "Many uploads are rejected for their timestamp: teams' clocks are off, or ours is.",
  },
  Keys: {
    codes: ['40006', '40009', '40012'],
    means:
      'Many uploads fail authentication: keys were revoked, rotated or handed out wrong, a client signs wrong, or somebody is guessing.',
  },
  Allowlist: {
    codes: ['40022'],
    means: 'Many uploads come from teams that are not approved: perhaps an import of the allowlist went wrong.',
  },
  Bodies: {
    codes: ['40017', '40019', '40020'],
    means: 'Many logs are rejected for their form: teams lose logs until a client is corrected.',
  },
  Size: {
    codes: ['413'],
    means: 'Many logs are rejected because they are too large: teams lose logs unless they shorten them.',
  },
  Weights: {
    codes: ['429'],
    means:
      'Many uploads are over the weight quota: teams that do not wait and resend lose logs; the quota may be too low.',
  },
} as const satisfies Record<string, ErrorGroup>;

/** Requests in 5 minutes below which a share of them says nothing. */
const FEW_REQUESTS = 50;

/** A fifth of all requests rejected for one cause, a quarter of an hour long. */
export function errorAlarms(scope: Construct): Record<string, AlarmShape> {
  const { metric } = metricsOf(scope);
  return Object.fromEntries(
    Object.entries(errorGroups).map(([name, { codes, means }]) => {
      const ofGroup = Object.fromEntries(codes.map((code) => [`c${code}`, metric('RejectedByCode', 5, { code })]));
      const rejected = Object.keys(ofGroup)
        .map((metric) => `FILL(${metric}, 0)`)
        .join(' + ');
      const all = '(FILL(accepted, 0) + FILL(rejected, 0))';
      const rejectedShare = new MathExpression({
        expression: `IF(${all} >= ${FEW_REQUESTS}, 100 * (${rejected}) / ${all}, 0)`,
        usingMetrics: { ...ofGroup, accepted: metric('Accepted', 5), rejected: metric('Rejected', 5) },
        label: `Rejected for ${name}, percent`,
        period: Duration.minutes(5),
      });
      return [`Rejected${name}`, { means, metric: rejectedShare, threshold: 20, periods: 3 }];
    }),
  );
}
