import { describe, expect, test } from 'vitest';
import { apiErrors } from '../../../functions/errors.ts';
import { functionTables as tableShapes } from '../../../functions/tables.ts';
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
  const ofVersion = ['SystemErrors', 'FunctionErrors', 'ReceiptsMissing', 'Unreachable', 'SlowVersion'];
  const limits = ['KmsErrors', 'GatewayThrottles', 'FunctionThrottles', 'Concurrency', 'Flood', 'FloodIpv6'];
  const log = ['EntriesEdited', 'TlogLag', 'TlogFatal', 'TlogStragglers', 'PublicRequests', 'PublicBytes'];
  const tables = ['Allowlist', 'ApiKeys', 'Weights', 'AiLogs', 'Tlog', 'AiLogsByOrderId', 'AiLogsByArrival'].map(
    (table) => `${table}Throttles`,
  );
  const rejected = Object.keys(errorGroups).map((group) => `Rejected${group}`);

  test('cover failures, limits, tables, errors and traffic', () => {
    expect(alarms.map(([name]) => name).sort()).toEqual(
      [...failures, ...ofVersion, ...limits, ...tables, ...log, ...rejected, 'FewerUploads'].sort(),
    );
  });

  // biome-ignore format: one alarm a line
  const definitions: [name: string, metric: string, limit: number, minutes: number, periods: number][] = [
    ['ServerErrors', 'AWS/ApiGateway 5XXError Average', 0.01, 1, 3],
    ['Unavailable', 'AiLogUpload Unavailable Sum', 5, 1, 2],
    ['Latency', 'AWS/ApiGateway Latency p99', 1000, 1, 3],
    ['SystemErrors', 'AiLogUpload SystemError Sum', 1, 1, 1],
    ['FunctionErrors', 'AWS/Lambda Errors Sum', 1, 1, 1],
    ['ReceiptsMissing', 'AiLogUpload ReceiptMissing Sum', 1, 1, 2],
    ['Unreachable', 'AiLogUpload/AiLogUpload-prod unreachable Sum', 5, 1, 2],
    ['KmsErrors', 'AiLogUpload/AiLogUpload-prod kmsErrors Sum', 1, 5, 1],
    ['GatewayThrottles', 'AiLogUpload/AiLogUpload-prod gatewayThrottles Sum', 1, 5, 1],
    ['FunctionThrottles', 'AWS/Lambda Throttles Sum', 1, 5, 1],
    ['Concurrency', 'AWS/Lambda ConcurrentExecutions Maximum', 800, 1, 3],
    ['Flood', 'AWS/WAFV2 BlockedRequests Sum', 1, 5, 1],
    ['EntriesEdited', 'AiLogUpload EntryEdited Sum', 1, 1, 1],
    ['TlogLag', 'AiLogUpload TlogLag Maximum', 300_000, 1, 3],
    ['TlogFatal', 'AiLogUpload TlogFatal Sum', 1, 1, 1],
    ['TlogStragglers', 'AiLogUpload Stragglers Sum', 1, 60, 1],
    ['PublicRequests', 'AiLogUpload PublicRequests Sum', 83_000, 5, 1],
    ['PublicBytes', 'AiLogUpload PublicBytes Sum', 980_000_000, 5, 1],
  ];
  const simple = alarms.filter(([, { MetricName }]) => MetricName !== undefined);

  test('each has its limit, for a number of periods in a row', () => {
    expect(
      simple.map(
        ([name, { Namespace, MetricName, Statistic, ExtendedStatistic, Threshold, Period, EvaluationPeriods }]) => [
          name,
          `${Namespace} ${MetricName} ${Statistic ?? ExtendedStatistic}`,
          Threshold,
          Period / 60,
          EvaluationPeriods,
        ],
      ),
    ).toEqual(definitions);
  });

  test('each goes off at its limit; missing data is not an alarm, except for a sequencer that does not run', () => {
    for (const [name, { ComparisonOperator, TreatMissingData }] of alarms) {
      const missing = name === 'TlogLag' ? 'breaching' : 'notBreaching';
      const comparison = name === 'FewerUploads' ? 'LessThanLowerThreshold' : 'GreaterThanOrEqualToThreshold';
      expect([name, TreatMissingData, ComparisonOperator]).toEqual([name, missing, comparison]);
    }
  });

  test('a group of errors: a fifth of at least 50 requests in 5 minutes, three times in a row', () => {
    const [, group] = alarms.find(([name]) => name === 'RejectedClocks') as (typeof alarms)[0];
    expect([group.Threshold, group.EvaluationPeriods]).toEqual([20, 3]);
    const [share, ...counts] = group.Metrics;
    const all = '(FILL(accepted, 0) + FILL(rejected, 0))';
    expect(share).toMatchObject({
      Expression: `IF(${all} >= 50, 100 * (FILL(c40005, 0) + FILL(c40008, 0)) / ${all}, 0)`,
      Label: 'Rejected for Clocks, percent',
    });
    expect(
      counts.map(({ Id, MetricStat: { Metric, Period, Stat } }: Resource['Properties']) =>
        [Id, Metric.MetricName, ...Metric.Dimensions.map(({ Value }: { Value: string }) => Value), Period, Stat].join(
          ' ',
        ),
      ),
    ).toEqual([
      'c40005 RejectedByCode 40005 AiLogUpload-prod 300 Sum',
      'c40008 RejectedByCode 40008 AiLogUpload-prod 300 Sum',
      'accepted Accepted AiLogUpload-prod 300 Sum',
      'rejected Rejected AiLogUpload-prod 300 Sum',
    ]);
  });

  test('fewer uploads than usual: below a band of 3 standard deviations, for half an hour', () => {
    const [, { EvaluationPeriods, Metrics }] = alarms.find(([name]) => name === 'FewerUploads') as (typeof alarms)[0];
    expect(EvaluationPeriods).toBe(2);
    expect(Metrics).toMatchObject([
      { Expression: 'ANOMALY_DETECTION_BAND(m0, 3)' },
      { Expression: 'FILL(accepted, 0)', Label: 'Accepted' },
      { Id: 'accepted', MetricStat: { Metric: { MetricName: 'Accepted' }, Period: 900, Stat: 'Sum' } },
    ]);
  });

  test('a flood over IPv6: one request that is blocked of an operator, or of all together', () => {
    const [, { Threshold, Metrics }] = alarms.find(([name]) => name === 'FloodIpv6') as (typeof alarms)[0];
    const [sum, ...counted] = Metrics;
    expect([Threshold, sum.Expression]).toEqual([1, 'FILL(network, 0) + FILL(all, 0)']);
    expect(
      counted.map(({ Id, MetricStat: { Metric, Period } }: Resource['Properties']) => [
        ...[Id, Metric.MetricName, Period],
        Metric.Dimensions.find(({ Name }: { Name: string }) => Name === 'Rule').Value,
      ]),
    ).toEqual([
      ['network', 'BlockedRequests', 300, 'FloodIpv6Network'],
      ['all', 'BlockedRequests', 300, 'FloodIpv6'],
    ]);
  });

  test('no firewall alarm without waf, no traffic alarms without trafficAlarms', () => {
    const ids = Object.keys(synth({ stage: 'prod', waf: 'false', trafficAlarms: 'false' }).resources);
    expect(ids.filter((id) => /^MonitoringAlarms(Flood|Rejected|FewerUploads)/.test(id))).toEqual([]);
    expect(ids.filter((id) => id.startsWith('MonitoringAlarms'))).not.toEqual([]);
  });

  test('throttled tables, and indexes that an upload writes to: 10 in 5 minutes, where no data is 0', () => {
    const watched = alarms
      .filter(([name]) => tables.includes(name))
      .map(([name, { Metrics, Threshold, EvaluationPeriods }]) => {
        const [filled, { Id, MetricStat, ReturnData }] = Metrics;
        expect([name, filled.Expression, Id, ReturnData]).toEqual([name, 'FILL(throttles, 0)', 'throttles', false]);
        expect([name, Threshold, EvaluationPeriods, MetricStat.Period]).toEqual([name, 10, 1, 300]);
        const { MetricName, Dimensions } = MetricStat.Metric;
        const of = (dimension: string) => Dimensions.find(({ Name }: { Name: string }) => Name === dimension)?.Value;
        const index = of('GlobalSecondaryIndexName');
        return `${name} ${MetricName} ${MetricStat.Stat} ${nameOf(of('TableName'))}${index ? ` ${index}` : ''}`;
      });
    expect(watched).toEqual([
      'AllowlistThrottles ReadThrottleEvents Sum TablesAllowlist',
      'ApiKeysThrottles ReadThrottleEvents Sum TablesApiKeys',
      'WeightsThrottles WriteThrottleEvents Sum TablesWeights',
      'AiLogsThrottles WriteThrottleEvents Sum TablesAiLogs',
      'TlogThrottles WriteThrottleEvents Sum TablesTlog',
      'AiLogsByOrderIdThrottles WriteThrottleEvents Sum TablesAiLogs byOrderId',
      'AiLogsByArrivalThrottles WriteThrottleEvents Sum TablesAiLogs byArrival',
    ]);
    expect(Object.keys(tableShapes.aiLogs.indexes ?? {})).toEqual(['byOrderId', 'byArrival']);
  });

  test.each(alarms)(
    '%s describes its impact on teams and notifies the topic',
    (_, { AlarmDescription, AlarmActions, OKActions }) => {
      expect(AlarmDescription).toMatch(/(team|upload|log|bot).*\.$/i);
      expect([AlarmActions, OKActions].map((actions) => actions.map(nameOf))).toEqual([
        ['MonitoringTopic'],
        ['MonitoringTopic'],
      ]);
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
      {
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      },
    ]);
    expect(synth().all('AWS::SNS::Subscription')).toEqual([]);
  });
});

describe('the dashboard', () => {
  const { DashboardName, DashboardBody } = prod.one('AWS::CloudWatch::Dashboard').Properties;
  const { widgets, ...page } = JSON.parse(nameOf(DashboardBody));
  const [status, ...graphs] = widgets as Resource['Properties'][];

  test('has the name of stack and region, and shows the last 12 hours', () => {
    expect(nameOf(DashboardName)).toBe('AiLogUpload-prod-AWS::Region');
    expect(page).toEqual({ start: '-PT12H', periodOverride: 'auto' });
  });

  test('starts with the state of every alarm', () => {
    expect(status).toMatchObject({ type: 'alarm', x: 0, y: 0, width: 24, properties: { title: 'Alarms' } });
    expect(status?.properties.alarms.map((arn: string) => arn.replace(/^MonitoringAlarms|\.Arn$/g, ''))).toEqual(
      alarms.map(([name]) => name),
    );
  });

  const everyTable = ['allowlist', 'apiKeys', 'weights', 'aiLogs', 'tlog', 'reviews'].map((table) => `Sum ${table}`);
  // biome-ignore format: one graph a line
  const lines: Record<string, string[]> = {
    Uploads: ['Sum Accepted', 'Sum Duplicate', 'Sum Warned', 'Sum Rejected'],
    'Errors by code': [`SEARCH('{AiLogUpload,code,service} MetricName="RejectedByCode" service="AiLogUpload-prod"', 'Sum', 300)`],
    'Rejected over quota': ['Sum over quota'],
    'Gateway latency, ms': ['p50 p50', 'p90 p90', 'p99 p99'],
    'Server errors': ['Sum SystemError', 'Sum Unavailable', 'Sum gateway 5xx'],
    'Function latency, ms': ['p50 p50', 'p99 p99'],
    'Cold starts': ['Sum ColdStart'],
    'Concurrent executions': ['Maximum ConcurrentExecutions', 'Sum Throttles, right', 'Sum Errors, right'],
    'Write units consumed': everyTable,
    'Read units consumed': everyTable,
    'Throttled writes': everyTable,
    'Throttled reads': everyTable,
    'Transparency log: lag, ms': ['Maximum TlogLag'],
    'Transparency log: entries appended': ['Sum TlogAppended', 'Sum Stragglers'],
    'Transparency log: failures': ['Sum TlogFatal', 'Sum TlogFailed', 'Sum WitnessContradicts', 'Sum WitnessQuorumMissed', 'Sum ReceiptMissing', 'Sum EntryEdited'],
    'Public log: requests, and bytes': ['Sum PublicRequests', 'Sum PublicBytes, right'],
    Firewall: ['Sum blocked as flood', 'Sum blocked, IPv6 of an operator', 'Sum blocked, all IPv6', 'Sum poor reputation, allowed'],
  };

  test('has these graphs', () => {
    const shown = graphs.map(({ properties: { title, metrics } }) => [
      title,
      metrics.map((metric: [string, string, ...unknown[]]) => {
        const { expression, stat, label = metric[1], yAxis } = metric.at(-1) as Record<string, string>;
        return expression ?? `${stat} ${label}${yAxis === undefined ? '' : `, ${yAxis}`}`;
      }),
    ]);
    expect(Object.fromEntries(shown)).toEqual(lines);
  });

  test('has three graphs in a row, which start at zero', () => {
    for (const [index, { width, height, x, properties }] of graphs.entries()) {
      expect([width, height, x]).toEqual([8, 6, (index % 3) * 8]);
      expect(properties.yAxis.left).toEqual({ min: 0 });
      if (properties.yAxis.right) expect(properties.yAxis.right).toEqual({ min: 0 });
    }
  });

  test('has no graph of a firewall without one', () => {
    const { DashboardBody } = synth().one('AWS::CloudWatch::Dashboard').Properties;
    expect(JSON.stringify(DashboardBody)).not.toContain('WAF');
  });
});

test('saved queries search the logs they name; savedQueries=false omits them', () => {
  const saved = prod.all('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties);
  expect(saved.map(({ Name }) => Name)).toEqual(Object.keys(queries).map((name) => `AiLogUpload-prod/${name}`));
  const groups = { upload: 'UploadLogs', api: 'ApiAccessLogs' };
  expect(saved.map(({ LogGroupNames }) => LogGroupNames.map(nameOf))).toEqual(
    Object.values(queries).map(({ logs }) => logs.map((log) => groups[log])),
  );
  for (const { QueryString } of saved) {
    expect(QueryString).toMatch(/^(# [A-Z].+\n)?(fields|filter|stats) .+(\n\| (filter|stats|sort|limit) .+)+$/);
  }
  expect(synth({ savedQueries: 'false' }).all('AWS::Logs::QueryDefinition')).toEqual([]);
});
