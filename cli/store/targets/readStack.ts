import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetAliasCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { METRICS_NAMESPACE, type MetricName } from '../../../functions/metrics.ts';
import { type AlarmState, type Health, judgeAlarms, judgeCanary, judgeErrors, judgeStack } from './health.ts';
import type { ClientSettings } from './openedTarget.ts';

const HOUR_MS = 3_600_000;

const ALARMS_PER_CALL = 100;

/** Reads the physical ids of a stack's resources by their types. */
async function readResources(client: CloudFormationClient, StackName: string) {
  const pages = await Array.fromAsync(paginateListStackResources({ client }, { StackName }));
  const resources = Map.groupBy(
    pages.flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries),
    ({ ResourceType }) => ResourceType,
  );
  return (type: string) => (resources.get(type) ?? []).map(({ PhysicalResourceId = '' }) => PhysicalResourceId);
}

async function readAlarms(client: CloudWatchClient, names: readonly string[]): Promise<AlarmState[]> {
  const alarms: AlarmState[] = [];
  for (let start = 0; start < names.length; start += ALARMS_PER_CALL) {
    const AlarmNames = names.slice(start, start + ALARMS_PER_CALL);
    const { MetricAlarms = [] } = await client.send(
      new DescribeAlarmsCommand({ AlarmNames, AlarmTypes: ['MetricAlarm'], MaxRecords: ALARMS_PER_CALL }),
    );
    for (const { AlarmName, StateValue, AlarmDescription, StateTransitionedTimestamp: since } of MetricAlarms) {
      alarms.push({ name: AlarmName ?? '', state: StateValue ?? '', impact: AlarmDescription ?? '', since });
    }
  }
  return alarms;
}

/** Reads how many requests of the last hour were accepted, rejected, and failed. */
async function readRequests(client: CloudWatchClient, stack: string, now: number) {
  const names = ['Accepted', 'Rejected', 'SystemError', 'Unavailable'] as const satisfies MetricName[];
  const { MetricDataResults = [] } = await client.send(
    new GetMetricDataCommand({
      StartTime: new Date(now - HOUR_MS),
      EndTime: new Date(now),
      MetricDataQueries: names.map((MetricName) => ({
        Id: MetricName.toLowerCase(),
        MetricStat: {
          Metric: { Namespace: METRICS_NAMESPACE, MetricName, Dimensions: [{ Name: 'service', Value: stack }] },
          Period: 60,
          Stat: 'Sum',
        },
      })),
    }),
  );
  const sum = (name: (typeof names)[number]) =>
    (MetricDataResults.find(({ Id }) => Id === name.toLowerCase())?.Values ?? []).reduce((all, one) => all + one, 0);
  const serverErrors = sum('SystemError') + sum('Unavailable');
  return { accepted: sum('Accepted'), rejected: sum('Rejected'), serverErrors };
}

/** Checks what AWS knows about a deployment that exists: its stack, alarms, error rates and canary. */
export async function readStackHealth(stack: string, settings: ClientSettings, now: number): Promise<Health[]> {
  const formation = new CloudFormationClient(settings);
  const { Stacks } = await formation.send(new DescribeStacksCommand({ StackName: stack }));
  const resources = await readResources(formation, stack);
  const watch = new CloudWatchClient(settings);
  const [alarms, requests] = await Promise.all([
    readAlarms(watch, resources('AWS::CloudWatch::Alarm')),
    readRequests(watch, stack, now),
  ]);
  const { StackStatus = 'UNKNOWN', LastUpdatedTime, CreationTime } = Stacks?.[0] ?? {};
  const findings = [
    judgeStack(StackStatus, LastUpdatedTime ?? CreationTime),
    ...judgeAlarms(alarms),
    judgeErrors(requests),
  ];

  // The physical id of an alias is its ARN: arn:aws:lambda:REGION:ACCOUNT:function:FUNCTION:ALIAS.
  const [FunctionName, Name] = resources('AWS::Lambda::Alias')[0]?.split(':').slice(6) ?? [];
  if (!FunctionName || !Name) return findings;
  const { FunctionVersion = '?', RoutingConfig } = await new LambdaClient(settings).send(
    new GetAliasCommand({ FunctionName, Name }),
  );
  return [...findings, judgeCanary(FunctionVersion, RoutingConfig?.AdditionalVersionWeights ?? {})];
}
