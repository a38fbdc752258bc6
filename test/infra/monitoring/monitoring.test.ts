import { describe, expect, test } from 'vitest';
import { apiErrors } from '../../../functions/errors.ts';
import { tables as tableShapes } from '../../../functions/tables.ts';
import { gatewayResponses, methodNotAllowed } from '../../../infra/api/gatewayResponses.ts';
import { errorGroups } from '../../../infra/monitoring/errorAlarms.ts';
import { queries } from '../../../infra/monitoring/queries.ts';
import { nameOf, type Resource, synth } from '../synth.ts';

const prod = synth({ stage: 'prod', alarmEmail: 'ops@example.com' });
const alarms = Object.entries(prod.resources)
  .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
  .map(([id, { Properties }]): [string, Resource['Properties']] => [
    id.replace(/^MonitoringAlarms|[0-9A-F]{8}$/g, ''),
    Properties,
  ]);

describe('alarms', () => {
  const failures = ['ServerErrors', 'Unavailable', 'Latency'];
  const ofVersion = ['SystemErrors', 'FunctionErrors', 'Unreachable', 'SlowVersion'];
  const limits = ['KmsErrors', 'GatewayThrottles', 'FunctionThrottles', 'Concurrency', 'Flood'];
  const log = ['ReceiptsMissing', 'LogLag', 'LogFatal', 'LogStragglers'];
  const tables = ['Allowlist', 'ApiKeys', 'Weights', 'AiLogs', 'Log', 'AiLogsByOrderId', 'AiLogsByArrival'].map(
    (table) => `${table}Throttles`,
  );
  const rejected = Object.keys(errorGroups).map((group) => `Rejected${group}`);

  test('cover failures, limits, tables, errors and traffic', () => {
    expect(alarms.map(([name]) => name).sort()).toEqual(
      [...failures, ...ofVersion, ...limits, ...tables, ...log, ...rejected, 'FewerUploads'].sort(),
    );
  });

  test('no firewall alarm without waf, no traffic alarms without trafficAlarms', () => {
    const ids = Object.keys(synth({ stage: 'prod', waf: 'false', trafficAlarms: 'false' }).resources);
    expect(ids.filter((id) => /^MonitoringAlarms(Flood|Rejected|FewerUploads)/.test(id))).toEqual([]);
    expect(ids.filter((id) => id.startsWith('MonitoringAlarms'))).not.toEqual([]);
  });

  test.each([
    ['Allowlist', 'ReadThrottleEvents'],
    ['ApiKeys', 'ReadThrottleEvents'],
    ['Weights', 'WriteThrottleEvents'],
    ['AiLogs', 'WriteThrottleEvents'],
    ['Log', 'WriteThrottleEvents'],
  ])('%s has an alarm on %s', (table, metric) => {
    const [, { MetricName, Dimensions }] = alarms.find(([name]) => name === `${table}Throttles`) as (typeof alarms)[0];
    expect([MetricName, nameOf(Dimensions[0].Value)]).toEqual([metric, `Tables${table}`]);
  });

  test('every index that an upload writes to has an alarm on throttles', () => {
    const watched = alarms.flatMap(([, { MetricName, Dimensions = [] }]) => {
      const of = (name: string) => Dimensions.find(({ Name }: { Name: string }) => Name === name)?.Value;
      const index = of('GlobalSecondaryIndexName');
      return index === undefined ? [] : [`${MetricName} ${nameOf(of('TableName'))} ${index}`];
    });
    expect(watched).toEqual(
      Object.keys(tableShapes.aiLogs.indexes ?? {}).map((index) => `WriteThrottleEvents TablesAiLogs ${index}`),
    );
  });

  test.each(alarms)(
    '%s describes its impact on teams and notifies the topic',
    (_, { AlarmDescription, AlarmActions }) => {
      expect(AlarmDescription).toMatch(/(team|upload|log|bot).*\.$/i);
      expect(AlarmActions.map(nameOf)).toEqual(['MonitoringTopic']);
    },
  );

  test('every code that the function rejects with is in exactly one group', () => {
    const atGateway = new Set(
      [...Object.values(gatewayResponses), methodNotAllowed].map(({ error }) => error as string),
    );
    const codes = Object.entries(apiErrors)
      .filter(([name, { status }]) => !atGateway.has(name) && status < 500)
      .map(([, { code }]) => code);
    const grouped = Object.values(errorGroups).flatMap((group) => group.codes as readonly string[]);
    expect([...grouped].sort()).toEqual([...new Set(codes)].sort());
  });

  test('the latency and concurrency thresholds follow the settings', () => {
    const thresholds = (settings: Record<string, string>) =>
      synth(settings)
        .all('AWS::CloudWatch::Alarm')
        .map(({ Properties: { MetricName, Threshold, Dimensions } }) => [
          MetricName,
          Threshold,
          Dimensions?.map(({ Name }: { Name: string }) => Name).join(),
        ]);
    expect(thresholds({ latencyBudgetMs: '250' })).toContainEqual(['Latency', 250, 'ApiName,Stage']);
    expect(thresholds({ reservedConcurrency: '50' })).toContainEqual(['ConcurrentExecutions', 40, 'FunctionName']);
    // Without a reservation, the whole account shares one limit.
    expect(thresholds({})).toContainEqual(['ConcurrentExecutions', 800, undefined]);
    expect(thresholds({ accountConcurrency: '10' })).toContainEqual(['ConcurrentExecutions', 8, undefined]);
  });

  test('the topic sends to alarmEmail and requires TLS', () => {
    const { Protocol, Endpoint } = prod.one('AWS::SNS::Subscription').Properties;
    expect([Protocol, Endpoint]).toEqual(['email', 'ops@example.com']);
    const { Statement } = prod.one('AWS::SNS::TopicPolicy').Properties.PolicyDocument;
    expect(Statement).toMatchObject([
      { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      { Effect: 'Allow', Action: 'sns:Publish', Principal: { Service: 'cloudwatch.amazonaws.com' } },
    ]);
    expect(synth().all('AWS::SNS::Subscription')).toEqual([]);
  });
});

test('saved queries search the logs they name; savedQueries=false omits them', () => {
  const saved = prod.all('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties);
  expect(saved.map(({ Name }) => Name)).toEqual(Object.keys(queries).map((name) => `AiLogUpload-prod/${name}`));
  expect(saved[1]?.LogGroupNames.map(nameOf)).toEqual(['UploadLogs', 'ApiAccessLogs']);
  expect(saved[1]?.QueryString).toMatch(/^# .*\nfields .*\n\| filter .*\n\| sort /);
  expect(synth({ savedQueries: 'false' }).all('AWS::Logs::QueryDefinition')).toEqual([]);
});
