import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, GetMetricDataCommand, paginateDescribeAlarmHistory } from '@aws-sdk/client-cloudwatch';
import { METRICS_NAMESPACE, type MetricName } from '../../../functions/metrics.ts';
import { formatTime } from '../../shell/text/time.ts';
import { readResources } from './health.ts';
import type { ClientSettings, OpenedTarget } from './openedTarget.ts';

/** A metric, and its dimension. */
type Source = readonly [namespace: string, metric: string, dimension: string, value: string];

/**
 * Reads what AWS has recorded about a deployment in a period, in milliseconds since 1970. CloudWatch shows it up to two
 * minutes later. `alarms`: each time that an alarm went off or ended, in their order.
 */
export async function readStackLoad(
  { name: stack, tables }: Pick<OpenedTarget, 'name' | 'tables'>,
  settings: ClientSettings,
  { began, ended }: Readonly<Record<'began' | 'ended', number>>,
) {
  const resources = await readResources(new CloudFormationClient(settings), stack);
  const watch = new CloudWatchClient(settings);
  const service = (metric: MetricName): Source => [METRICS_NAMESPACE, metric, 'service', stack];
  const ofTables = (metric: string) =>
    Object.values(tables).map((table): Source => ['AWS/DynamoDB', metric, 'TableName', table]);
  // The physical id of an alias is its ARN: arn:aws:lambda:REGION:ACCOUNT:function:FUNCTION:ALIAS.
  const functions = resources('AWS::Lambda::Alias').map((alias) => alias.split(':')[6] ?? '');
  const sources: Readonly<Record<string, readonly Source[]>> = {
    accepted: [service('Accepted')],
    coldStarts: [service('ColdStart')],
    functionThrottles: functions.map((one) => ['AWS/Lambda', 'Throttles', 'FunctionName', one]),
    tableThrottles: [...ofTables('ReadThrottleEvents'), ...ofTables('WriteThrottleEvents')],
    readUnits: ofTables('ConsumedReadCapacityUnits'),
    writeUnits: ofTables('ConsumedWriteCapacityUnits'),
  };
  const queries = Object.entries(sources).flatMap(([name, list]) => list.map((source) => ({ name, source })));
  const { MetricDataResults = [] } = await watch.send(
    new GetMetricDataCommand({
      StartTime: new Date(began),
      EndTime: new Date(ended),
      MetricDataQueries: queries.map(({ source: [Namespace, MetricName, Name, Value] }, at) => ({
        Id: `m${at}`,
        MetricStat: { Metric: { Namespace, MetricName, Dimensions: [{ Name, Value }] }, Period: 60, Stat: 'Sum' },
      })),
    }),
  );
  const sum = (wanted: string) =>
    MetricDataResults.filter(({ Id = '' }) => queries[Number(Id.slice(1))]?.name === wanted)
      .flatMap(({ Values = [] }) => Values)
      .reduce((all, one) => all + one, 0);

  const own = new Set(resources('AWS::CloudWatch::Alarm'));
  const period = { StartDate: new Date(began), EndDate: new Date(ended), HistoryItemType: 'StateUpdate' as const };
  const pages = await Array.fromAsync(
    paginateDescribeAlarmHistory({ client: watch }, { ...period, ScanBy: 'TimestampAscending' }),
  );
  const changes = pages.flatMap(({ AlarmHistoryItems = [] }) => AlarmHistoryItems);
  const alarms = changes
    .filter(({ AlarmName = '', HistorySummary = '' }) => own.has(AlarmName) && HistorySummary.includes('ALARM'))
    .map(
      ({ AlarmName, HistorySummary, Timestamp }) => `${formatTime(Number(Timestamp))} ${AlarmName}: ${HistorySummary}`,
    );
  return {
    accepted: sum('accepted'),
    coldStarts: sum('coldStarts'),
    functionThrottles: sum('functionThrottles'),
    tableThrottles: sum('tableThrottles'),
    readUnits: sum('readUnits'),
    writeUnits: sum('writeUnits'),
    alarms,
  };
}
