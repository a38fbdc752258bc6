import { ArnFormat, Stack } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement, type PolicyStatementProps } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '../settings.ts';

/** Returns the name of a function's role for key policies, which the next stack of this name has too. */
export const roleName = (scope: Construct, lambda: 'upload' | 'sequencer' | 'indexer'): string =>
  `${Stack.of(scope).stackName}-${Stack.of(scope).region}-${lambda}`;

/** The calls that use the material of a key or let somebody use it. A statement without `Action` has no effect. */
const USES = [
  ...['CreateGrant', 'Decapsulate', 'Decrypt', 'DeriveSharedSecret', 'Encapsulate', 'Encrypt', 'GenerateDataKey'],
  ...['GenerateDataKeyPair', 'GenerateDataKeyPairWithoutPlaintext', 'GenerateDataKeyWithoutPlaintext', 'GenerateMac'],
  ...['ReEncryptFrom', 'ReEncryptTo', 'Sign', 'Verify', 'VerifyMac'],
] as const;

type KeyUses = Readonly<Partial<Record<(typeof USES)[number], 'upload' | 'sequencer' | 'whoever has the right'>>>;

/**
 * Denies all other uses of a key to everyone, admins of the account included. A use of one function is left to its role
 * and to the roles of the setting `keyRoles`. A change of the key policy can lift the denial; CloudTrail records it.
 */
export function allowOnly(key: Key, uses: KeyUses, { keyRoles }: Settings): void {
  const deny = (sid: string, actions: readonly string[], conditions?: PolicyStatementProps['conditions']) =>
    key.addToResourcePolicy(
      new PolicyStatement({
        sid,
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: actions.map((action) => `kms:${action}`),
        resources: ['*'],
        ...(conditions && { conditions }),
      }),
    );
  deny(
    'NoOtherUse',
    USES.filter((use) => uses[use] === undefined),
  );
  for (const [use, by] of Object.entries(uses)) {
    if (by === 'whoever has the right') continue;
    const role = Stack.of(key).formatArn({
      service: 'iam',
      region: '',
      resource: 'role',
      resourceName: roleName(key, by),
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    const roles = [role, ...(keyRoles?.split(',') ?? [])];
    deny(`${use}OnlyByItsFunction`, [use], { ArnNotEquals: { 'aws:PrincipalArn': roles } });
  }
}
