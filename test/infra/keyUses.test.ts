import * as kms from '@aws-sdk/client-kms';
import { describe, expect, test } from 'vitest';
import { nameOf, synth } from './synth.ts';

/** AWS's operations, as its SDK has them, each by the names under which policies know it. */
const ACTIONS = Object.keys(kms)
  .flatMap((name) => /^([A-Z]\w+)Command$/.exec(name)?.[1] ?? [])
  .flatMap((name) => (name === 'ReEncrypt' ? ['ReEncryptFrom', 'ReEncryptTo'] : [name]));

/** What needs no material of a key of these kinds and hands out no right to it. */
const MANAGEMENT = new Set([
  ...[
    'CancelKeyDeletion',
    'CreateAlias',
    'CreateKey',
    'DeleteAlias',
    'DescribeKey',
    'DisableKey',
    'DisableKeyRotation',
  ],
  ...['EnableKey', 'EnableKeyRotation', 'GetKeyLastUsage', 'GetKeyPolicy', 'GetKeyRotationStatus', 'GetPublicKey'],
  ...['ListAliases', 'ListGrants', 'ListKeyPolicies', 'ListKeyRotations', 'ListKeys', 'ListResourceTags'],
  ...['ListRetirableGrants', 'PutKeyPolicy', 'RetireGrant', 'RevokeGrant', 'RotateKeyOnDemand', 'ScheduleKeyDeletion'],
  ...['TagResource', 'UntagResource', 'UpdateAlias', 'UpdateKeyDescription'],
  // Of custom key stores, of keys in several regions and of keys with imported material. GenerateRandom has no key.
  ...['ConnectCustomKeyStore', 'CreateCustomKeyStore', 'DeleteCustomKeyStore', 'DescribeCustomKeyStores'],
  ...['DisconnectCustomKeyStore', 'UpdateCustomKeyStore', 'ReplicateKey', 'UpdatePrimaryRegion', 'ImportKeyMaterial'],
  ...['DeleteImportedKeyMaterial', 'GetParametersForImport', 'GenerateRandom'],
]);

const [role1, role2] = ['arn:aws:iam::111122223333:role/break-glass', 'arn:aws:iam::111122223333:role/reviewer'];
const ANYONE = 'whoever has the right';

/** Returns who may use a key: by use, the roles that its policy does not deny, if the account allows them. */
function usersOf(name: string, settings: Record<string, string>) {
  const [all, ...denials] = synth({ stage: 'prod', ...settings }).part(name, 'AWS::KMS::Key').Properties.KeyPolicy
    .Statement;
  expect([all.Effect, all.Action, nameOf(all.Principal.AWS)]).toEqual([
    'Allow',
    'kms:*',
    'arn:AWS::Partition:iam::AWS::AccountId:root',
  ]);
  const users = Object.fromEntries(ACTIONS.filter((one) => !MANAGEMENT.has(one)).map((one) => [one, [ANYONE]]));
  for (const { Effect, Principal, Action, Resource, Condition } of denials) {
    expect([Effect, Principal, Resource]).toEqual(['Deny', { AWS: '*' }, '*']);
    const { ArnNotEquals = {}, ...others } = Condition ?? {};
    expect([Object.keys(ArnNotEquals), others]).toEqual([Condition ? ['aws:PrincipalArn'] : [], {}]);
    const left = [ArnNotEquals['aws:PrincipalArn'] ?? []]
      .flat()
      .map((arn: unknown) => String(nameOf(arn).split('/')[1]));
    for (const action of [Action].flat()) {
      const use = action.replace(/^kms:/, '');
      expect(users).toHaveProperty(use, [ANYONE]);
      users[use] = left.map((role) => role.replace(/^AiLogUpload-prod-AWS::Region-/, ''));
    }
  }
  return Object.fromEntries(Object.entries(users).filter(([, roles]) => roles.length > 0));
}

test('the list of management names operations of AWS only, and the policies cover all others', () => {
  expect(MANAGEMENT.difference(new Set(ACTIONS))).toEqual(new Set());
  expect(ACTIONS).toEqual(expect.arrayContaining(['ReEncryptFrom', 'GenerateDataKey', 'CreateGrant', 'Decrypt']));
});

describe('nobody uses a key but for what it is for, admins of the account included', () => {
  const keyRoles = `${role1},${role2}`;
  const with2 = (lambda: string) => [lambda, 'break-glass', 'reviewer'];
  // The roles of keyRoles may what its function may, and nobody else decrypts credentials.
  test.each<[string, Record<string, string>, Record<string, string[]>]>([
    ['CredentialsKey', {}, { Encrypt: [ANYONE], Decrypt: [ANYONE] }],
    ['CredentialsKey', { keyRoles }, { Encrypt: [ANYONE], Decrypt: with2('upload') }],
    ['TlogCheckpointKey1Key', {}, { Sign: ['sequencer'] }],
    ['TlogCheckpointKey1Key', { keyRoles }, { Sign: with2('sequencer') }],
    ['TlogReceiptSealingKey', {}, { Decrypt: ['upload'], GenerateDataKeyPairWithoutPlaintext: ['sequencer'] }],
    [
      'TlogReceiptSealingKey',
      { keyRoles },
      { Decrypt: with2('upload'), GenerateDataKeyPairWithoutPlaintext: with2('sequencer') },
    ],
  ])('%s with %j', (name, settings, expected) => {
    expect(usersOf(name, settings)).toEqual(expected);
  });

  test('the policies name the roles of the functions', () => {
    const roles = synth({ stage: 'prod' }).all('AWS::IAM::Role');
    const names = roles.flatMap(({ Properties }) => Properties.RoleName ?? []);
    expect(names.map(nameOf).sort()).toEqual([
      'AiLogUpload-prod-AWS::Region-sequencer',
      'AiLogUpload-prod-AWS::Region-upload',
    ]);
  });
});
