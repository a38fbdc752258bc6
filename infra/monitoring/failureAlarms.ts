import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AlarmShape } from './alarms.ts';
import { metricsOf } from './metrics.ts';
import type { Watched } from './monitoring.ts';

/** What a version of the function can do wrong; minute by minute, to tell while traffic shifts to it. */
export function failures(scope: Construct, { settings, upload }: Watched): Record<string, AlarmShape> {
  const { metric, gateway } = metricsOf(scope);
  const period = Duration.minutes(1);
  return {
    ServerErrors: {
      means: 'More than 1 % of requests end in a 5xx: teams have to resend, and those whose clients do not lose logs.',
      metric: gateway('5XXError', settings, { statistic: 'avg', period }),
      threshold: 0.01,
      periods: 3,
    },
    SystemErrors: {
      means: 'The function answers "System error": an upload failed for a reason that resending may not cure.',
      metric: metric('SystemError', 1),
      threshold: 1,
      periods: 1,
    },
    Unavailable: {
      means:
        'The function answers "System busy": the database or the key service is throttled or unreachable. Teams have to resend.',
      metric: metric('Unavailable', 1),
      threshold: 5,
      periods: 2,
    },
    FunctionErrors: {
      means: 'The function crashes or runs out of time before it answers: teams get a 503 and have to resend.',
      metric: upload.lambda.metricErrors({ period }),
      threshold: 1,
      periods: 1,
    },
    Latency: {
      means: `1 of 100 requests takes longer than ${settings.latencyBudgetMs} ms: bots that wait for the answer trade late, or give up.`,
      metric: gateway('Latency', settings, { statistic: 'p99', period }),
      threshold: settings.latencyBudgetMs,
      periods: 3,
    },
  };
}
