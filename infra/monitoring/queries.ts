import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Watched } from './monitoring.ts';

/** A saved query: the logs that it reads, and its commands. */
interface SavedQuery {
  readonly logs: readonly ('upload' | 'api')[];
  readonly commands: readonly string[];
}

/**
 * The questions that operators ask, by name. The fields are those of functions/upload/middleware/logRequest.ts (the function's log)
 * and of `accessLog` in api.ts (the gateway's). A line that starts with # says what to fill in.
 */
export const queries = {
  'Why was a UID rejected': {
    logs: ['upload'],
    commands: [
      '# Put the UID in the place of 1001. An error before the key was read has none: ask for requestId or IP address.',
      'fields @timestamp, code, status, accessKey, bytes, milliseconds, requestId',
      'filter message = "rejected" and uid = "1001"',
      'sort @timestamp desc',
      'limit 200',
    ],
  },
  'What became of a request': {
    logs: ['upload', 'api'],
    commands: [
      '# Put the request id in the place of REQUEST-ID; teams find it in the header x-amzn-RequestId of the answer.',
      'fields @timestamp, status, code, uid, accessKey, entryId, ip, responseType, milliseconds, responseLatency',
      'filter requestId = "REQUEST-ID"',
      'sort @timestamp asc',
    ],
  },
  'What an IP address was answered': {
    logs: ['api'],
    commands: [
      '# Put the address in the place of 192.0.2.1.',
      'fields @timestamp, status, responseType, method, path, responseLatency, requestId',
      'filter ip = "192.0.2.1"',
      'sort @timestamp desc',
      'limit 200',
    ],
  },
  'Slowest requests, and where their time went': {
    logs: ['upload'],
    commands: [
      'fields @timestamp, milliseconds, middlewareMs.readRecords, middlewareMs.authenticate, middlewareMs.enforceWeights, bytes, coldStart, uid, requestId',
      'sort milliseconds desc',
      'limit 50',
    ],
  },
  'Top talkers by UID': {
    logs: ['upload'],
    commands: [
      'stats count(*) as requests, sum(bytes) as total, max(milliseconds) as slowest by uid, status',
      'sort requests desc',
      'limit 50',
    ],
  },
  'Top talkers by IP address': {
    logs: ['api'],
    commands: ['stats count(*) as requests by ip, status', 'sort requests desc', 'limit 50'],
  },
  'Errors by code': {
    logs: ['upload'],
    commands: [
      'filter message = "rejected"',
      'stats count(*) as errors, count_distinct(uid) as teams by bin(1h), code, status',
      'sort errors desc',
    ],
  },
  'Failures of our own, and their cause': {
    logs: ['upload'],
    commands: [
      'fields @timestamp, status, error.name, error.message, uid, requestId, milliseconds',
      'filter status >= 500',
      'sort @timestamp desc',
      'limit 100',
    ],
  },
  'What the gateway rejected by itself': {
    logs: ['api'],
    commands: [
      'filter responseType != "-"',
      'stats count(*) as errors, count_distinct(ip) as addresses by responseType, status, path',
      'sort errors desc',
    ],
  },
} as const satisfies Record<string, SavedQuery>;

/** The saved queries in Logs Insights, in a folder that is named for the stack. */
export class Queries extends Construct {
  constructor(scope: Construct, id: string, watched: Pick<Watched, 'upload' | 'api'>) {
    super(scope, id);
    for (const [name, { logs, commands }] of Object.entries<SavedQuery>(queries)) {
      new CfnQueryDefinition(this, name.replace(/\W/g, ''), {
        name: `${Stack.of(this).stackName}/${name}`,
        logGroupNames: logs.map((log) => watched[log].logGroup.logGroupName),
        queryString: commands
          .map((command, i) => (i === 0 || commands[i - 1]?.startsWith('#') ? command : `| ${command}`))
          .join('\n'),
      });
    }
  }
}
