/** The caller: a role of the stack, or an administrator of the account, whose rights are not the stack's. */
export type Caller = 'operator' | 'repairer' | 'administrator';

/** The target of a call. `everything`: IAM knows no resource for it. */
const PLACES = [
  'stack',
  'functions',
  'mappings',
  'logGroups',
  'sealingKeys',
  'keys',
  'tables',
  'copies',
  'tlogFiles',
  'failureQueue',
  'distribution',
  'everything',
] as const;
export type Place = (typeof PLACES)[number];

type Calls = readonly [caller: Exclude<Caller, 'administrator'>, place: Place, calls: string];
type OfAdministrator = readonly [caller: 'administrator', calls: string];

const outputs = ['operator', 'stack', 'cloudformation:DescribeStacks'] as const;
const lookUp = ['operator', 'everything', 'cloudtrail:LookupEvents'] as const;

/**
 * The calls of each page of docs/runbook, by right of IAM, which the policies of people get. `console`: the one of AWS.
 */
export const runbookCalls: Readonly<Record<string, readonly (Calls | OfAdministrator)[]>> = {
  console: [
    ['operator', 'everything', 'cloudwatch:DescribeAlarms cloudwatch:GetMetricData'],
    ['operator', 'everything', 'cloudwatch:GetDashboard cloudwatch:ListDashboards'],
    ['operator', 'everything', 'logs:GetQueryResults logs:DescribeQueryDefinitions'],
    ['operator', 'logGroups', 'logs:StartQuery'],
    ['operator', 'stack', 'cloudformation:ListStackResources'],
  ],
  'README.md': [['administrator', 'iam:CreatePolicy iam:ListRoles']],
  'alarms.md': [
    outputs,
    ['operator', 'everything', 'lambda:ListEventSourceMappings'],
    ['operator', 'mappings', 'lambda:UpdateEventSourceMapping'],
    ['operator', 'failureQueue', 'sqs:ReceiveMessage sqs:PurgeQueue'],
    ['operator', 'everything', 'ce:GetCostAndUsage cloudfront:ListDistributions'],
    ['operator', 'distribution', 'cloudfront:GetDistributionConfig cloudfront:UpdateDistribution'],
  ],
  'before-the-competition.md': [
    ['administrator', 'servicequotas:GetServiceQuota servicequotas:RequestServiceQuotaIncrease budgets:CreateBudget'],
    ['administrator', 's3:DeleteBucketPolicy s3:ListBucketVersions s3:DeleteObject s3:DeleteBucket'],
  ],
  'deploy.md': [
    outputs,
    ['operator', 'functions', 'lambda:GetAlias lambda:GetFunctionConfiguration'],
    ['operator', 'functions', 'lambda:ListVersionsByFunction lambda:UpdateAlias'],
    ['operator', 'stack', 'cloudformation:DescribeStackEvents cloudformation:ContinueUpdateRollback'],
    ['administrator', 'lambda:GetAccountSettings dynamodb:DescribeLimits kms:GenerateDataKeyPairWithoutPlaintext'],
    ['administrator', 'cloudformation:UpdateTerminationProtection cloudformation:DeleteStack'],
    ['administrator', 'dynamodb:ListTables dynamodb:DescribeTable dynamodb:UpdateTable dynamodb:DeleteTable'],
    ['administrator', 'kms:ListKeys kms:DescribeKey kms:PutKeyPolicy s3:ListBuckets'],
  ],
  'restore.md': [
    ['repairer', 'stack', 'cloudformation:DescribeStacks'],
    ['repairer', 'tables', 'dynamodb:RestoreTableToPointInTime dynamodb:DescribeTable'],
    ['repairer', 'copies', 'dynamodb:RestoreTableToPointInTime dynamodb:DescribeTable dynamodb:DeleteTable'],
  ],
  'team-keys.md': [
    outputs,
    lookUp,
    ['operator', 'sealingKeys', 'kms:DescribeKey kms:CancelKeyDeletion kms:EnableKey'],
    ['administrator', 'kms:CreateKey kms:EnableKeyRotation'],
  ],
  'tlog.md': [
    outputs,
    lookUp,
    ['operator', 'logGroups', 'logs:FilterLogEvents'],
    ['operator', 'tables', 'dynamodb:GetItem'],
    ['operator', 'tlogFiles', 's3:GetObject s3:ListBucketVersions'],
    ['operator', 'everything', 'kms:ListKeys'],
    ['operator', 'keys', 'kms:GetPublicKey'],
    ['administrator', 's3:PutObject s3:DeleteObject kms:DisableKey'],
  ],
};

/** Returns the rights that a role needs for the runbook, grouped by service and place. */
export function rightsOf(role: Caller): { readonly place: Place; readonly actions: readonly string[] }[] {
  const all = Object.values(runbookCalls).flat();
  return PLACES.flatMap((place) => {
    const calls = all.flatMap(([caller, of, list]) => (caller === role && of === place ? (list ?? '').split(' ') : []));
    return calls.length === 0 ? [] : [{ place, actions: [...new Set(calls)] }];
  });
}
