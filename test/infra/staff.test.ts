import { describe, expect, test } from 'vitest';
import { outputs } from '../../infra/outputs.ts';
import { nameOf, synth } from './synth.ts';

/** A deployment with all that people work on. */
const { all, outputs: values, part } = synth({ analytics: 'true', tlogPublic: 'true' });
const ROLES = Object.keys(outputs.staff) as (keyof typeof outputs.staff)[];
type Statement = Readonly<Record<'Action' | 'Resource', unknown>> & { readonly Condition?: object };
const list = (value: unknown) => [value].flat();
const policyOf = (role: string): readonly Statement[] => part(`Staff${role}`).Properties.PolicyDocument.Statement;

/**
 * Returns a value as IAM stores it, which counts its characters: with the longest names that CloudFormation chooses.
 */
const asStored = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_key, one) => {
    const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = one ?? {};
    const known: Record<string, string> = {
      'AWS::Partition': 'aws',
      'AWS::Region': 'ap-southeast-1',
      'AWS::AccountId': '123456789012',
      'AWS::StackId': 'x'.repeat(110),
    };
    if (Ref) return known[Ref] ?? `AiLogUpload-dev-${Ref}-1ABCDEFGHIJKL`;
    if (attribute) return 'x'.repeat(85);
    return join ? join[1].join('') : one;
  });

describe.each(ROLES)('the policy of a %s', (role) => {
  test('names resources of this stack, where the service knows them', () => {
    const named = policyOf(role).flatMap(({ Action, Resource }) =>
      list(Resource).map((resource) => ({ action: list(Action)[0] as string, name: nameOf(resource) })),
    );
    const tables = named.filter(({ action }) => action.startsWith('dynamodb:'));
    expect(tables.length).toBeGreaterThan(4);
    for (const { name } of tables)
      expect(name).toMatch(/table\/Tables(Allowlist|ApiKeys|Weights|AiLogs|ReceiptKeys|Reviews)/);
    for (const { name } of named.filter(({ action }) => action.startsWith('kms:')))
      expect(name).toMatch(/^(CredentialsKey|TlogReceiptSealingKey|TlogCheckpointKey|\*$|arn:.*:key\/\*$)/);
    for (const { name } of named.filter(({ action }) => /^(lambda|logs):/.test(action))) {
      // The name of stage `dev` begins that of a stage `dev-2`: only whole names are of this stack.
      expect(name).toMatch(
        /^(\*|arn:.*(function|log-group):(Upload|Tlog|Api|Analytics)\w+(:\*)?|arn:.*:event-source-mapping:\*)$/,
      );
    }
  });

  test('is an output, belongs to nobody, and fits into a policy of IAM', () => {
    expect(values[outputs.staff[role]]).toBe(`Staff${role}`);
    const { Users, Groups, Roles } = part(`Staff${role}`).Properties;
    expect([Users, Groups, Roles]).toEqual([undefined, undefined, undefined]);
    expect(JSON.stringify(asStored(policyOf(role))).length).toBeLessThan(6144);
  });
});

test('each stack has all of them, and no others', () => {
  expect(all('AWS::IAM::ManagedPolicy')).toHaveLength(ROLES.length);
});
