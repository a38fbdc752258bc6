import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { rightsOf, runbookCalls } from '../../infra/runbookCalls.ts';
import { staffPolicies } from '../../infra/staffPolicies.ts';
import { perTable } from '../../infra/tables.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const roles = ['admin', 'reviewer', 'operator', 'repairer'] as const;
const resources = {
  ...{ stackName: 'S', stack: 's', account: 'a', credentialsKey: 'k', tlogBucket: 't', rowBucket: 'r' },
  ...{ receiptSealingKey: 'e', checkpointKeys: ['p'], failureQueue: 'q', distribution: 'c', database: 'd' },
  ...{ functions: ['f'], logGroups: ['l'], tables: perTable((id) => id) },
};
const actionsOf = (role: (typeof roles)[number]): string[] =>
  staffPolicies[role](resources).flatMap(({ Action }) => Action);
const ofDeploy: string[] = JSON.parse(read('docs/policies/deploy.json')).Statement.flatMap(
  ({ Action }: { Action: string[] }) => Action,
);

/** Returns the rights that the calls of the command line need. */
function callsOfCommands(): string[] {
  const calls = new Set<string>();
  for (const path of globSync('cli/{commands,console,review,store}/**/*.ts', { cwd: ROOT })) {
    for (const [, names = '', client = ''] of read(path).matchAll(
      /import \{([^}]*)\} from '@aws-sdk\/(?:client|lib)-([\w-]+)'/g,
    )) {
      const service = client === 'dynamodb' || client === 'lib' ? 'dynamodb' : client;
      for (const [, paginate, name = ''] of names.matchAll(/\b(paginate)?(\w+?)(?:Command)?\b(?=[,\s]|$)/g)) {
        if (paginate || names.includes(`${name}Command`)) calls.add(`${service}:${name}`);
      }
    }
  }
  // The document client has its own names, and S3 counts the calls by their rights.
  const rights: Record<string, string> = {
    'dynamodb:Get': 'dynamodb:GetItem',
    'dynamodb:Put': 'dynamodb:PutItem',
    'dynamodb:Update': 'dynamodb:UpdateItem',
    'dynamodb:BatchGet': 'dynamodb:BatchGetItem',
    'dynamodb:BatchWrite': 'dynamodb:BatchWriteItem',
    's3:HeadObject': 's3:GetObject',
    's3:ListObjectsV2': 's3:ListBucket',
    's3:ListObjectVersions': 's3:ListBucketVersions',
  };
  // Everybody may ask who they are, and only the local engine is asked for its tables.
  const free = ['sts:GetCallerIdentity', 'dynamodb:ListTables'];
  return [...calls].map((call) => rights[call] ?? call).filter((call) => !free.includes(call));
}

test('every call of the command line is in the policy of a role', () => {
  const allowed = new Set([...ofDeploy, ...roles.flatMap(actionsOf)]);
  const needed = callsOfCommands();
  expect(needed.length).toBeGreaterThan(20);
  expect(needed.filter((call) => !allowed.has(call))).toEqual([]);
});

test('every right of a role is for a call of the command line or of the runbook, or for one that AWS makes for them', () => {
  const ofRunbook = Object.values(runbookCalls)
    .flat()
    .flatMap((row) => (row.at(-1) as string).split(' '));
  const made = new Set([...callsOfCommands(), ...ofRunbook]);
  const others = roles.flatMap(actionsOf).filter((action) => !made.has(action));
  expect([...new Set(others)].sort()).toEqual([
    // RestoreTableToPointInTime asks for them on the new table.
    ...['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
    // Athena reads the catalog and stores results; DuckDB makes tables for it.
    ...['glue:CreateTable', 'glue:DeleteTable', 'glue:GetDatabase', 'glue:GetPartitions', 'glue:GetTable'],
    // `logs verify` opens credentials with the code of the function.
    'kms:Decrypt',
    ...['s3:AbortMultipartUpload', 's3:GetBucketLocation', 's3:ListMultipartUploadParts'],
  ]);
});

test('only a mapping of a function of the stack is changed, and of the database `default` nothing is read', () => {
  const named = (action: string) =>
    roles.flatMap((role) =>
      staffPolicies[role](resources).flatMap(({ Action, Resource, Condition }) =>
        [...Action].includes(action) ? [[Resource, Condition]] : [],
      ),
    );
  expect(named('lambda:UpdateEventSourceMapping')).toEqual([
    [['arn:aws:lambda:*:a:event-source-mapping:*'], { ArnLike: { 'lambda:FunctionArn': ['f', 'f:*'] } }],
  ]);
  expect(JSON.stringify(named('glue:GetTable'))).not.toContain('default');
  expect(JSON.stringify(named('glue:GetDatabase'))).toContain('database/default');
});

test('no right reaches beyond the stack but those for which IAM knows no narrower resource', () => {
  const rights = roles.flatMap((role) => [...staffPolicies[role](resources)]);
  const wide = rights.flatMap(({ Resource }) => [...Resource].filter((one) => one.includes('*')));
  expect([...new Set(wide)].sort()).toEqual([
    ...['*', 'aiLogs/index/*', 'allowlist/index/*', 'apiKeys/index/*'],
    ...['arn:aws:athena:*:a:workgroup/S', 'arn:aws:glue:*:a:catalog', 'arn:aws:glue:*:a:database/d'],
    ...['arn:aws:glue:*:a:database/default', 'arn:aws:glue:*:a:table/d/*', 'arn:aws:kms:*:a:key/*'],
    ...[
      'arn:aws:lambda:*:a:event-source-mapping:*',
      'f:*',
      'l:*',
      'r/*',
      'r/entries/*',
      'r/results/*',
      'r/texts/*',
      't/*',
    ],
  ]);
  const onAll = rights.flatMap(({ Action, Resource }) => ([...Resource].includes('*') ? Action : []));
  const { actions: ofPages = [] } = rightsOf('operator').find(({ place }) => place === 'everything') ?? {};
  expect(onAll.toSorted()).toEqual([...ofPages, 'sns:ListSubscriptionsByTopic'].sort());
  // Without a distribution or Athena, nobody has a right to one.
  const less = { ...resources, distribution: undefined, database: undefined };
  const actions = roles.flatMap((role) => staffPolicies[role](less).flatMap(({ Action }) => Action));
  expect(actions.filter((action) => /^(athena|glue):|Distribution(Config)?$/.test(action))).toEqual([]);
});

test('whoever deploys assumes the roles of CDK that deploy and publish, not the one that reads everything', () => {
  const { Statement } = JSON.parse(read('docs/policies/deploy.json'));
  expect(Statement[0].Resource.map((arn: string) => arn.split('role/')[1])).toEqual([
    'cdk-*-deploy-role-*',
    'cdk-*-file-publishing-role-*',
  ]);
});

test('only an admin changes keys, only a reviewer decrypts, and nobody signs, deletes files or changes a policy', () => {
  const withAction = (action: RegExp) => roles.filter((role) => actionsOf(role).some((one) => action.test(one)));
  expect(withAction(/^kms:Encrypt$/)).toEqual(['admin']);
  expect(withAction(/^kms:Decrypt$/)).toEqual(['reviewer']);
  expect(withAction(/kms:(Sign|PutKeyPolicy|CreateGrant)|s3:Delete|:\*$|Policy$/)).toEqual([]);
  const verdicts = staffPolicies.reviewer(resources).flatMap(({ Condition }) => (Condition ? [Condition] : []));
  expect(verdicts).toEqual([{ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [`$${'{aws:userid}'}`] } }]);
});
