import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { metrics } from './metrics.ts';
import type { Watched } from './watched.ts';

/** Patterns of log lines to count, for events that AWS has no metric for: the log, and the minutes that are summed. */
export const logPatterns = {
  /** Credentials that could not be decrypted: KMS failed, or the ciphertext is not from this key. */
  kmsErrors: { log: 'upload', minutes: 5, pattern: '{ $.decryptFailed IS TRUE }' },
  /**
   * 503s that are not throttling, by the name of the SDK's error: ThrottlingException, RequestLimitExceeded,
   * ProvisionedThroughputExceededException.
   */
  unreachable: {
    log: 'upload',
    minutes: 1,
    pattern:
      '{ $.status = 503 && $.error.name != "*Throttl*" && $.error.name != "*LimitExceeded*" && $.error.name != "*ThroughputExceeded*" }',
  },
  /** Requests that the gateway throttled. Its metrics do not separate them from a 429 of the function. */
  gatewayThrottles: { log: 'api', minutes: 5, pattern: '{ $.responseType = "THROTTLED" }' },
} as const;

/** Creates the metric filter of each of `names`; returns their metrics. */
export function logMetrics<Name extends keyof typeof logPatterns>(
  scope: Construct,
  watched: Pick<Watched, 'upload' | 'api'>,
  ...names: Name[]
): Record<Name, IMetric> {
  const { logMetricsNamespace: metricNamespace } = metrics(scope);
  const count = (name: Name): IMetric => {
    const { log, minutes, pattern } = logPatterns[name];
    return new MetricFilter(scope, `Count${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
      logGroup: watched[log].logGroup,
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace,
      metricName: name,
    }).metric({ statistic: Stats.SUM, period: Duration.minutes(minutes) });
  };
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, IMetric>;
}
