import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { metrics } from './metrics.ts';
import type { Watched } from './watched.ts';

/** Patterns of log lines to count, for events that AWS has no metric for. */
export const logPatterns = {
  /** Credentials that could not be decrypted: KMS failed, or the ciphertext is not from this key. */
  kmsErrors: '{ $.decryptFailed IS TRUE }',
  /** Requests that the gateway throttled. Its metrics do not separate them from a 429 of the function. */
  gatewayThrottles: '{ $.responseType = "THROTTLED" }',
} as const;

/** Creates a metric filter for each of `logPatterns`; returns their metrics, summed over 5 minutes. */
export function logMetrics(
  scope: Construct,
  { upload, api }: Pick<Watched, 'upload' | 'api'>,
): Record<keyof typeof logPatterns, IMetric> {
  const { logMetricsNamespace: metricNamespace } = metrics(scope);
  const count = (name: keyof typeof logPatterns, { logGroup }: Pick<Watched['api'], 'logGroup'>): IMetric =>
    new MetricFilter(scope, `Count${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
      logGroup,
      filterPattern: FilterPattern.literal(logPatterns[name]),
      metricNamespace,
      metricName: name,
    }).metric({ statistic: Stats.SUM, period: Duration.minutes(5) });
  return { kmsErrors: count('kmsErrors', upload), gatewayThrottles: count('gatewayThrottles', api) };
}
