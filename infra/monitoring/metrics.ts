import { Duration, Stack } from 'aws-cdk-lib';
import {
  type DimensionsMap,
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { METRICS_NAMESPACE, type MetricName } from '../../functions/metrics.ts';
import { functionTables } from '../../functions/tables.ts';
import type { IndexerFunction } from '../analytics/indexerFunction.ts';
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
  readonly indexer: IndexerFunction | undefined;
}

export const logGroupOf = ({ upload, api }: Pick<Watched, 'upload' | 'api'>, log: 'upload' | 'api'): ILogGroup =>
  log === 'upload' ? upload.lambda.logGroup : api.logGroup;

/** Returns a metric that is computed of others. @param minutes the period of each of them */
export const computed = (label: string, minutes: number, expression: string, of: Record<string, IMetric>) =>
  new MathExpression({ expression, usingMetrics: of, period: Duration.minutes(minutes), label });

/** Returns the sum of counts of 5 minutes, no data as 0: otherwise alarms on metrics of DynamoDB would stay on. */
export function total(label: string, of: Record<string, IMetric>): MathExpression {
  const filled = Object.keys(of).map((id) => `FILL(${id}, 0)`);
  return computed(label, 5, filled.join(' + '), of);
}

/** Patterns of log lines to count where AWS has no metric: the log group, and the minutes that are summed. */
export const logPatterns = {
  /** Credentials that could not be decrypted: KMS failed, or the ciphertext is not from this key. */
  kmsErrors: { log: 'upload', minutes: 5, pattern: '{ $.decryptFailed IS TRUE }' },
  /** 503s that are not throttling, by the name of the SDK's error. */
  unreachable: {
    log: 'upload',
    minutes: 1,
    pattern:
      '{ $.status = 503 && $.error.name != "*Throttl*" && $.error.name != "*LimitExceeded*" && $.error.name != "*ThroughputExceeded*" }',
  },
  /** Requests that the gateway throttled. Its metrics do not separate them from a 429 of the function. */
  gatewayThrottles: { log: 'api', minutes: 5, pattern: '{ $.responseType = "THROTTLED" }' },
} as const;

/** The metrics of one stack by source. The construct library has the metrics of the function itself. */
export function metrics(scope: Construct) {
  const { stackName, region } = Stack.of(scope);
  const metric = (namespace: string, metricName: string, dimensionsMap: DimensionsMap, options: MetricOptions) =>
    new Metric({ namespace, metricName, dimensionsMap, ...options });
  const sum = (minutes: number): MetricOptions => ({ statistic: Stats.SUM, period: Duration.minutes(minutes) });
  const ofTable = (name: string, TableName: string, minutes: number, dimensions: DimensionsMap = {}) =>
    metric('AWS/DynamoDB', name, { TableName, ...dimensions }, sum(minutes));

  return {
    /** A metric that a function emits. @param minutes the period it is summed over */
    service: (name: MetricName, minutes: number, dimensions: { readonly code?: string } = {}) =>
      metric(METRICS_NAMESPACE, name, { ...dimensions, service: stackName }, sum(minutes)),

    /** A metric of the gateway. A reference instead of its names would make API, alias and alarms circular. */
    gateway: (name: '5XXError' | 'Latency', { stage }: Pick<Settings, 'stage'>, options: MetricOptions) =>
      metric('AWS/ApiGateway', name, { ApiName: stackName, Stage: stage }, options),

    firewall: (name: 'BlockedRequests' | 'CountedRequests', rule: keyof typeof firewallRules, minutes: number) =>
      metric('AWS/WAFV2', name, { WebACL: stackName, Rule: firewallRules[rule], Region: region }, sum(minutes)),

    /** The log lines that match a pattern. Without dimensions, each stack has a namespace of its own. */
    counted: (name: keyof typeof logPatterns) =>
      metric(`${METRICS_NAMESPACE}/${stackName}`, name, {}, sum(logPatterns[name].minutes)),

    table: ofTable,

    /** The throttled writes of the indexes of entries, by name. A throttled index throttles its table too. */
    throttledIndexes: (table: string) =>
      Object.fromEntries(
        Object.keys(functionTables.aiLogs.indexes ?? {}).map((label) => [
          label,
          ofTable('WriteThrottleEvents', table, 5, { GlobalSecondaryIndexName: label }).with({ label }),
        ]),
      ),
  };
}

/** Creates the metric filter of a pattern. @returns what it counts */
export function countLogLines(
  scope: Construct,
  watched: Pick<Watched, 'upload' | 'api'>,
  name: keyof typeof logPatterns,
): Metric {
  const { log, pattern } = logPatterns[name];
  const counted = metrics(scope).counted(name);
  new MetricFilter(scope, `Count${name.charAt(0).toUpperCase()}${name.slice(1)}`, {
    logGroup: logGroupOf(watched, log),
    filterPattern: FilterPattern.literal(pattern),
    metricNamespace: counted.namespace,
    metricName: counted.metricName,
  });
  return counted;
}
