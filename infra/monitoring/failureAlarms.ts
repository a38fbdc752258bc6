import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { AlarmDefinition } from './alarms.ts';
import { computed, countLogLines, metrics, type Watched } from './metrics.ts';

const period = Duration.minutes(1);

/** Alarms on failures that teams notice. They roll nothing back: one team that throttles its partition raises all. */
export function failureAlarms(scope: Construct, { settings }: Watched): Record<string, AlarmDefinition> {
  const { service, gateway } = metrics(scope);
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

/** A new version is rolled back if its requests are this many times slower than all requests. */
const SLOWDOWN = 2;

/**
 * Alarms on failures that a version can cause and a team cannot. A team can throttle the partition of its own entries,
 * so throttled calls do not count, and it can send slow requests, so a new version is only compared with the one before
 * it. The periods are short, so that the alarms go off during a canary.
 */
export function rollbackAlarms(scope: Construct, watched: Watched): Record<string, AlarmDefinition> {
  const { settings, upload } = watched;
  const { service } = metrics(scope);
  return {
    SystemErrors: {
      impact: 'The function answers "System error": an upload failed, and resending may not help.',
      metric: service('SystemError', 1),
    },
    FunctionErrors: {
      impact: 'The function crashes or times out: teams get a 503 and must resend.',
      metric: upload.lambda.metricErrors({ period }),
    },
    ReceiptsMissing: {
      impact:
        'Uploads are stored, but without a receipt: teams have less proof of them. The key of receipts is missing, cannot be decrypted, or is of a log of another name.',
      metric: service('ReceiptMissing', 1),
      periods: 2,
    },
    Unreachable: {
      impact:
        'The function answers "System busy" although nothing throttles it: DynamoDB or KMS fails, is too slow or cannot be reached, and teams must resend.',
      metric: countLogLines(scope, watched, 'unreachable'),
      threshold: 5,
      periods: 2,
    },
    ...(settings.canary && {
      SlowVersion: {
        impact: `Half of the requests to a new version take over ${settings.latencyBudgetMs} ms and ${SLOWDOWN} times as long as usual: bots that wait for the answer trade late.`,
        metric: slowVersion(watched),
        periods: 3,
      },
    }),
  };
}

/**
 * Returns a metric that is 1 in a minute in which the new version is slow. The gateway spreads every team's requests
 * over both versions alike, so what a team sends slows both. The median of all requests is that of the previous
 * version, which gets nine tenths of them during a canary, and that of the only version afterwards.
 */
function slowVersion({ settings, upload: { lambda } }: Watched) {
  const median = (dimensions: Record<string, string>) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Duration',
      dimensionsMap: { FunctionName: lambda.functionName, ...dimensions },
      statistic: 'p50',
      period,
    });
  return computed('Slow version', 1, `IF(new > ${settings.latencyBudgetMs} AND new > ${SLOWDOWN} * all, 1, 0)`, {
    new: median({ Resource: `${lambda.functionName}:live`, ExecutedVersion: lambda.currentVersion.version }),
    all: median({}),
  });
}
