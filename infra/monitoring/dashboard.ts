import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  PeriodOverride,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../../functions/config.ts';
import { metricsOf } from './metrics.ts';
import type { Watched } from './monitoring.ts';

const period = Duration.minutes(5);
const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
  new GraphWidget({ title, left, right, width: 8, height: 6, period, leftYAxis: { min: 0 }, rightYAxis: { min: 0 } });

/** One page that answers how the service does: alarms first, then what teams see, then what it is made of. */
export class UploadDashboard extends Construct {
  constructor(scope: Construct, id: string, { watched, alarms }: { watched: Watched; alarms: readonly Alarm[] }) {
    super(scope, id);
    // Dashboards of all regions share their names, and the stack may be in two of them.
    const { stackName, region } = Stack.of(this);
    const dashboard = new Dashboard(this, 'Page', {
      dashboardName: `${stackName}-${region}`,
      defaultInterval: Duration.hours(12),
      periodOverride: PeriodOverride.AUTO,
    });
    dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: 24, height: 4 }));
    dashboard.addWidgets(...this.#whatTeamsSee(watched));
    dashboard.addWidgets(...this.#whatItIsMadeOf(watched));
    if (watched.settings.waf) dashboard.addWidgets(this.#firewall());
  }

  #whatTeamsSee({ settings }: Watched): GraphWidget[] {
    const { metric, gateway } = metricsOf(this);
    const { stackName } = Stack.of(this);
    const byCode = new MathExpression({
      expression: `SEARCH('{${METRICS_NAMESPACE},code,service} MetricName="RejectedByCode" service="${stackName}"', 'Sum', 300)`,
      usingMetrics: {},
      label: '',
      period,
    });
    return [
      graph('Uploads', [metric('Accepted', 5), metric('Duplicate', 5), metric('Rejected', 5)]),
      graph('Errors by code', [byCode]),
      graph('Weights rejected', [metric('RejectedByCode', 5, { code: '429' }).with({ label: 'over the quota' })]),
      graph(
        'Latency at the gateway, ms',
        ['p50', 'p90', 'p99'].map((statistic) => gateway('Latency', settings, { statistic, label: statistic, period })),
      ),
      graph('Failures', [
        metric('SystemError', 5),
        metric('Unavailable', 5),
        gateway('5XXError', settings, { statistic: 'sum', label: '5xx at the gateway', period }),
      ]),
      graph('Latency in the function, ms', [
        ...['p50', 'p99'].map((statistic) => metric('Latency', 5).with({ statistic, label: statistic })),
      ]),
    ];
  }

  #whatItIsMadeOf({ upload, tables }: Watched): GraphWidget[] {
    const { metric, ofTable } = metricsOf(this);
    const ofTables = (metricName: string) =>
      Object.entries(tables.names).map(([label, name]) => ofTable(metricName, name, 5).with({ label }));
    return [
      graph('Cold starts', [metric('ColdStart', 5)]),
      graph(
        'Function at a time',
        [upload.lambda.metric('ConcurrentExecutions', { statistic: 'max', period })],
        [upload.lambda.metricThrottles({ period }), upload.lambda.metricErrors({ period })],
      ),
      graph('Write units used', ofTables('ConsumedWriteCapacityUnits')),
      graph('Read units used', ofTables('ConsumedReadCapacityUnits')),
      graph('Throttled writes', ofTables('WriteThrottleEvents')),
      graph('Throttled reads', ofTables('ReadThrottleEvents')),
    ];
  }

  #firewall(): GraphWidget {
    const { firewall } = metricsOf(this);
    return graph('Firewall', [
      firewall('BlockedRequests', 'flood', 5).with({ label: 'blocked as a flood' }),
      firewall('CountedRequests', 'reputation', 5).with({ label: 'of bad reputation, let through' }),
    ]);
  }
}
