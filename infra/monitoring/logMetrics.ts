import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { metricsOf } from './metrics.ts';
import type { Watched } from './monitoring.ts';

/** What AWS has no metric for is counted in the log lines that tell of it, by a pattern over their fields. */
export const logPatterns = {
  /** Credentials that could not be opened: KMS was asked, or what it was given was sealed otherwise. */
  kmsErrors: '{ $.decryptFailed IS TRUE }',
  /** The gateway's own 429, which its metrics do not tell from a 429 of the function. */
  gatewayThrottles: '{ $.responseType = "THROTTLED" }',
} as const;

/** The counts of `logPatterns`, summed over 5 minutes. */
export function countInLogs(
  scope: Construct,
  { upload, api }: Pick<Watched, 'upload' | 'api'>,
): Record<keyof typeof logPatterns, IMetric> {
  const { countedNamespace: metricNamespace } = metricsOf(scope);
  const count = (name: keyof typeof logPatterns, { logGroup }: Pick<Watched['api'], 'logGroup'>): IMetric =>
    new MetricFilter(scope, `Count${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
      logGroup,
      filterPattern: FilterPattern.literal(logPatterns[name]),
      metricNamespace,
      metricName: name,
    }).metric({ statistic: Stats.SUM, period: Duration.minutes(5) });
  return { kmsErrors: count('kmsErrors', upload), gatewayThrottles: count('gatewayThrottles', api) };
}
