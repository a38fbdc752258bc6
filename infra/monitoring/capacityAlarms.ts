import { Duration } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TableId } from '../../functions/tables.ts';
import type { AlarmShape } from './alarms.ts';
import { countInLogs } from './logMetrics.ts';
import { metricsOf } from './metrics.ts';
import type { Watched } from './monitoring.ts';

/** What throttles an upload at each table: calls as `grantUpload` in tables.ts allows them. */
const throttled = {
  allowlist: 'ReadThrottleEvents',
  apiKeys: 'ReadThrottleEvents',
  weights: 'WriteThrottleEvents',
  aiLogs: 'WriteThrottleEvents',
} as const satisfies Record<TableId, string>;

/** How many executions at a time a new account is given, in all its functions. */
const ACCOUNT_CONCURRENCY = 1000;

/** What runs short, or stands in the way, around the function. */
export function shortages(scope: Construct, { settings, upload, api, tables }: Watched): Record<string, AlarmShape> {
  const { ofTable, firewall } = metricsOf(scope);
  const counted = countInLogs(scope, { upload, api });
  return {
    KmsErrors: {
      means: 'Sealed credentials cannot be opened: teams whose keys the function does not remember cannot upload.',
      metric: counted.kmsErrors,
      threshold: 1,
      periods: 1,
    },
    GatewayThrottles: {
      means:
        'All callers together are over the limit of the gateway (apiRateLimit): teams are rejected within their quota.',
      metric: counted.gatewayThrottles,
      threshold: 1,
      periods: 1,
    },
    FunctionThrottles: {
      means: 'The function may not run often enough at a time: teams get a 503 and have to resend.',
      metric: upload.lambda.metricThrottles({ period: Duration.minutes(5) }),
      threshold: 1,
      periods: 1,
    },
    ...Object.fromEntries(
      (Object.entries(throttled) as [TableId, string][]).map(([table, metricName]) => [
        `${table.charAt(0).toUpperCase()}${table.slice(1)}Throttles`,
        {
          means: `The table ${table} rejects calls: uploads are slower while the function tries again, and then "System busy".`,
          metric: ofTable(metricName, tables.names[table], 5),
          threshold: 10,
          periods: 1,
        },
      ]),
    ),
    Concurrency: {
      means: 'The function is near the most executions it may have at a time; beyond it, teams get a 503.',
      metric: upload.lambda.metric('ConcurrentExecutions', { statistic: 'max', period: Duration.minutes(1) }),
      threshold: Math.max(1, Math.floor(0.8 * (settings.reservedConcurrency ?? ACCOUNT_CONCURRENCY))),
      periods: 3,
    },
    ...(settings.waf && {
      Flood: {
        means: 'The firewall blocks an IP address as a flood. Should a team be behind it, its uploads get a 403.',
        metric: firewall('BlockedRequests', 'flood', 5),
        threshold: 1,
        periods: 1,
      },
    }),
  };
}
