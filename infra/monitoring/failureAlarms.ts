import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AlarmDefinition } from './createAlarms.ts';
import { metrics } from './metrics.ts';
import type { Watched } from './watched.ts';

/** Alarms on failures that a new version can cause. The periods are short, so that they go off during a canary. */
export function failureAlarms(scope: Construct, { settings, upload }: Watched): Record<string, AlarmDefinition> {
  const { service, gateway } = metrics(scope);
  const period = Duration.minutes(1);
  return {
    ServerErrors: {
      impact: 'More than 1 % of requests end in a 5xx: teams must resend, and lose the log if their client does not.',
      metric: gateway('5XXError', settings, { statistic: 'avg', period }),
      threshold: 0.01,
      periods: 3,
    },
    SystemErrors: {
      impact: 'The function answers "System error": an upload failed, and resending may not help.',
      metric: service('SystemError', 1),
      threshold: 1,
      periods: 1,
    },
    Unavailable: {
      impact: 'The function answers "System busy": DynamoDB or KMS is throttled or unreachable, and teams must resend.',
      metric: service('Unavailable', 1),
      threshold: 5,
      periods: 2,
    },
    FunctionErrors: {
      impact: 'The function crashes or times out: teams get a 503 and must resend.',
      metric: upload.lambda.metricErrors({ period }),
      threshold: 1,
      periods: 1,
    },
    Latency: {
      impact: `1 of 100 requests takes longer than ${settings.latencyBudgetMs} ms: bots that wait for the answer trade late or time out.`,
      metric: gateway('Latency', settings, { statistic: 'p99', period }),
      threshold: settings.latencyBudgetMs,
      periods: 3,
    },
  };
}
