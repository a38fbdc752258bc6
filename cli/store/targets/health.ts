import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchClient, DescribeAlarmsCommand, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetAliasCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ListSubscriptionsByTopicCommand, SNSClient, type Subscription } from '@aws-sdk/client-sns';
import type { ApiKey } from '../../../functions/auth/apiKeys.ts';
import { METRICS_NAMESPACE, type MetricName } from '../../../functions/metrics.ts';
import { formatDuration, formatTime } from '../../shell/text/time.ts';
import type { ClientSettings } from './openedTarget.ts';

export interface Health {
  readonly check: string;
  /** `warning`: look at it soon. `failing`: teams are affected, or will be. */
  readonly status: 'ok' | 'warning' | 'failing';
  readonly says: string;
}

/** The share of requests that may fail for reasons of the service. It is the threshold of the alarm ServerErrors. */
const SERVER_ERROR_SHARE = 0.01;
/** The share of rejected requests above which something is wrong with many teams. It is the threshold of the alarms. */
const REJECTED_SHARE = 0.2;

type Texts = Readonly<Record<string, string>>;

const health = (check: string, status: Health['status'], says: string): Health => ({ check, status, says });
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** Judges the status of a stack, as CloudFormation names it. @param at the time of the last change, if it is known */
export function judgeStack(status: string, at?: Date): Health {
  const failing = /ROLLBACK|FAILED|DELETE/.test(status);
  const usual = status.endsWith('_COMPLETE') ? 'ok' : 'warning';
  return health('stack', failing ? 'failing' : usual, `${status}${at ? `, ${formatTime(at.getTime())}` : ''}`);
}

export type AlarmState = Readonly<{ name: string; state: string; impact: string; since?: Date | undefined }>;

/** Judges alarms: a row for each that is in alarm, or one row for all. */
export function judgeAlarms(alarms: readonly AlarmState[]): Health[] {
  if (alarms.length === 0) return [health('alarms', 'warning', 'the stack has no alarms')];
  const ringing = alarms.filter(({ state }) => state === 'ALARM');
  if (ringing.length > 0) {
    return ringing.map(({ name, impact, since }) =>
      health('alarms', 'failing', `${name}${since ? ` since ${formatTime(since.getTime())}` : ''}: ${impact}`),
    );
  }
  const blind = alarms.filter(({ state }) => state !== 'OK').length;
  const without = blind > 0 ? `; ${blind} without data so far` : '';
  return [health('alarms', 'ok', `none of ${alarms.length} is in alarm${without}`)];
}

/** Judges the shares of errors of the last hour. `serverErrors` are those of `rejected` that the service caused. */
export function judgeErrors(requests: Record<'accepted' | 'rejected' | 'serverErrors', number>): Health {
  const { accepted, rejected, serverErrors } = requests;
  const all = accepted + rejected;
  if (all === 0) return health('errors', 'ok', 'no requests in the last hour');
  const shares = { rejected: rejected / all, server: serverErrors / all };
  const says = `last hour: ${accepted} accepted, ${rejected} rejected (${percent(shares.rejected)}), ${serverErrors} server errors (${percent(shares.server)})`;
  if (shares.server >= SERVER_ERROR_SHARE) return health('errors', 'failing', says);
  return health('errors', serverErrors > 0 || shares.rejected >= REJECTED_SHARE ? 'warning' : 'ok', says);
}

/** Judges a canary. @param weights the share of requests of each new version; empty if no canary runs */
export function judgeCanary(version: string, weights: Readonly<Record<string, number>>): Health {
  const [[next, share] = []] = Object.entries(weights);
  if (next === undefined) return health('canary', 'ok', `none; version ${version} has all requests`);
  const ofNext = percent(share as number);
  return health('canary', 'warning', `version ${next} has ${ofNext} of the requests, version ${version} the others`);
}

/** Judges the time of the last upload. @param quiet milliseconds without an upload that are normal */
export function judgeLastUpload(
  last: { readonly uid: string; readonly receivedAt: number } | undefined,
  { now, quiet }: { now: number; quiet: number },
): Health {
  if (!last) return health('last upload', 'warning', 'no log was ever stored');
  const age = Math.max(0, now - last.receivedAt);
  return health('last upload', age > quiet ? 'warning' : 'ok', `${formatDuration(age)} ago, UID ${last.uid}`);
}

/** Judges whether the next deployment would change settings, by name, each as text. */
export function judgeSettings(deployed: Texts, file: Texts): Health[] {
  if (Object.keys(deployed).length === 0) return [health('settings', 'warning', 'unknown: deploy this version once')];
  const differing = [...new Set([...Object.keys(deployed), ...Object.keys(file)])].filter(
    (name) => deployed[name] !== file[name],
  );
  if (differing.length === 0) return [health('settings', 'ok', 'the stack has those of cdk.json')];
  const say = (text = 'unset') => text;
  return differing.map((name) =>
    health('settings', 'warning', `${name} is ${say(deployed[name])} in the stack, ${say(file[name])} in cdk.json`),
  );
}

/** Judges the expiry of keys. @param within milliseconds: a key that expires sooner is a warning */
export function judgeKeys(keys: readonly ApiKey[], { now, within }: { now: number; within: number }): Health[] {
  const active = keys.filter(({ status, expiresAt }) => status === 'active' && !(Date.parse(expiresAt ?? '') <= now));
  const expiring = active
    .filter(({ expiresAt }) => Date.parse(expiresAt ?? '') <= now + within)
    .sort((a, b) => (a.expiresAt as string).localeCompare(b.expiresAt as string));
  if (active.length === 0) return [health('keys', 'warning', 'there is no key that is valid')];
  if (expiring.length === 0) {
    return [health('keys', 'ok', `${active.length} valid, none expires within ${formatDuration(within)}`)];
  }
  return expiring.map(({ accessKey, uid, expiresAt }) =>
    health('keys', 'warning', `${accessKey} of UID ${uid} expires at ${expiresAt}`),
  );
}

/** Judges who gets alarms. @param subscriptions of the topic: the address of each, and its ARN once it is confirmed */
export function judgeMail(subscriptions: readonly Subscription[]): Health {
  const pending = subscriptions.filter(({ SubscriptionArn = '' }) => !SubscriptionArn.startsWith('arn:'));
  if (subscriptions.length === 0) return health('alarm mail', 'warning', 'nobody gets alarms: set alarmEmail');
  return pending.length === 0
    ? health('alarm mail', 'ok', subscriptions.map(({ Endpoint }) => Endpoint).join(', '))
    : health('alarm mail', 'warning', `${pending.map(({ Endpoint }) => Endpoint).join(', ')} did not follow the link`);
}

const HOUR_MS = 3_600_000;

const ALARMS_PER_CALL = 100;

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
  const [TopicArn] = resources('AWS::SNS::Topic');
  const topic = TopicArn && (await new SNSClient(settings).send(new ListSubscriptionsByTopicCommand({ TopicArn })));
  const { StackStatus = 'UNKNOWN', CreationTime, LastUpdatedTime = CreationTime } = Stacks?.[0] ?? {};
  const findings = [
    judgeStack(StackStatus, LastUpdatedTime),
    ...judgeAlarms(alarms),
    judgeErrors(requests),
    ...(topic ? [judgeMail(topic.Subscriptions ?? [])] : []),
  ];

  // The physical id of an alias is its ARN: arn:aws:lambda:REGION:ACCOUNT:function:FUNCTION:ALIAS.
  const [FunctionName, Name] = resources('AWS::Lambda::Alias')[0]?.split(':').slice(6) ?? [];
  if (!FunctionName || !Name) return findings;
  const { FunctionVersion = '?', RoutingConfig } = await new LambdaClient(settings).send(
    new GetAliasCommand({ FunctionName, Name }),
  );
  return [...findings, judgeCanary(FunctionVersion, RoutingConfig?.AdditionalVersionWeights ?? {})];
}
