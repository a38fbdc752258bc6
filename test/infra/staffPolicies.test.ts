import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { staffPolicies } from '../../infra/staffPolicies.ts';
import { perTable } from '../../infra/tables.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const roles = ['admin', 'reviewer', 'operator', 'repairer'] as const;
const resources = {
  ...{ stackName: 'S', stack: 's', account: 'a', credentialsKey: 'k', tlogBucket: 't', rowBucket: 'r' },
  ...{ database: 'd', functions: 'f', logGroups: 'l', tables: perTable((id) => id) },
};
const actionsOf = (role: (typeof roles)[number]): string[] =>
  staffPolicies[role](resources).flatMap(({ Action }) => Action);
const ofDeploy: string[] = JSON.parse(read('docs/policies/deploy.json')).Statement.flatMap(
  ({ Action }: { Action: string[] }) => Action,
);

test('every call of the command line is in the policy of a role', () => {
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
  };
  const allowed = new Set([...ofDeploy, ...roles.flatMap(actionsOf)]);
  // Everybody may ask who they are, and only the local engine is asked for its tables.
  const free = ['sts:GetCallerIdentity', 'dynamodb:ListTables'];
  const needed = [...calls].map((call) => rights[call] ?? call).filter((call) => !free.includes(call));
  expect(needed.length).toBeGreaterThan(20);
  expect(needed.filter((call) => !allowed.has(call))).toEqual([]);
});

test('only an admin changes keys, only a reviewer decrypts, and nobody signs, deletes files or changes a policy', () => {
  const withAction = (action: RegExp) => roles.filter((role) => actionsOf(role).some((one) => action.test(one)));
  expect(withAction(/^kms:Encrypt$/)).toEqual(['admin']);
  expect(withAction(/^kms:Decrypt$/)).toEqual(['reviewer']);
  expect(withAction(/kms:(Sign|PutKeyPolicy|CreateGrant)|s3:Delete|:\*$|Policy$/)).toEqual([]);
  const verdicts = staffPolicies.reviewer(resources).flatMap(({ Condition }) => (Condition ? [Condition] : []));
  expect(verdicts).toEqual([{ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [`$${'{aws:userid}'}`] } }]);
});
