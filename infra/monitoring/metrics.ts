import { Duration, Stack } from 'aws-cdk-lib';
import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../../functions/config.ts';

import { firewallRules } from '../api/firewall.ts';
import type { Settings } from '../settings.ts';

/** A rule of the firewall, by its name in firewall.ts. */
type FirewallRule = keyof typeof firewallRules;

/** The metrics that alarms and dashboard are made of, besides those that the construct library names. */
export function metricsOf(scope: Construct) {
  const { stackName, region } = Stack.of(scope);
  const sum = (minutes: number): MetricOptions => ({ statistic: Stats.SUM, period: Duration.minutes(minutes) });

  return {
    /**
     * What the function counts (functions/upload/middleware/logRequest.ts).
     * @param minutes the period it is summed over
     */
    metric: (metricName: string, minutes: number, dimensions: Record<string, string> = {}) =>
      new Metric({
        namespace: METRICS_NAMESPACE,
        metricName,
        dimensionsMap: { ...dimensions, service: stackName },
        ...sum(minutes),
      }),

    /**
     * What the gateway measures. By the names of API and stage, not by reference to them: an alarm that waited for the API
     * would never be there, because the API waits for the live version, and that for the alarms that roll it back.
     */
    gateway: (metricName: '5XXError' | 'Latency', { stage }: Pick<Settings, 'stage'>, options: MetricOptions) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiName: stackName, Stage: stage },
        ...options,
      }),

    /** The namespace of what is counted in the logs; of this stack alone, because such a metric has no dimensions. */
    countedNamespace: `${METRICS_NAMESPACE}/${stackName}`,

    /** What the firewall did to requests by one of its rules. */
    firewall: (metricName: 'BlockedRequests' | 'CountedRequests', rule: FirewallRule, minutes: number) =>
      new Metric({
        namespace: 'AWS/WAFV2',
        metricName,
        dimensionsMap: { WebACL: stackName, Rule: firewallRules[rule], Region: region },
        ...sum(minutes),
      }),

    /** What DynamoDB measures of a table, by its physical name. */
    ofTable: (metricName: string, TableName: string, minutes: number) =>
      new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName }, ...sum(minutes) }),
  };
}
