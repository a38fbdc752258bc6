import { Duration, Stack } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { METRICS_NAMESPACE, type MetricName } from '../../functions/metrics.ts';
import { firewallRules } from '../api/firewall.ts';
import type { Settings } from '../settings.ts';

/** A key of `firewallRules`. */
type FirewallRule = keyof typeof firewallRules;

/** The metrics of one stack for alarms and dashboard, by source. The construct library has those of the function itself. */
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
     * A metric of the gateway. It names API and stage by text, not by reference: the API depends on the live alias, and the
     * alias on the alarms that roll it back, so a reference from an alarm to the API would be circular.
     */
    gateway: (metricName: '5XXError' | 'Latency', { stage }: Pick<Settings, 'stage'>, options: MetricOptions) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiName: stackName, Stage: stage },
        ...options,
      }),

    /** The namespace of metrics that are counted in logs. They cannot have dimensions, so each stack has its own namespace. */
    logMetricsNamespace: `${METRICS_NAMESPACE}/${stackName}`,

    /** The number of requests that a rule of the firewall has blocked or counted. */
    firewall: (metricName: 'BlockedRequests' | 'CountedRequests', rule: FirewallRule, minutes: number) =>
      new Metric({
        namespace: 'AWS/WAFV2',
        metricName,
        dimensionsMap: { WebACL: stackName, Rule: firewallRules[rule], Region: region },
        ...sum(minutes),
      }),

    /** A metric of a DynamoDB table by its physical name, or of an index with `GlobalSecondaryIndexName` as a dimension. */
    table: (metricName: string, TableName: string, minutes: number, dimensions: Record<string, string> = {}) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        dimensionsMap: { TableName, ...dimensions },
        ...sum(minutes),
      }),
  };
}
