import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { logGroupOf, type Watched } from './metrics.ts';

/**
 * The saved queries by name: their log groups, then their commands. `upload` has the fields of
 * functions/upload/middleware/around.ts, `api` those of `accessLog` in infra/api/api.ts. A line that starts with #
 * tells the operator which value to replace.
 */
export const queries = {
  'Why was a UID rejected': [
    ['upload'],
    '# Replace 1001 with the UID. Errors before the key lookup have no UID: search by request id or IP address instead.',
    'fields @timestamp, code, status, accessKey, bytes, milliseconds, requestId',
    'filter message = "rejected" and uid = "1001"',
    'sort @timestamp desc',
    'limit 200',
  ],
  'Trace one request': [
    ['upload', 'api'],
    '# Replace REQUEST-ID with the request id; teams find it in the response header x-amzn-RequestId.',
    'fields @timestamp, status, code, uid, accessKey, entryId, ip, responseType, milliseconds, responseLatency',
    'filter requestId = "REQUEST-ID"',
    'sort @timestamp asc',
  ],
  'Trace one IP address': [
    ['api'],
    '# Replace 192.0.2.1 with the IP address.',
    'fields @timestamp, status, responseType, method, path, responseLatency, requestId',
    'filter ip = "192.0.2.1"',
    'sort @timestamp desc',
    'limit 200',
  ],
  'Slowest requests': [
    ['upload'],
    'fields @timestamp, milliseconds, middlewareMs.readRecords, middlewareMs.authenticate, middlewareMs.enforceWeights, bytes, coldStart, uid, requestId',
    'sort milliseconds desc',
    'limit 50',
  ],
  'Requests by UID': [
    ['upload'],
    'stats count(*) as requests, sum(bytes) as total, max(milliseconds) as slowest by uid, status',
    'sort requests desc',
    'limit 50',
  ],
  'Requests by IP address': [['api'], 'stats count(*) as requests by ip, status', 'sort requests desc', 'limit 50'],
  'Errors by code': [
    ['upload'],
    'filter message = "rejected"',
    'stats count(*) as errors, count_distinct(uid) as teams by bin(1h), code, status',
    'sort errors desc',
  ],
  'Server errors and their causes': [
    ['upload'],
    'fields @timestamp, status, error.name, error.message, uid, requestId, milliseconds',
    'filter status >= 500',
    'sort @timestamp desc',
    'limit 100',
  ],
  'Requests rejected by the gateway': [
    ['api'],
    'filter responseType != "-"',
    'stats count(*) as errors, count_distinct(ip) as addresses by responseType, status, path',
    'sort errors desc',
  ],
} as const;

/** Saves the queries in Logs Insights, in a folder with the name of the stack. */
export function saveQueries(scope: Construct, watched: Pick<Watched, 'upload' | 'api'>): void {
  for (const [name, [logs, ...commands]] of Object.entries(queries)) {
    new CfnQueryDefinition(scope, name.replace(/\W/g, ''), {
      name: `${Stack.of(scope).stackName}/${name}`,
      logGroupNames: logs.map((log) => logGroupOf(watched, log).logGroupName),
      queryString: commands
        .map((command, i) => (i === 0 || commands[i - 1]?.startsWith('#') ? command : `| ${command}`))
        .join('\n'),
    });
  }
}
