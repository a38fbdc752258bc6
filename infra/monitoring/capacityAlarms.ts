import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { tables as shapes, type TableId, type TableShape } from '../../functions/tables.ts';
import type { AlarmDefinition } from './alarms.ts';
import { logMetrics, metrics, type Watched } from './metrics.ts';

/** The metric that shows throttled uploads, by table: reads or writes, as `grantUpload` in tables.ts allows them. */
const throttleMetrics = {
  allowlist: 'ReadThrottleEvents',
  apiKeys: 'ReadThrottleEvents',
  weights: 'WriteThrottleEvents',
  aiLogs: 'WriteThrottleEvents',
  tlog: 'WriteThrottleEvents',
} as const satisfies Record<TableId, string>;

/** The table with the entries, the only one with an index that an upload writes to. */
const entriesShape: TableShape = shapes.aiLogs;

/** The share of a concurrency limit at which its alarm goes off. */
const CLOSE_TO_LIMIT = 0.8;

/** Alarms on limits: key service, gateway, function, tables and firewall. */
export function capacityAlarms(
  scope: Construct,
  { settings, upload, api, tables }: Watched,
): Record<string, AlarmDefinition> {
  const { table, firewall } = metrics(scope);
  const peak = { statistic: Stats.MAXIMUM, period: Duration.minutes(1) };
  // Alarms on DynamoDB's own metrics ignore missing data, whatever they are told, and would stay on: a table that is
  // not throttled reports nothing. Source: CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing
  // data".
  const throttles = (...of: Parameters<typeof table>) =>
    new MathExpression({
      expression: 'FILL(throttles, 0)',
      usingMetrics: { throttles: table(...of) },
      period: Duration.minutes(5),
    });
  const { kmsErrors, gatewayThrottles } = logMetrics(scope, { upload, api }, 'kmsErrors', 'gatewayThrottles');
  return {
    KmsErrors: {
      impact: 'Credentials cannot be decrypted: teams whose keys are not in the memory of the function cannot upload.',
      metric: kmsErrors,
      threshold: 1,
      periods: 1,
    },
    GatewayThrottles: {
      impact:
        'All callers together exceed the rate limit of the gateway (apiRateLimit): teams are rejected within their quota.',
      metric: gatewayThrottles,
      threshold: 1,
      periods: 1,
    },
    FunctionThrottles: {
      impact: 'The function has reached its concurrency limit: teams get a 503 and must resend.',
      metric: upload.lambda.metricThrottles({ period: Duration.minutes(5) }),
      threshold: 1,
      periods: 1,
    },
    ...Object.fromEntries(
      (Object.entries(throttleMetrics) as [TableId, string][]).map(([tableId, metricName]) => [
        `${tableId.charAt(0).toUpperCase()}${tableId.slice(1)}Throttles`,
        {
          impact: `DynamoDB throttles the table ${tableId}: uploads slow down while the function retries, then fail with "System busy".`,
          metric: throttles(metricName, tables.names[tableId], 5),
          threshold: 10,
          periods: 1,
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.keys(entriesShape.indexes ?? {}).map((index) => [
        `AiLogs${index.charAt(0).toUpperCase()}${index.slice(1)}Throttles`,
        {
          impact: `DynamoDB throttles the index ${index}, and with it the writes of its table aiLogs: uploads slow down, then fail with "System busy".`,
          metric: throttles('WriteThrottleEvents', tables.names.aiLogs, 5, { GlobalSecondaryIndexName: index }),
          threshold: 10,
          periods: 1,
        },
      ]),
    ),
    Concurrency: {
      impact: 'Concurrent executions are close to their limit: above the limit, teams get a 503.',
      // Without a reservation, the function competes with all others of the account.
      metric:
        settings.reservedConcurrency === undefined
          ? LambdaFunction.metricAllConcurrentExecutions(peak)
          : upload.lambda.metric('ConcurrentExecutions', peak),
      threshold: Math.max(
        1,
        Math.floor(CLOSE_TO_LIMIT * (settings.reservedConcurrency ?? settings.accountConcurrency)),
      ),
      periods: 3,
    },
    ...(settings.waf && {
      Flood: {
        impact: 'The firewall blocks an IP address as a flood. If a team uses that address, its uploads get a 403.',
        metric: firewall('BlockedRequests', 'flood', 5),
        threshold: 1,
        periods: 1,
      },
    }),
  };
}
