import { ArnFormat, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyDocument } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { mapKeys } from '../functions/tables.ts';
import { acceptFindings } from './acceptFindings.ts';
import type { outputs } from './outputs.ts';
import { type StaffResources, staffPolicies } from './staffPolicies.ts';
import { perTable } from './tables.ts';

type Role = keyof typeof outputs.staff;

/** The resources of the stack that people work on: tables, buckets, functions and log groups by their names. */
type Parts = Omit<StaffResources, 'stackName' | 'account' | 'stack'>;

/** Returns an ARN as cdk-nag writes it, references in angle brackets. @param value resolved by the stack */
function asFinding(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': [, parts] = [] } = value as Record<string, unknown[]>;
  return parts === undefined ? `<${Ref ?? attribute?.join('.')}>` : (parts as unknown[]).map(asFinding).join('');
}

/** The IAM policies of the people who work on this deployment, to attach to their roles. At first, nobody has them. */
export class Staff extends Construct {
  readonly arns: Readonly<Record<Role, string>>;

  constructor(scope: Construct, id: string, { tables, ...parts }: Parts) {
    super(scope, id);
    const stack = Stack.of(this);
    const { stackName, account } = stack;
    const bucket = (name: string) => stack.formatArn({ service: 's3', resource: name, region: '', account: '' });
    const named = (service: string, resource: string, resourceName: string) =>
      stack.formatArn({ service, resource, resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
    const resources: StaffResources = {
      ...parts,
      stackName,
      account,
      stack: stack.stackId,
      tables: perTable((table) =>
        stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName: tables[table] }),
      ),
      tlogBucket: bucket(parts.tlogBucket),
      rowBucket: bucket(parts.rowBucket),
      functions: parts.functions.map((name) => named('lambda', 'function', name)),
      logGroups: parts.logGroups.map((name) => named('logs', 'log-group', name)),
    };
    const wildcards = new Set<string>();
    const create = (role: Role) => {
      const Statement = staffPolicies[role](resources);
      for (const one of stack.resolve(Statement.flatMap(({ Resource }) => Resource)).map(asFinding))
        if (one.includes('*')) wildcards.add(one);
      const document = PolicyDocument.fromJson({ Version: '2012-10-17', Statement });
      const description = `The rights of a ${role} in ${stackName}`;
      return new ManagedPolicy(this, role, { document, description }).managedPolicyArn;
    };
    this.arns = mapKeys(staffPolicies, create);
    const reason =
      'A person reads more than one item: indexes of tables, files of buckets, functions and log groups of this stack.';
    acceptFindings(
      this,
      Object.fromEntries([...wildcards].map((one) => [`AwsSolutions-IAM5[Resource::${one}]`, reason])),
    );
  }
}
