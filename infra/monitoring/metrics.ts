import { Duration, Stack } from 'aws-cdk-lib';
import { type IMetric, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { METRICS_NAMESPACE, type MetricName } from '../../functions/metrics.ts';
import type { Api } from '../api/api.ts';
import { firewallRules } from '../api/firewall.ts';
import type { Settings } from '../settings.ts';
import type { Tables } from '../storage/tables.ts';
import type { UploadFunction } from '../uploadFunction.ts';

/** The parts of a deployment that are monitored, and the settings that define their normal range. */
export interface Watched {
  readonly settings: Settings;
  readonly upload: UploadFunction;
  readonly api: Api;
  readonly tables: Tables;
}

/** The metrics of one stack by source. The construct library has those of the function itself. */
export function metrics(scope: Construct) {
  const { stackName, region } = Stack.of(scope);
  const sum = (minutes: number): MetricOptions => ({ statistic: Stats.SUM, period: Duration.minutes(minutes) });

  return {
    /**
     * A metric that a function emits.
     * @param minutes the period it is summed over
     */
    service: (metricName: MetricName, minutes: number, dimensions: { readonly code?: string } = {}) =>
      new Metric({
        namespace: METRICS_NAMESPACE,
        metricName,
        dimensionsMap: { ...dimensions, service: stackName },
        ...sum(minutes),
      }),

    /**
     * A metric of the gateway. It names API and stage by text, not by reference: the API depends on the live alias, and
     * the alias on the alarms that roll it back, so a reference from an alarm to the API would be circular.
     */
    gateway: (metricName: '5XXError' | 'Latency', { stage }: Pick<Settings, 'stage'>, options: MetricOptions) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiName: stackName, Stage: stage },
        ...options,
      }),

    /** The number of requests that a rule of the firewall has blocked or counted. */
    firewall: (metricName: 'BlockedRequests' | 'CountedRequests', rule: keyof typeof firewallRules, minutes: number) =>
      new Metric({
        namespace: 'AWS/WAFV2',
        metricName,
        dimensionsMap: { WebACL: stackName, Rule: firewallRules[rule], Region: region },
        ...sum(minutes),
      }),

    /** A metric of a table by its physical name, or of an index with the dimension `GlobalSecondaryIndexName`. */
    table: (metricName: string, TableName: string, minutes: number, dimensions: Record<string, string> = {}) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        dimensionsMap: { TableName, ...dimensions },
        ...sum(minutes),
      }),
  };
}

/** Patterns of log lines to count where AWS has no metric: the log group, and the minutes that are summed. */
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

/**
 * Creates the metric filter of each of `names`; returns their metrics. They cannot have dimensions, so each stack has a
 * namespace of its own.
 */
export function logMetrics<Name extends keyof typeof logPatterns>(
  scope: Construct,
  watched: Pick<Watched, 'upload' | 'api'>,
  ...names: Name[]
): Record<Name, IMetric> {
  const count = (name: Name): IMetric => {
    const { log, minutes, pattern } = logPatterns[name];
    return new MetricFilter(scope, `Count${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
      logGroup: watched[log].logGroup,
      filterPattern: FilterPattern.literal(pattern),
      metricNamespace: `${METRICS_NAMESPACE}/${Stack.of(scope).stackName}`,
      metricName: name,
    }).metric({ statistic: Stats.SUM, period: Duration.minutes(minutes) });
  };
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, IMetric>;
}
