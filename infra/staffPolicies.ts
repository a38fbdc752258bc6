import { type Caller, type Place, rightsOf } from './runbookCalls.ts';
import type { TableId } from './tables.ts';

/** The ARNs of what people work on in a deployment, and its name. */
export interface StaffResources {
  readonly stackName: string;
  readonly stack: string;
  readonly tables: Readonly<Record<TableId, string>>;
  readonly credentialsKey: string;
  readonly receiptSealingKey: string;
  readonly checkpointKeys: readonly string[];
  readonly tlogBucket: string;
  readonly rowBucket: string;
  readonly failureQueue: string;
  readonly distribution: string | undefined;
  /** The name of the database of Athena; undefined without the setting `analytics`. */
  readonly database: string | undefined;
  readonly functions: readonly string[];
  readonly logGroups: readonly string[];
  readonly account: string;
}

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

const allow = (service: string, calls: string, resources: readonly string[], leadingKeys?: string): Statement => ({
  Effect: 'Allow',
  Action: calls.split(' ').map((call) => `${service}:${call}`),
  Resource: resources,
  ...(leadingKeys && { Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [leadingKeys] } } }),
});

/** Returns what a role needs for the pages of the runbook. @param more what the command line calls on these places */
const forRunbook = (
  role: Caller,
  places: Partial<Record<Place, readonly string[]>>,
  more: Partial<Record<Place, readonly string[]>> = {},
): Statement[] =>
  rightsOf(role).flatMap(({ place, actions }) => {
    const { [place]: Resource = [], functions = [] } = places;
    // A mapping has an id that AWS chooses: the function that it feeds says whose it is.
    const Condition = place === 'mappings' && { ArnLike: { 'lambda:FunctionArn': functions } };
    const Action = [...new Set([...actions, ...(more[place] ?? [])])];
    return Resource.length === 0
      ? []
      : [{ Effect: 'Allow' as const, Action, Resource, ...(Condition && { Condition }) }];
  });

const withIndexes = (table: string) => [table, `${table}/index/*`];
const copiesOf = (tables: Readonly<Record<string, string>>) =>
  Object.values(tables).map((table) => `${table}-restored`);
const withFiles = (bucket: string) => [bucket, `${bucket}/*`];

/** The calls of the commands and runbook pages of each role, nothing else. To deploy: docs/policies/deploy.json. */
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
  reviewer: ({
    stack,
    stackName,
    account,
    tables: { allowlist, apiKeys, aiLogs, reviews, receiptKeys },
    ...others
  }) => [
    allow('cloudformation', 'DescribeStacks', [stack]),
    allow('dynamodb', 'GetItem BatchGetItem Query Scan DescribeTable', withIndexes(aiLogs)),
    allow('dynamodb', 'GetItem', [apiKeys, receiptKeys]),
    allow('dynamodb', 'GetItem Scan', [allowlist]),
    allow('dynamodb', 'Scan', [reviews]),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM.
    allow('dynamodb', 'PutItem', [reviews], '${aws:userid}'),
    allow('kms', 'Decrypt', [others.credentialsKey]),
    // The policy of the transparency log, and what it verifies.
    allow('kms', 'GetPublicKey', others.checkpointKeys),
    allow('s3', 'GetObject ListBucket', [...withFiles(others.tlogBucket), ...withFiles(others.rowBucket)]),
    allow('s3', 'ListBucketVersions', [others.tlogBucket]),
    ...(others.database === undefined
      ? []
      : [
          // Reports by Athena. Each query looks whether there is a database `default`, and takes nothing from it.
          allow('s3', 'GetBucketLocation', [others.rowBucket]),
          allow('s3', 'PutObject AbortMultipartUpload ListMultipartUploadParts', [`${others.rowBucket}/results/*`]),
          allow('athena', 'StartQueryExecution GetQueryExecution GetQueryResults', [
            `arn:aws:athena:*:${account}:workgroup/${stackName}`,
          ]),
          allow('glue', 'GetDatabase', [`arn:aws:glue:*:${account}:database/default`]),
          allow('glue', 'GetDatabase GetTable GetPartitions CreateTable DeleteTable', [
            `arn:aws:glue:*:${account}:catalog`,
            `arn:aws:glue:*:${account}:database/${others.database}`,
            `arn:aws:glue:*:${account}:table/${others.database}/*`,
          ]),
        ]),
  ],
  /** Watches a deployment, and rolls it back. It reads no team's secret, cannot sign, and changes no item or row. */
  operator: ({ stack, tables: all, tlogBucket, rowBucket, functions, logGroups, account, ...others }) => [
    ...forRunbook(
      'operator',
      {
        stack: [stack],
        functions: functions.flatMap((name) => [name, `${name}:*`]),
        mappings: [`arn:aws:lambda:*:${account}:event-source-mapping:*`],
        logGroups: logGroups.flatMap((name) => [name, `${name}:*`]),
        sealingKeys: [others.credentialsKey, others.receiptSealingKey],
        keys: [`arn:aws:kms:*:${account}:key/*`],
        tables: [...Object.values(all), `${all.aiLogs}/index/*`, `${all.apiKeys}/index/*`],
        tlogFiles: withFiles(tlogBucket),
        failureQueue: [others.failureQueue],
        distribution: others.distribution === undefined ? [] : [others.distribution],
        everything: ['*'],
      },
      {
        everything: ['sns:ListSubscriptionsByTopic'],
        tables: ['dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:DescribeTable'],
        tlogFiles: ['s3:ListBucket'],
      },
    ),
    allow('s3', 'GetObject ListBucket', withFiles(rowBucket)),
  ],
  /**
   * Restores tables and rows, by an operator who has this policy too. An admin writes what was restored of the
   * allowlist or the keys, and an administrator of the account the verdicts.
   */
  repairer: ({
    stack,
    tables: { reviews: _reviews, weights: _weights, receiptKeys: _keys, ...restored },
    rowBucket,
  }) => [
    ...forRunbook('repairer', { stack: [stack], tables: Object.values(restored), copies: copiesOf(restored) }),
    // RestoreTableToPointInTime needs the rights to change items of the new table.
    allow('dynamodb', 'Query Scan PutItem UpdateItem DeleteItem BatchWriteItem', copiesOf(restored)),
    allow('dynamodb', 'GetItem', Object.values(restored)),
    // `ops restore`.
    allow('dynamodb', 'PutItem', [restored.aiLogs]),
    // `data backfill`.
    allow('s3', 'PutObject', [`${rowBucket}/entries/*`, `${rowBucket}/texts/*`]),
  ],
} as const satisfies Record<string, (resources: StaffResources) => readonly Statement[]>;
