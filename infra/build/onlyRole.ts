import { ArnFormat, Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/**
 * Returns the name of a function's role, which the policies of keys name. A key outlives its stack, and the next stack
 * of the same name and region has the same roles.
 */
export const roleName = (scope: Construct, lambda: 'upload' | 'sequencer' | 'indexer'): string =>
  `${Stack.of(scope).stackName}-${Stack.of(scope).region}-${lambda}`;

/**
 * Denies a call with a key to everyone, admins of the account included, but the role of a function and those that the
 * setting `keyRoles` names. Who may change the policy of the key can lift that, which CloudTrail records.
 */
export function allowOnlyRole(key: Key, action: string, lambda: 'upload' | 'sequencer', { keyRoles }: Settings): void {
  const role = Stack.of(key).formatArn({
    service: 'iam',
    region: '',
    resource: 'role',
    resourceName: roleName(key, lambda),
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'OnlyItsFunction',
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: [action],
      resources: ['*'],
      conditions: { ArnNotEquals: { 'aws:PrincipalArn': [role, ...(keyRoles?.split(',') ?? [])] } },
    }),
  );
}
