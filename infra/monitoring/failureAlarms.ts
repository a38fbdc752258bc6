import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AlarmDefinition } from './createAlarms.ts';
import { metrics } from './metrics.ts';
import type { Watched } from './watched.ts';

/**
 * Alarms on failures that teams notice, whatever their cause. They roll nothing back: a team that throttles the partition of
 * its own entries raises all of them. infra/monitoring/rollbackAlarms.ts has the alarms that only a version can cause.
 */
export function failureAlarms(scope: Construct, { settings }: Watched): Record<string, AlarmDefinition> {
  const { service, gateway } = metrics(scope);
  const period = Duration.minutes(1);
  return {
    ServerErrors: {
      impact: 'More than 1 % of requests end in a 5xx: teams must resend, and lose the log if their client does not.',
      metric: gateway('5XXError', settings, { statistic: 'avg', period }),
      threshold: 0.01,
      periods: 3,
    },
    Unavailable: {
      impact: 'The function answers "System busy": DynamoDB or KMS is throttled or unreachable, and teams must resend.',
      metric: service('Unavailable', 1),
      threshold: 5,
      periods: 2,
    },
    Latency: {
      impact: `1 of 100 requests takes longer than ${settings.latencyBudgetMs} ms: bots that wait for the answer trade late or time out.`,
      metric: gateway('Latency', settings, { statistic: 'p99', period }),
      threshold: settings.latencyBudgetMs,
      periods: 3,
    },
  };
}
