import { type App, Validations } from 'aws-cdk-lib';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { prepare, synth } from './synth.ts';

/** Every rule that something in the app acknowledges. */
const acknowledged = (app: App) =>
  app.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .flatMap(({ data }) => Object.keys(data as object).map((id) => id.replace(/^annotation::/i, ''))),
    );

/** Every rule that would find something if nothing were acknowledged. */
function found(app: App): string[] {
  const checks = new AwsSolutionsChecks();
  Object.assign(checks, { isAcknowledged: () => false });
  return checks.validateScope(app).violations.map(({ ruleName }) => ruleName);
}

test.each(['dev', 'prod'])('%s has no finding without a reason, and no reason without a finding', (stage) => {
  const { app } = prepare({ stage });
  expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
  expect([...new Set(acknowledged(app))].sort()).toEqual(found(app).sort());
});

test('a finding fails synth', () => {
  const { app, stack } = prepare();
  new Table(stack, 'Careless', { partitionKey: { name: 'id', type: AttributeType.STRING } });
  expect(() => app.synth()).toThrow('AwsSolutions-DDB3');
});

test('a wrong setting fails synth', () => {
  expect(() => synth({ uidQuota: 'many' })).toThrow(
    'Setting uidQuota is "many": it must be an integer from 1 to 1000000.',
  );
});
