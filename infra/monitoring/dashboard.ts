import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  PeriodOverride,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE, type MetricName } from '../../functions/metrics.ts';
import { metrics, type Watched } from './metrics.ts';

const period = Duration.minutes(5);
const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
  new GraphWidget({ title, left, right, width: 8, height: 6, period, leftYAxis: { min: 0 }, rightYAxis: { min: 0 } });

/** The dashboard of a deployment: alarms first, then what teams see, then the resources. */
export class UploadDashboard extends Construct {
  constructor(scope: Construct, id: string, { watched, alarms }: { watched: Watched; alarms: readonly Alarm[] }) {
    super(scope, id);
    // Dashboard names are shared by all regions of an account, and the stack may be deployed in two.
    const { stackName, region } = Stack.of(this);
    const dashboard = new Dashboard(this, 'Page', {
      dashboardName: `${stackName}-${region}`,
      defaultInterval: Duration.hours(12),
      periodOverride: PeriodOverride.AUTO,
    });
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 4 }));
    dashboard.addWidgets(...this.#traffic(watched));
    dashboard.addWidgets(...this.#resources(watched));
    dashboard.addWidgets(...this.#tlog());
    if (watched.settings.waf) dashboard.addWidgets(this.#firewall());
  }

  #traffic({ settings }: Watched): GraphWidget[] {
    const { service, gateway } = metrics(this);
    const { stackName } = Stack.of(this);
    const name: MetricName = 'RejectedByCode';
    const byCode = new MathExpression({
      expression: `SEARCH('{${METRICS_NAMESPACE},code,service} MetricName="${name}" service="${stackName}"', 'Sum', 300)`,
      usingMetrics: {},
      label: '',
      period,
    });
    return [
      graph('Uploads', [service('Accepted', 5), service('Duplicate', 5), service('Rejected', 5)]),
      graph('Errors by code', [byCode]),
      graph('Rejected over quota', [service('RejectedByCode', 5, { code: '429' }).with({ label: 'over quota' })]),
      graph(
        'Gateway latency, ms',
        ['p50', 'p90', 'p99'].map((statistic) => gateway('Latency', settings, { statistic, label: statistic, period })),
      ),
      graph('Server errors', [
        service('SystemError', 5),
        service('Unavailable', 5),
        gateway('5XXError', settings, { statistic: 'sum', label: 'gateway 5xx', period }),
      ]),
      graph(
        'Function latency, ms',
        ['p50', 'p99'].map((statistic) => service('Latency', 5).with({ statistic, label: statistic })),
      ),
    ];
  }

  #resources({ upload, tables }: Watched): GraphWidget[] {
    const { service, table } = metrics(this);
    const everyTable = (metricName: string) =>
      Object.entries(tables.names).map(([label, name]) => table(metricName, name, 5).with({ label }));
    return [
      graph('Cold starts', [service('ColdStart', 5)]),
      graph(
        'Concurrent executions',
        [upload.lambda.metric('ConcurrentExecutions', { statistic: 'max', period })],
        [upload.lambda.metricThrottles({ period }), upload.lambda.metricErrors({ period })],
      ),
      graph('Write units consumed', everyTable('ConsumedWriteCapacityUnits')),
      graph('Read units consumed', everyTable('ConsumedReadCapacityUnits')),
      graph('Throttled writes', everyTable('WriteThrottleEvents')),
      graph('Throttled reads', everyTable('ReadThrottleEvents')),
    ];
  }

  #tlog(): GraphWidget[] {
    const { service } = metrics(this);
    const every = (...names: MetricName[]) => names.map((name) => service(name, 5));
    return [
      graph('Transparency log: lag, ms', [service('TlogLag', 5).with({ statistic: Stats.MAXIMUM })]),
      graph('Transparency log: entries appended', every('TlogAppended', 'Stragglers')),
      graph(
        'Transparency log: failures',
        every('TlogFatal', 'TlogFailed', 'WitnessQuorumMissed', 'ReceiptMissing', 'EntryEdited'),
      ),
    ];
  }

  #firewall(): GraphWidget {
    const { firewall } = metrics(this);
    return graph('Firewall', [
      firewall('BlockedRequests', 'flood', 5).with({ label: 'blocked as flood' }),
      firewall('CountedRequests', 'reputation', 5).with({ label: 'poor reputation, allowed' }),
    ]);
  }
}
