import { type App, Validations } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { expect, test } from 'vitest';
import { rulePacks } from '../../infra/app.ts';
import { domain, prepare, synth } from './synth.ts';

/** Returns the rules that the app acknowledges, each with the reason. */
const acknowledged = (app: App) =>
  app.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([id, reason]) => ({ rule: id.replace(/^annotation::/i, ''), reason })),
  );

/** Returns the rules with findings; with `acknowledged: false`, also those whose findings are acknowledged. */
const found = (app: App, { acknowledged = true } = {}): string[] =>
  rulePacks().flatMap((pack) => {
    if (!acknowledged) Object.assign(pack, { isAcknowledged: () => false });
    return pack.validateScope(app).violations.map(({ ruleName }) => ruleName);
  });

test.each<[string, Record<string, string>]>([
  ['dev', {}],
  ['prod', { stage: 'prod' }],
  ['prod with alarmEmail', { stage: 'prod', alarmEmail: 'ops@example.com' }],
  ['dev with a firewall', { waf: 'true' }],
  ['dev with a domain name', domain],
  ['dev with an existing bucket', { tlogBucket: 'old-files' }],
  ['prod with a private transparency log', { stage: 'prod', tlogPublic: 'none' }],
  ['dev with the policies of staff', { staff: 'true' }],
  ['prod with analytics', { stage: 'prod', analytics: 'true' }],
])('%s: every finding is acknowledged, and every acknowledgement has a finding', (_, settings) => {
  const { app } = prepare(settings);
  expect(found(app)).toEqual([]);
  const rules = new Set(acknowledged(app).map(({ rule }) => rule));
  expect([...rules].sort()).toEqual(found(app, { acknowledged: false }).sort());
  for (const { reason } of acknowledged(app)) expect(reason).toMatch(/^[A-Z].{50,}\.$/);
});

test('a finding fails synth', () => {
  const { app, stack } = prepare();
  new Table(stack, 'Careless', { partitionKey: { name: 'id', type: AttributeType.STRING } });
  expect(() => app.synth()).toThrow('AwsSolutions-DDB3');
});

test('an invalid setting fails synth', () => {
  expect(() => synth({ uidQuota: 'many' })).toThrow(
    'Setting uidQuota is "many": it must be an integer from 1 to 1000000.',
  );
});

test('each finding of checkov has its reason on the resource, where checkov reads it', () => {
  const reasons = new Map<string, string>();
  for (const [id, { Type: type, Metadata }] of Object.entries(synth({ stage: 'prod' }).resources)) {
    const Type = id.startsWith('AnalyticsRows') ? `${type} of rows` : type;
    const skipped = (Metadata?.checkov?.skip ?? []).map(({ id, comment }) => {
      expect(comment).toMatch(/^[A-Z].{50,}\.$/);
      return id.replace('CKV_AWS_', '');
    });
    // Every resource of a type has the same findings.
    expect(reasons.get(Type) ?? skipped.join(' ')).toBe(skipped.join(' '));
    reasons.set(Type, skipped.join(' '));
  }
  expect(Object.fromEntries([...reasons].filter(([, ids]) => ids !== ''))).toEqual({
    'AWS::ApiGateway::Method': '59',
    'AWS::ApiGateway::Stage': '120',
    'AWS::CloudFront::Distribution': '68 86 174 310 374',
    'AWS::Lambda::Function': '115 116 117 173',
    'AWS::Logs::LogGroup': '158',
    'AWS::S3::Bucket': '18',
    'AWS::S3::Bucket of rows': '18 21',
    'AWS::SNS::Topic': '26',
    'AWS::WAFv2::WebACL': '192',
  });
});
