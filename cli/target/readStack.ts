import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetAliasCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { METRICS_NAMESPACE, type MetricName } from '../../functions/metrics.ts';
import { type AlarmState, type Health, judgeAlarms, judgeCanary, judgeErrors, judgeStack } from './health.ts';

/** The region and the profile of a stack, for clients of the SDK. */
interface ClientSettings {
  readonly region?: string;
  readonly profile?: string;
}

const HOUR_MS = 3_600_000;

const ALARMS_PER_CALL = 100;

async function readResources(client: CloudFormationClient, StackName: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType = '', PhysicalResourceId = '' } of StackResourceSummaries) {
      found.set(ResourceType, [...(found.get(ResourceType) ?? []), PhysicalResourceId]);
    }
  }
  return found;
}

async function readAlarms(client: CloudWatchClient, names: readonly string[]): Promise<AlarmState[]> {
  const alarms: AlarmState[] = [];
  for (let start = 0; start < names.length; start += ALARMS_PER_CALL) {
    const AlarmNames = names.slice(start, start + ALARMS_PER_CALL);
    const { MetricAlarms = [] } = await client.send(
      new DescribeAlarmsCommand({ AlarmNames, AlarmTypes: ['MetricAlarm'], MaxRecords: ALARMS_PER_CALL }),
    );
    for (const {
      AlarmName = '',
      StateValue = '',
      AlarmDescription = '',
      StateTransitionedTimestamp: since,
    } of MetricAlarms) {
      alarms.push({ name: AlarmName, state: StateValue, impact: AlarmDescription, since });
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
  return {
    accepted: sum('Accepted'),
    rejected: sum('Rejected'),
    serverErrors: sum('SystemError') + sum('Unavailable'),
  };
}

/** Checks what AWS knows about a deployment that exists: its stack, alarms, error rates and canary. */
export async function readStackHealth(stack: string, settings: ClientSettings, now: number): Promise<Health[]> {
  const formation = new CloudFormationClient(settings);
  const { Stacks } = await formation.send(new DescribeStacksCommand({ StackName: stack }));
  const resources = await readResources(formation, stack);
  const watch = new CloudWatchClient(settings);
  const [alarms, requests] = await Promise.all([
    readAlarms(watch, resources.get('AWS::CloudWatch::Alarm') ?? []),
    readRequests(watch, stack, now),
  ]);
  const { StackStatus = 'UNKNOWN', LastUpdatedTime, CreationTime } = Stacks?.[0] ?? {};
  const findings = [
    judgeStack(StackStatus, LastUpdatedTime ?? CreationTime),
    ...judgeAlarms(alarms),
    judgeErrors(requests),
  ];

  // The physical id of an alias is its ARN: arn:aws:lambda:REGION:ACCOUNT:function:FUNCTION:ALIAS.
  const [FunctionName, Name] = resources.get('AWS::Lambda::Alias')?.[0]?.split(':').slice(6) ?? [];
  if (!FunctionName || !Name) return findings;
  const { FunctionVersion = '?', RoutingConfig } = await new LambdaClient(settings).send(
    new GetAliasCommand({ FunctionName, Name }),
  );
  return [...findings, judgeCanary(FunctionVersion, RoutingConfig?.AdditionalVersionWeights ?? {})];
}
