import { describe, expect, test } from 'vitest';
import { nameOf, synth, synthesize } from './synth.ts';

const dev = synth();
const prod = synth({ stage: 'prod', alarmEmail: 'ops@example.com' });

/**
 * The logical ids that must never change, because CloudFormation replaces a resource whose id changes. A new table is
 * empty, a new key cannot decrypt the existing credentials, a new bucket has no log, and a new API has another URL.
 */
const pinned = {
  TablesAllowlistAD0B9E79: 'AWS::DynamoDB::GlobalTable',
  TablesApiKeys330F873D: 'AWS::DynamoDB::GlobalTable',
  TablesWeightsA19CFAA9: 'AWS::DynamoDB::GlobalTable',
  TablesAiLogs2ED803E7: 'AWS::DynamoDB::GlobalTable',
  TablesReceiptKeysEBCA8C76: 'AWS::DynamoDB::GlobalTable',
  TablesReviews23F46CFD: 'AWS::DynamoDB::GlobalTable',
  CredentialsKey841FDBB1: 'AWS::KMS::Key',
  TlogCheckpointKey1KeyE9BDA599: 'AWS::KMS::Key',
  TlogReceiptSealingKey874DA88C: 'AWS::KMS::Key',
  TlogFilesBucketA6FFD3F3: 'AWS::S3::Bucket',
  AnalyticsRowsBucket009D7080: 'AWS::S3::Bucket',
  ApiRestApiE35FEAFE: 'AWS::ApiGateway::RestApi',
};

describe.each([
  ['dev', dev],
  ['prod', prod],
])('%s', (_, { resources, one }) => {
  test('tables, KMS key and API keep their logical ids', () => {
    const found = Object.entries(resources).flatMap(([id, { Type }]) =>
      Object.values(pinned).includes(Type) ? [[id, Type]] : [],
    );
    expect(Object.fromEntries(found)).toEqual(pinned);
  });

  test('the API can invoke the live alias only', () => {
    const alias = one('AWS::Lambda::Alias').Properties;
    expect(alias.Name).toBe('live');
    expect(nameOf(alias.FunctionVersion)).toMatch(/^UploadFunctionCurrentVersion.*\.Version$/);
    const { Integration } = one('AWS::ApiGateway::Method', { HttpMethod: 'POST' }).Properties;
    expect(nameOf(Integration.Uri)).toContain('/functions/RolloutLive/invocations');
    const { FunctionName } = one('AWS::Lambda::Permission', { Principal: 'apigateway.amazonaws.com' }).Properties;
    expect(nameOf(FunctionName)).toBe('RolloutLive');
  });
});

test('earlier versions are retained, but not one whose deployment failed: the same code could not be deployed again', () => {
  expect(dev.one('AWS::Lambda::Version')).toMatchObject({
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
  });
});

test('a changed setting of the function creates a new version', () => {
  const versionOf = ({ resources }: typeof dev) =>
    Object.keys(resources).find((id) => resources[id]?.Type === 'AWS::Lambda::Version');
  expect(versionOf(synth({ uidQuota: '2' }))).not.toBe(versionOf(dev));
  expect(versionOf(synthesize())).toBe(versionOf(dev));
});

describe('canary', () => {
  test.each([
    ['dev', {}, false],
    ['dev with canary', { canary: 'true' }, true],
    ['prod', { stage: 'prod' }, true],
    ['prod without canary', { stage: 'prod', canary: 'false' }, false],
  ])('%s', (_, settings, isOn) => {
    const { all, one } = synth(settings);
    expect(all('AWS::CodeDeploy::DeploymentGroup')).toHaveLength(Number(isOn));
    expect('UpdatePolicy' in one('AWS::Lambda::Alias')).toBe(isOn);
  });

  test('shifts a tenth of the traffic first, and rolls back on alarms that only a version can set off', () => {
    const { Properties } = prod.one('AWS::CodeDeploy::DeploymentGroup');
    expect(Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AutoRollbackConfiguration: { Enabled: true, Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']) },
    });
    expect(Properties.AlarmConfiguration.Enabled).toBe(true);
    expect(Properties.AlarmConfiguration.Alarms.map(({ Name }: { Name: unknown }) => nameOf(Name))).toEqual([
      'MonitoringAlarmsSystemErrors',
      'MonitoringAlarmsFunctionErrors',
      'MonitoringAlarmsUnreachable',
    ]);
  });

  test('the rollback alarms can go off within the 5 minutes of the canary', () => {
    const ids = Object.keys(prod.resources).filter((id) =>
      /^MonitoringAlarms(SystemErrors|FunctionErrors|Unreachable)/.test(id),
    );
    for (const id of ids) {
      const { Period, EvaluationPeriods } = prod.resources[id]?.Properties ?? {};
      expect(Period * EvaluationPeriods).toBeLessThan(5 * 60);
    }
    expect(ids).toHaveLength(3);
  });
});

/** Returns the logical ids that a part of a template references. */
const references = (part: unknown): string[] => {
  if (part === null || typeof part !== 'object') return [];
  const { Ref, 'Fn::GetAtt': attribute, DependsOn } = part as Record<string, unknown>;
  return [
    ...(typeof Ref === 'string' ? [Ref] : []),
    ...(Array.isArray(attribute) ? [attribute[0]] : []),
    ...(DependsOn === undefined ? [] : [DependsOn].flat().map(String)),
    ...Object.values(part).flatMap(references),
  ];
};

test('alias, canary, alarms and API have no circular reference', () => {
  const waiting = new Map(
    Object.entries(prod.resources).map(([id, resource]) => [
      id,
      new Set(references(resource).filter((other) => other in prod.resources)),
    ]),
  );
  for (let ready = ['']; ready.length > 0; ) {
    ready = [...waiting].filter(([, others]) => ![...others].some((other) => waiting.has(other))).map(([id]) => id);
    for (const id of ready) waiting.delete(id);
  }
  expect([...waiting.keys()]).toEqual([]);
});
