import { Duration } from 'aws-cdk-lib';
import { AnomalyDetectionAlarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type FunctionTableId, functionTables as shapes } from '../../functions/tables.ts';
import { type AlarmDefinition, describeAlarm } from './alarms.ts';
import { computed, countLogLines, metrics, total, type Watched } from './metrics.ts';

const period = Duration.minutes(1);

/** Alarms on failures that a version can cause and no team; periods are short, so that they go off during a canary. */
export function rollbackAlarms(scope: Construct, watched: Watched): Record<string, AlarmDefinition> {
  return {
    SystemErrors: {
      impact: 'The function answers "System error": an upload failed, and resending may not help.',
      first: 'after a deployment, roll back. If not, run the query "Server errors and their causes".',
      metric: metrics(scope).service('SystemError', 1),
    },
    FunctionErrors: {
      impact: 'The function crashes or times out: teams get a 503 and must resend.',
      first: 'after a deployment, roll back. If not, read the platform lines in the log of the function.',
      metric: watched.upload.lambda.metricErrors({ period }),
    },
    Unreachable: {
      impact:
        'The function answers "System busy" although nothing throttles it: DynamoDB or KMS fails, is too slow or cannot be reached, and teams must resend.',
      first: 'after a deployment, roll back. If not, read the AWS status page.',
      metric: countLogLines(scope, watched, 'unreachable'),
      threshold: 5,
      periods: 2,
    },
  };
}

const LATENCY_LIMIT_MS = 1000;

const CLOSE_TO_LIMIT = 0.8;

/** The minimum number of requests in 5 minutes for which a share is meaningful. */
const MIN_REQUESTS = 50;

/** Other alarms on uploads. They roll nothing back: one team can set some of them off. */
export function uploadAlarms(scope: Construct, watched: Watched): Record<string, AlarmDefinition> {
  const { settings, upload } = watched;
  const { service, gateway, firewall } = metrics(scope);
  const peak = { statistic: Stats.MAXIMUM, period };
  const limit = settings.reservedConcurrency ?? settings.accountConcurrency;
  const all = '(FILL(accepted, 0) + FILL(rejected, 0))';
  return {
    ServerErrors: {
      impact: 'More than 1 % of requests end in a 5xx: teams must resend, and lose the log if their client does not.',
      first: 'follow SystemErrors, FunctionErrors, Unreachable, KmsErrors or Throttled if one of them is on.',
      metric: gateway('5XXError', settings, { statistic: 'avg', period }),
      threshold: 0.01,
      periods: 3,
    },
    KmsErrors: {
      impact: 'Credentials cannot be decrypted: teams whose keys are not in the memory of the function cannot upload.',
      first: 'look at the state of the key that the output CredentialsKeyArn names.',
      metric: countLogLines(scope, watched, 'kmsErrors'),
    },
    ReceiptsMissing: {
      impact: 'Uploads are stored, but without a receipt: teams have less proof of them.',
      first: 'read receiptError in the log of the function.',
      metric: service('ReceiptMissing', 1),
      periods: 2,
    },
    Latency: {
      impact: `1 of 100 requests takes longer than ${LATENCY_LIMIT_MS} ms: bots that wait for the answer trade late or time out.`,
      first: 'after a deployment, wait for 5 minutes. If not, run the query "Slowest requests".',
      metric: gateway('Latency', settings, { statistic: 'p99', period }),
      threshold: LATENCY_LIMIT_MS,
      periods: 3,
    },
    Throttled: {
      impact:
        'The gateway, the function, a table or an index throttles: uploads are slow or rejected within their quota.',
      first: 'see on the dashboard which of them it is.',
      metric: throttled(scope, watched),
      threshold: 10,
    },
    Concurrency: {
      impact: 'Concurrent executions are close to their limit: above the limit, teams get a 503.',
      first: 'see on the dashboard whether there are more uploads, or slower ones.',
      // Without a reservation, the function competes with all others of the account.
      metric:
        settings.reservedConcurrency === undefined
          ? LambdaFunction.metricAllConcurrentExecutions(peak)
          : upload.lambda.metric('ConcurrentExecutions', peak),
      threshold: Math.max(1, Math.floor(CLOSE_TO_LIMIT * limit)),
      periods: 3,
    },
    // A fixed number would be wrong in at least one phase of a competition.
    Rejected: {
      impact: 'A fifth of all uploads is rejected for a quarter of an hour: teams lose logs until the cause is found.',
      first: 'run the query "Errors by code": it says which cause, and how many teams.',
      metric: computed('Rejected, percent', 5, `IF(${all} >= ${MIN_REQUESTS}, 100 * FILL(rejected, 0) / ${all}, 0)`, {
        accepted: service('Accepted', 5),
        rejected: service('Rejected', 5),
      }),
      threshold: 20,
      periods: 3,
    },
    ...(settings.waf && {
      Flood: {
        impact:
          'The firewall blocks an address, or the IPv6 addresses of a network operator or of all, as a flood. Teams that upload from there get a 403.',
        first: 'run the query "Requests by IP address": it says who gets a 403.',
        metric: total('Blocked', {
          flood: firewall('BlockedRequests', 'flood', 5),
          network: firewall('BlockedRequests', 'ipv6Network', 5),
          ipv6: firewall('BlockedRequests', 'ipv6', 5),
        }),
      },
    }),
  };
}

/** The tables whose reads are watched, as `grantUpload` in tables.ts allows them. Of the others, it is the writes. */
const READ: readonly FunctionTableId[] = ['allowlist', 'apiKeys'];

function throttled(scope: Construct, watched: Watched) {
  const { tables, upload } = watched;
  const { table, throttledIndexes } = metrics(scope);
  const ofTables = (Object.keys(shapes) as FunctionTableId[]).map((tableId) => [
    tableId,
    table(READ.includes(tableId) ? 'ReadThrottleEvents' : 'WriteThrottleEvents', tables.names[tableId], 5),
  ]);
  return total('Throttled', {
    gateway: countLogLines(scope, watched, 'gatewayThrottles'),
    lambda: upload.lambda.metricThrottles({ period: Duration.minutes(5) }),
    ...Object.fromEntries(ofTables),
    ...throttledIndexes(tables.names.aiLogs),
  });
}

/** Creates the alarm on fewer uploads than CloudWatch has learned to expect at this time of the week. */
export const createFewerUploads = (scope: Construct): AnomalyDetectionAlarm =>
  new AnomalyDetectionAlarm(scope, 'FewerUploads', {
    alarmDescription: describeAlarm({
      impact:
        'Far fewer logs are accepted than usual at this time: teams cannot reach the service, or all of them are rejected.',
      first: 'see on the dashboard whether there are no requests, or errors instead.',
    }),
    metric: computed('Accepted', 15, 'FILL(accepted, 0)', { accepted: metrics(scope).service('Accepted', 15) }),
    stdDevs: 3,
    evaluationPeriods: 2,
    comparisonOperator: ComparisonOperator.LESS_THAN_LOWER_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
