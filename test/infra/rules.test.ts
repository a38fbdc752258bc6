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
  ['dev with a name of the log', { tlogOrigin: 'logs.example.com/ailog' }],
  ['prod with a private transparency log', { stage: 'prod', tlogPublic: 'false' }],
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
    'Setting uidQuota is "many": it must be an integer from 1 to 5000.',
  );
});
