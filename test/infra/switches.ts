import { expect } from 'vitest';
import { domain, policyFile, synthesize } from './synth.ts';

type Template = ReturnType<typeof synthesize>;

/** What holds data, keys or an address, each with the properties whose change replaces it. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  // AWS changes a stream in place; the emulator of the deploy tests makes a new table for it.
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'StreamSpecification'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'],
  'AWS::ApiGateway::RestApi': [],
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::CloudFront::Distribution': [],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
};

/**
 * Each switch: its settings when it is off, and when it is on. A deployment has all of them in one position or another.
 */
export const SWITCHES: readonly (readonly [off: Record<string, string>, on: Record<string, string>])[] = [
  ...['waf', 'canary', 'requireLocale', 'analytics', 'tlogPublic'].map(
    (name) => [{ [name]: 'false' }, { [name]: 'true' }] as const,
  ),
  [
    {},
    {
      tlogDomainName: 'tlog.example.com',
      tlogCertificateArn: domain.certificateArn.replace('eu-west-1', 'us-east-1'),
    },
  ],
  [{}, domain],
  [{ checkpointKeys: '1' }, { checkpointKeys: '1,2' }],
  [{}, { witnesses: policyFile }],
  [{}, { alarmEmail: 'ops@example.com' }],
  [{}, { keyRoles: 'arn:aws:iam::111122223333:role/break-glass' }],
  [{}, { entryRetentionDays: '400' }],
  [{}, { warmThroughput: '2000' }],
  [{}, { reservedConcurrency: '50' }],
  [{}, { tlogLockDays: '30' }],
  [{}, { logRetentionDays: '90' }],
];

/** Synthesizes a stage with each switch on or off. @param isOn gets the index of a switch */
export const withSwitches = (stage: string, isOn: (index: number) => boolean): Template =>
  synthesize(Object.assign({ stage }, ...SWITCHES.map(([off, on], index) => (isOn(index) ? on : off))));

/** The holders of a template: what the stack or the account names them by, with the properties that replace them. */
const holdersOf = ({ resources }: Template) =>
  new Map(
    Object.entries(resources).flatMap(([id, { Type, Properties }]) => {
      const replacing = HOLDERS[Type]?.map((name) => Properties?.[name]);
      return replacing ? [[id, JSON.stringify([Type, ...replacing])] as const] : [];
    }),
  );

/**
 * Compares each template with each other one: a step from one to the other must not replace anything that holds data,
 * keys or an address, nor remove it, but for what a switch names itself: a second key, and the lines of a function.
 */
export function expectHeld(templates: readonly Template[]): void {
  const wrong = new Set<string>();
  const all = templates.map((template) => [template, holdersOf(template)] as const);
  for (const [from, before] of all) {
    for (const [, after] of all) {
      for (const [id, what] of before) {
        if (after.has(id) && after.get(id) !== what) wrong.add(`${id} is replaced`);
        if (!after.has(id) && !MAY_LEAVE.test(id)) wrong.add(`${id} is removed`);
        // What leaves the stack of a stage that keeps its data stays in the account.
        const kept = from.resources[id]?.DeletionPolicy?.startsWith('Retain') || /^(ApiDomain|TlogPublic)/.test(id);
        if (!after.has(id) && from.artifact.stackName.includes('prod') && !kept) wrong.add(`${id} is deleted`);
      }
    }
  }
  expect([...wrong]).toEqual([]);
  expect(all[0]?.[1].size).toBeGreaterThan(14);
}

/**
 * The second checkpoint key, which ends with its rotation; addresses that a setting names; log lines of the indexer.
 */
const MAY_LEAVE = /^(TlogCheckpointKey2|ApiDomain|TlogPublic|AnalyticsIndexerLogs)/;
