import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  PeriodOverride,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { METRICS_NAMESPACE, type MetricName } from '../../functions/metrics.ts';
import type { IndexerFunction } from '../analytics/indexerFunction.ts';
import { metrics, type Watched } from './metrics.ts';

const period = Duration.minutes(5);
const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
  new GraphWidget({ title, left, right, width: 8, height: 6, period, leftYAxis: { min: 0 }, rightYAxis: { min: 0 } });

/** Returns the rows of graphs: what teams see, then the resources, then the parts that not every deployment has. */
function graphs(scope: Construct, { settings, upload, tables, indexer }: Watched): GraphWidget[][] {
  const { service, gateway, table, firewall, counted, throttledIndexes } = metrics(scope);
  const byCode: MetricName = 'RejectedByCode';
  const search = `{${METRICS_NAMESPACE},code,service} MetricName="${byCode}" service="${Stack.of(scope).stackName}"`;
  const maximum = { statistic: Stats.MAXIMUM, period };
  const every = (...names: MetricName[]) => names.map((name) => service(name, 5));
  const everyTable = (metricName: string) =>
    Object.entries(tables.names).map(([label, name]) => table(metricName, name, 5).with({ label }));
  // A canary gets a tenth of the requests of every team, so what a team sends slows both versions alike.
  const { functionName, currentVersion } = upload.lambda;
  const newVersion = new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Duration',
    dimensionsMap: {
      FunctionName: functionName,
      Resource: `${functionName}:live`,
      ExecutedVersion: currentVersion.version,
    },
    statistic: 'p50',
    label: 'p50 of the newest version',
  });

  const traffic = [
    graph('Uploads', every('Accepted', 'Duplicate', 'Warned', 'Rejected')),
    graph('Errors by code', [
      new MathExpression({ expression: `SEARCH('${search}', 'Sum', 300)`, usingMetrics: {}, label: '', period }),
    ]),
    graph('Rejected over quota, or by the throttle of the gateway', [
      service(byCode, 5, { code: '429' }).with({ label: 'over quota' }),
      counted('gatewayThrottles').with({ label: 'gateway' }),
    ]),
    graph(
      'Gateway latency, ms',
      ['p50', 'p90', 'p99'].map((statistic) => gateway('Latency', settings, { statistic, label: statistic, period })),
    ),
    graph('Server errors', [
      ...every('SystemError', 'Unavailable'),
      gateway('5XXError', settings, { statistic: 'sum', label: 'gateway 5xx', period }),
    ]),
    graph('Function latency, ms', [
      ...['p50', 'p99'].map((statistic) => service('Latency', 5).with({ statistic, label: statistic })),
      newVersion,
    ]),
  ];
  const resources = [
    graph('Cold starts', every('ColdStart')),
    graph(
      'Concurrent executions',
      [upload.lambda.metric('ConcurrentExecutions', { statistic: 'max', period })],
      [upload.lambda.metricThrottles({ period }), upload.lambda.metricErrors({ period })],
    ),
    graph('Write units consumed', everyTable('ConsumedWriteCapacityUnits')),
    graph('Read units consumed', everyTable('ConsumedReadCapacityUnits')),
    graph('Throttled writes', [
      ...everyTable('WriteThrottleEvents'),
      ...Object.values(throttledIndexes(tables.names.aiLogs)),
    ]),
    graph('Throttled reads', everyTable('ReadThrottleEvents')),
  ];
  const tlog = [
    graph('Transparency log: lag, ms', [service('TlogLag', 5).with({ statistic: Stats.MAXIMUM })]),
    graph('Transparency log: entries appended', every('TlogAppended', 'Stragglers')),
    graph(
      'Transparency log: failures',
      every('TlogFatal', 'TlogFailed', 'WitnessQuorumMissed', 'ReceiptMissing', 'EntryEdited'),
    ),
  ];
  const rows = (indexer: IndexerFunction) => [
    graph('Feature rows: age of the oldest entry without one, ms', [indexer.lambda.metric('IteratorAge', maximum)]),
    graph('Feature rows: stored, and entries in the transparency log', every('RowsIndexed', 'TlogAppended')),
    graph('Feature rows: failures', [
      ...every('EntriesPoisoned'),
      indexer.lambda.metricErrors({ period }),
      indexer.failures.metricApproximateNumberOfMessagesVisible(maximum),
    ]),
  ];
  const blocked = graph('Firewall', [
    firewall('BlockedRequests', 'flood', 5).with({ label: 'blocked as flood' }),
    firewall('BlockedRequests', 'ipv6Network', 5).with({ label: 'blocked, IPv6 of an operator' }),
    firewall('BlockedRequests', 'ipv6', 5).with({ label: 'blocked, all IPv6' }),
    firewall('CountedRequests', 'reputation', 5).with({ label: 'poor reputation, allowed' }),
  ]);
  return [traffic, resources, tlog, ...(indexer ? [rows(indexer)] : []), settings.waf ? [blocked] : []];
}

export function createDashboard(scope: Construct, watched: Watched, alarms: readonly Alarm[]): void {
  // Dashboard names are shared by all regions of an account, and the stack may be deployed in two.
  const { stackName, region } = Stack.of(scope);
  const dashboard = new Dashboard(scope, 'Page', {
    dashboardName: `${stackName}-${region}`,
    defaultInterval: Duration.hours(12),
    periodOverride: PeriodOverride.AUTO,
  });
  dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 4 }));
  for (const row of graphs(scope, watched)) dashboard.addWidgets(...row);
}
