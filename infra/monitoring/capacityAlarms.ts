import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TableId } from '../../functions/tables.ts';
import type { AlarmDefinition } from './createAlarms.ts';
import { logMetrics } from './logMetrics.ts';
import { metrics } from './metrics.ts';
import type { Watched } from './watched.ts';

/** The metric that shows throttled uploads, by table: reads or writes, as `grantUpload` in tables.ts allows them. */
const throttleMetrics = {
  allowlist: 'ReadThrottleEvents',
  apiKeys: 'ReadThrottleEvents',
  weights: 'WriteThrottleEvents',
  aiLogs: 'WriteThrottleEvents',
} as const satisfies Record<TableId, string>;

/** The default quota of a new account: concurrent executions of all its functions together. */
const ACCOUNT_CONCURRENCY = 1000;

/** Alarms on limits: key service, gateway, function, tables and firewall. */
export function capacityAlarms(
  scope: Construct,
  { settings, upload, api, tables }: Watched,
): Record<string, AlarmDefinition> {
  const { table, firewall } = metrics(scope);
  const { kmsErrors, gatewayThrottles } = logMetrics(scope, { upload, api });
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
          metric: table(metricName, tables.names[tableId], 5),
          threshold: 10,
          periods: 1,
        },
      ]),
    ),
    Concurrency: {
      impact: 'The function is close to its concurrency limit: above the limit, teams get a 503.',
      metric: upload.lambda.metric('ConcurrentExecutions', { statistic: 'max', period: Duration.minutes(1) }),
      threshold: Math.max(1, Math.floor(0.8 * (settings.reservedConcurrency ?? ACCOUNT_CONCURRENCY))),
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
