import type { TableId } from './tables.ts';

/** The ARNs of what people work on in a deployment, and its name. */
export interface StaffResources {
  readonly stackName: string;
  readonly stack: string;
  readonly tables: Readonly<Record<TableId, string>>;
  readonly credentialsKey: string;
  readonly tlogBucket: string;
  readonly rowBucket: string;
  /** The name of the database of Athena. */
  readonly database: string;
  readonly functions: string;
  readonly logGroups: string;
  readonly account: string;
}

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** Returns a statement: the calls of one service on resources, such as `dynamodb: GetItem Scan`. */
const allow = (service: string, calls: string, resources: readonly string[], leadingKeys?: string): Statement => ({
  Effect: 'Allow',
  Action: calls.split(' ').map((call) => `${service}:${call}`),
  Resource: resources,
  ...(leadingKeys && { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [leadingKeys] } } }),
});

const withIndexes = (table: string) => [table, `${table}/index/*`];
const withFiles = (bucket: string) => [bucket, `${bucket}/*`];

/**
 * The IAM policies of people, by role: what its commands and its pages of the runbook call, and nothing else. Whoever
 * deploys the stack has that of docs/policies/deploy.json.
 */
export const staffPolicies = {
  /** Approves teams and issues keys. */
  admin: ({ stack, tables: { allowlist, apiKeys, aiLogs, reviews }, credentialsKey }) => [
    allow('cloudformation', 'DescribeStacks', [stack]),
    allow('dynamodb', 'GetItem PutItem Query Scan', [...withIndexes(allowlist), ...withIndexes(apiKeys)]),
    // `allowlist list --silent`.
    allow('dynamodb', 'Query', [aiLogs]),
    allow('dynamodb', 'Scan', [reviews]),
    allow('kms', 'Encrypt', [credentialsKey]),
  ],
  /** Reads and verifies logs, and gives verdicts. */
  reviewer: ({ stack, stackName, account, tables: { allowlist, apiKeys, aiLogs, reviews, tlog }, ...others }) => [
    allow('cloudformation', 'DescribeStacks', [stack]),
    allow('dynamodb', 'GetItem BatchGetItem Query Scan DescribeTable', withIndexes(aiLogs)),
    allow('dynamodb', 'GetItem', [apiKeys, tlog]),
    allow('dynamodb', 'GetItem Scan', [allowlist]),
    allow('dynamodb', 'Scan', [reviews]),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM.
    allow('dynamodb', 'PutItem', [reviews], '${aws:userid}'),
    allow('kms', 'Decrypt', [others.credentialsKey]),
    allow('s3', 'GetObject ListBucket', [...withFiles(others.tlogBucket), ...withFiles(others.rowBucket)]),
    // The rest is for reports by Athena.
    allow('s3', 'GetBucketLocation', [others.rowBucket]),
    allow('s3', 'PutObject AbortMultipartUpload ListMultipartUploadParts', [`${others.rowBucket}/results/*`]),
    allow('athena', 'StartQueryExecution GetQueryExecution GetQueryResults', [
      `arn:aws:athena:*:${account}:workgroup/${stackName}`,
    ]),
    allow('glue', 'GetDatabase CreateDatabase GetTable GetPartitions CreateTable DeleteTable', [
      `arn:aws:glue:*:${account}:catalog`,
      ...['default', others.database].flatMap((name) => [
        `arn:aws:glue:*:${account}:database/${name}`,
        `arn:aws:glue:*:${account}:table/${name}/*`,
      ]),
    ]),
  ],
  /** Watches a deployment, and rolls it back. It reads no team's secret, cannot sign, and changes no item or row. */
  operator: ({ stack, tables: all, tlogBucket, rowBucket, credentialsKey, functions, logGroups }) => [
    allow('cloudformation', 'DescribeStacks DescribeStackEvents ListStackResources', [stack]),
    allow('cloudwatch', 'DescribeAlarms GetMetricData GetDashboard ListDashboards', ['*']),
    allow('sns', 'ListSubscriptionsByTopic', ['*']),
    allow('logs', 'FilterLogEvents StartQuery', [logGroups]),
    allow('logs', 'GetQueryResults DescribeQueryDefinitions', ['*']),
    allow('lambda', 'GetAlias UpdateAlias ListVersionsByFunction GetFunctionConfiguration', [functions]),
    allow('lambda', 'PutFunctionConcurrency DeleteFunctionConcurrency', [functions]),
    allow('lambda', 'ListEventSourceMappings UpdateEventSourceMapping', ['*']),
    allow('dynamodb', 'GetItem BatchGetItem Query Scan DescribeTable', Object.values(all).flatMap(withIndexes)),
    allow('kms', 'DescribeKey CancelKeyDeletion EnableKey', [credentialsKey]),
    allow('s3', 'GetObject ListBucket', [...withFiles(tlogBucket), ...withFiles(rowBucket)]),
    allow('cloudtrail', 'LookupEvents', ['*']),
  ],
  /**
   * Restores tables and rows, by an operator who has this policy too. What was restored of the allowlist or the keys is
   * written by an admin.
   * Nobody here writes a verdict: an administrator of the account restores those.
   */
  repairer: ({ stack, tables: { reviews: _reviews, weights: _weights, ...restored }, rowBucket }) => [
    allow('cloudformation', 'DescribeStacks', [stack]),
    allow('dynamodb', 'RestoreTableToPointInTime DescribeTable GetItem', Object.values(restored)),
    // RestoreTableToPointInTime asks for those that change items, on the new table.
    allow(
      'dynamodb',
      'GetItem Query Scan DescribeTable DeleteTable PutItem UpdateItem DeleteItem BatchWriteItem',
      Object.values(restored).map((table) => `${table}-restored`),
    ),
    // `ops restore`.
    allow('dynamodb', 'PutItem', [restored.aiLogs]),
    // `tlog rotate-receipt-key`.
    allow('dynamodb', 'UpdateItem', [restored.tlog], 'receipt-keys'),
    // `data backfill`.
    allow('s3', 'PutObject', [`${rowBucket}/entries/*`, `${rowBucket}/texts/*`]),
  ],
} as const satisfies Record<string, (resources: StaffResources) => readonly Statement[]>;
