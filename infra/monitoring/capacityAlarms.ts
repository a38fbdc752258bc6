import { Duration } from 'aws-cdk-lib';
import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type FunctionTableId, functionTables as shapes } from '../../functions/tables.ts';
import type { AlarmDefinition } from './alarms.ts';
import { capitalized, computed, countLogLines, metrics, type Watched } from './metrics.ts';

/** The tables whose reads are watched, as `grantUpload` in tables.ts allows them. Of the others, it is the writes. */
const READ: readonly FunctionTableId[] = ['allowlist', 'apiKeys'];

/** The share of a concurrency limit at which its alarm goes off. */
const CLOSE_TO_LIMIT = 0.8;

/** Alarms on limits: key service, gateway, function, tables and firewall. */
export function capacityAlarms(scope: Construct, watched: Watched): Record<string, AlarmDefinition> {
  const { settings, upload, tables } = watched;
  const limit = settings.reservedConcurrency ?? settings.accountConcurrency;
  const { table, firewall } = metrics(scope);
  const peak = { statistic: Stats.MAXIMUM, period: Duration.minutes(1) };
  // Alarms on DynamoDB's own metrics ignore missing data, also if they are told not to, and would stay on: a table that
  // is not throttled reports nothing. Source: CloudWatch User Guide, "Configuring how CloudWatch alarms treat missing
  // data".
  const throttles = (impact: string, throttles: IMetric): AlarmDefinition => ({
    impact: `DynamoDB throttles the ${impact}, then fail with "System busy".`,
    metric: computed(undefined, 5, 'FILL(throttles, 0)', { throttles }),
    threshold: 10,
  });
  const ofTables = (Object.keys(shapes) as FunctionTableId[]).map((tableId) => [
    `${capitalized(tableId)}Throttles`,
    throttles(
      `table ${tableId}: uploads slow down while the function retries`,
      table(READ.includes(tableId) ? 'ReadThrottleEvents' : 'WriteThrottleEvents', tables.names[tableId], 5),
    ),
  ]);
  // An upload writes to no others.
  const ofIndexes = Object.keys(shapes.aiLogs.indexes ?? {}).map((index) => [
    `AiLogs${capitalized(index)}Throttles`,
    throttles(
      `index ${index}, and with it the writes of its table aiLogs: uploads slow down`,
      table('WriteThrottleEvents', tables.names.aiLogs, 5, { GlobalSecondaryIndexName: index }),
    ),
  ]);
  return {
    KmsErrors: {
      impact: 'Credentials cannot be decrypted: teams whose keys are not in the memory of the function cannot upload.',
      metric: countLogLines(scope, watched, 'kmsErrors'),
    },
    GatewayThrottles: {
      impact:
        'All callers together exceed the rate limit of the gateway (apiRateLimit): teams are rejected within their quota.',
      metric: countLogLines(scope, watched, 'gatewayThrottles'),
    },
    FunctionThrottles: {
      impact: 'The function has reached its concurrency limit: teams get a 503 and must resend.',
      metric: upload.lambda.metricThrottles({ period: Duration.minutes(5) }),
    },
    ...Object.fromEntries([...ofTables, ...ofIndexes]),
    Concurrency: {
      impact: 'Concurrent executions are close to their limit: above the limit, teams get a 503.',
      // Without a reservation, the function competes with all others of the account.
      metric:
        settings.reservedConcurrency === undefined
          ? LambdaFunction.metricAllConcurrentExecutions(peak)
          : upload.lambda.metric('ConcurrentExecutions', peak),
      threshold: Math.max(1, Math.floor(CLOSE_TO_LIMIT * limit)),
      periods: 3,
    },
    ...(settings.waf && {
      Flood: {
        impact: 'The firewall blocks an IP address as a flood. If a team uses that address, its uploads get a 403.',
        metric: firewall('BlockedRequests', 'flood', 5),
      },
      FloodIpv6: {
        impact:
          'The firewall blocks the IPv6 addresses of a network operator, or all of them, as a flood. Teams that upload from them get a 403, and none over IPv4.',
        metric: computed('Blocked over IPv6', 5, 'FILL(network, 0) + FILL(all, 0)', {
          network: firewall('BlockedRequests', 'ipv6Network', 5),
          all: firewall('BlockedRequests', 'ipv6', 5),
        }),
      },
    }),
  };
}
