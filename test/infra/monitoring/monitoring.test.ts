import { describe, expect, test } from 'vitest';
import { queries } from '../../../infra/monitoring/queries.ts';
import { nameOf, policyFile, type Resource, synth } from '../synth.ts';

/** A deployment with every alarm. */
const prod = synth({ stage: 'prod', alarmEmail: 'ops@example.com', analytics: 'true', witnesses: policyFile });
const alarms = Object.entries(prod.resources)
  .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
  .map(([id, { Properties }]): [string, Resource['Properties']] => [
    id.replace(/^MonitoringAlarms|[0-9A-F]{8}$/g, ''),
    Properties,
  ]);

describe('alarms', () => {
  // biome-ignore format: one alarm a line
  const definitions: [name: string, metric: string, limit: number, minutes: number, periods: number][] = [
    ['SystemErrors', 'AiLogUpload SystemError Sum', 1, 1, 1],
    ['FunctionErrors', 'AWS/Lambda Errors Sum', 1, 1, 1],
    ['Unreachable', 'AiLogUpload/AiLogUpload-prod unreachable Sum', 5, 1, 2],
    ['ServerErrors', 'AWS/ApiGateway 5XXError Average', 0.01, 1, 3],
    ['KmsErrors', 'AiLogUpload/AiLogUpload-prod kmsErrors Sum', 1, 5, 1],
    ['ReceiptsMissing', 'AiLogUpload ReceiptMissing Sum', 1, 1, 2],
    ['Latency', 'AWS/ApiGateway Latency p99', 1000, 1, 3],
    ['Concurrency', 'AWS/Lambda ConcurrentExecutions Maximum', 800, 1, 3],
    ['TlogFatal', 'AiLogUpload TlogFatal Sum', 1, 1, 1],
    ['Witnesses', 'AiLogUpload WitnessQuorumMissed Sum', 3, 5, 1],
  ];
  // biome-ignore format: one case a line
  const computed: [name: string, expression: string, limit: number, minutes: number, periods: number][] = [
    ['Throttled', ['gateway', 'lambda', 'allowlist', 'apiKeys', 'weights', 'aiLogs', 'receiptKeys', 'byOrderId', 'byArrival'].map((id) => `FILL(${id}, 0)`).join(' + '), 10, 5, 1],
    ['Rejected', 'IF((FILL(accepted, 0) + FILL(rejected, 0)) >= 50, 100 * FILL(rejected, 0) / (FILL(accepted, 0) + FILL(rejected, 0)), 0)', 20, 5, 3],
    ['Flood', 'FILL(flood, 0) + FILL(network, 0) + FILL(ipv6, 0)', 1, 5, 1],
    ['TlogEdited', 'FILL(edited, 0) + FILL(poisoned, 0)', 1, 5, 1],
    ['TlogLag', 'FILL(lag, 300000) + 300000 * FILL(stragglers, 0)', 300_000, 5, 1],
    ['RowsLate', 'IF(FILL(age, 0) >= 3600000 OR (FILL(appended, 0) > 0 AND FILL(indexed, 0) == 0), 1, 0)', 1, 15, 2],
  ];
  const simple = alarms.filter(([, { MetricName }]) => MetricName !== undefined);

  test('are these, and no more', () => {
    const named = [...definitions, ...computed].map(([name]) => name);
    expect(alarms.map(([name]) => name).sort()).toEqual([...named, 'FewerUploads'].sort());
    expect(alarms.length).toBeLessThanOrEqual(18);
  });

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

  const alarm = (wanted: string) => (alarms.find(([name]) => name === wanted) as (typeof alarms)[0])[1];
  const metricsOf = (wanted: string): Resource['Properties'][] => alarm(wanted).Metrics;

  test('some are computed, of at most 10 metrics of one period', () => {
    const found = computed.map(([name]) => {
      const { Metrics, Threshold, EvaluationPeriods } = alarm(name);
      const [{ Expression }, ...of] = Metrics;
      const periods = new Set(of.map(({ MetricStat }: Resource['Properties']) => MetricStat.Period / 60));
      expect([name, periods.size, of.length <= 10]).toEqual([name, 1, true]);
      return [name, Expression, Threshold, ...periods, EvaluationPeriods];
    });
    expect(found).toEqual(computed);
  });

  test('each goes off at its limit; missing data is not an alarm, except for a sequencer that does not run', () => {
    for (const [name, { ComparisonOperator, TreatMissingData }] of alarms) {
      const missing = name === 'TlogLag' ? 'breaching' : 'notBreaching';
      const comparison = name === 'FewerUploads' ? 'LessThanLowerThreshold' : 'GreaterThanOrEqualToThreshold';
      expect([name, TreatMissingData, ComparisonOperator]).toEqual([name, missing, comparison]);
    }
  });

  test('fewer uploads than usual: below a band of 3 standard deviations, for half an hour', () => {
    const { EvaluationPeriods, Metrics } = alarm('FewerUploads');
    expect(EvaluationPeriods).toBe(2);
    expect(Metrics).toMatchObject([
      { Expression: 'ANOMALY_DETECTION_BAND(m0, 3)' },
      { Expression: 'FILL(accepted, 0)', Label: 'Accepted' },
      { Id: 'accepted', MetricStat: { Metric: { MetricName: 'Accepted' }, Period: 900, Stat: 'Sum' } },
    ]);
  });

  // biome-ignore format: one alarm a line
  test.each<[string, string[]]>([
    ['Throttled', ['gatewayThrottles', 'Throttles UploadFunction', 'ReadThrottleEvents TablesAllowlist', 'ReadThrottleEvents TablesApiKeys', 'WriteThrottleEvents TablesWeights', 'WriteThrottleEvents TablesAiLogs', 'WriteThrottleEvents TablesReceiptKeys', 'WriteThrottleEvents byOrderId TablesAiLogs', 'WriteThrottleEvents byArrival TablesAiLogs']],
    ['Flood', ['Flood', 'FloodIpv6Network', 'FloodIpv6'].map((rule) => `BlockedRequests AWS::Region ${rule} AiLogUpload-prod`)],
    ['TlogEdited', ['EntryEdited AiLogUpload-prod', 'EntriesPoisoned AiLogUpload-prod']],
    ['TlogLag', ['TlogLag AiLogUpload-prod', 'Stragglers AiLogUpload-prod']],
    ['RowsLate', ['IteratorAge AnalyticsIndexerFunction', 'TlogAppended AiLogUpload-prod', 'RowsIndexed AiLogUpload-prod']],
  ])('%s is computed of these', (name, expected) => {
    const [, ...of] = metricsOf(name);
    expect(
      of.map(({ MetricStat: { Metric } }) =>
        [Metric.MetricName, ...(Metric.Dimensions ?? []).map(({ Value }: { Value: unknown }) => nameOf(Value))].join(' '),
      ),
    ).toEqual(expected);
  });

  test('a log that is behind for 5 minutes sets TlogLag off, and one long run does not: its least lag counts', () => {
    expect(metricsOf('TlogLag').map(({ MetricStat }) => MetricStat?.Stat)).toEqual([undefined, 'Minimum', 'Sum']);
  });

  test('there is no alarm on a firewall, witnesses or rows without them', () => {
    const ids = Object.keys(synth({ stage: 'prod', waf: 'false' }).resources);
    expect(ids.filter((id) => /^MonitoringAlarms(Flood|Witnesses|RowsLate)/.test(id))).toEqual([]);
    expect(ids.filter((id) => /^MonitoringAlarms(?!Count)/.test(id))).toHaveLength(alarms.length - 3);
  });

  test.each(alarms)(
    '%s describes its effect on teams and a first step, and notifies the topic',
    (_, { AlarmDescription, AlarmActions, OKActions }) => {
      expect(AlarmDescription).toMatch(/^[A-Z\d].*(team|upload|log|bot).*\. First step: [a-z].{10,}\.$/);
      expect([AlarmActions, OKActions].map((actions) => actions.map(nameOf))).toEqual([
        ['MonitoringTopic'],
        ['MonitoringTopic'],
      ]);
    },
  );

  test('the threshold of concurrency follows the settings', () => {
    const thresholds = (settings: Record<string, string>) =>
      synth(settings)
        .all('AWS::CloudWatch::Alarm')
        .map(({ Properties: { MetricName, Threshold, Dimensions } }) => [
          MetricName,
          Threshold,
          Dimensions?.map(({ Name }: { Name: string }) => Name).join(),
        ]);
    expect(thresholds({ reservedConcurrency: '50' })).toContainEqual(['ConcurrentExecutions', 40, 'FunctionName']);
    // Rounded up, it would be the limit itself.
    expect(thresholds({ reservedConcurrency: '2' })).toContainEqual(['ConcurrentExecutions', 1, 'FunctionName']);
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

  const everyTable = ['allowlist', 'apiKeys', 'weights', 'aiLogs', 'receiptKeys', 'reviews'].map(
    (table) => `Sum ${table}`,
  );
  // biome-ignore format: one graph a line
  const lines: Record<string, string[]> = {
    Uploads: ['Sum Accepted', 'Sum Duplicate', 'Sum Warned', 'Sum Rejected'],
    'Errors by code': [`SEARCH('{AiLogUpload,code,service} MetricName="RejectedByCode" service="AiLogUpload-prod"', 'Sum', 300)`],
    'Rejected over quota, or by the throttle of the gateway': ['Sum over quota', 'Sum gateway'],
    'Gateway latency, ms': ['p50 p50', 'p90 p90', 'p99 p99'],
    'Server errors': ['Sum SystemError', 'Sum Unavailable', 'Sum gateway 5xx'],
    'Function latency, ms': ['p50 p50', 'p99 p99', 'p50 p50 of the newest version'],
    'Cold starts': ['Sum ColdStart'],
    'Concurrent executions': ['Maximum ConcurrentExecutions', 'Sum Throttles, right', 'Sum Errors, right'],
    'Write units consumed': everyTable,
    'Read units consumed': everyTable,
    'Throttled writes': [...everyTable, 'Sum byOrderId', 'Sum byArrival'],
    'Throttled reads': everyTable,
    'Transparency log: lag, ms': ['Maximum TlogLag'],
    'Transparency log: entries appended': ['Sum TlogAppended', 'Sum Stragglers'],
    'Transparency log: failures': ['Sum TlogFatal', 'Sum TlogFailed', 'Sum WitnessQuorumMissed', 'Sum ReceiptMissing', 'Sum EntryEdited'],
    'Feature rows: age of the oldest entry without one, ms': ['Maximum IteratorAge'],
    'Feature rows: stored, and entries in the transparency log': ['Sum RowsIndexed', 'Sum TlogAppended'],
    'Feature rows: failures': ['Sum EntriesPoisoned', 'Sum Errors', 'Maximum ApproximateNumberOfMessagesVisible'],
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

test('saved queries search the logs they name', () => {
  const saved = prod.all('AWS::Logs::QueryDefinition').map(({ Properties }) => Properties);
  expect(saved.map(({ Name }) => Name)).toEqual(Object.keys(queries).map((name) => `AiLogUpload-prod/${name}`));
  const groups = { upload: 'UploadLogs', api: 'ApiAccessLogs' };
  expect(saved.map(({ LogGroupNames }) => LogGroupNames.map(nameOf))).toEqual(
    Object.values(queries).map(([logs]) => logs.map((log) => groups[log])),
  );
  for (const { QueryString } of saved) {
    expect(QueryString).toMatch(/^(# [A-Z].+\n)?(fields|filter|stats) .+(\n\| (filter|stats|sort|limit) .+)+$/);
  }
});
