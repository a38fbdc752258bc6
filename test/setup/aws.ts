import type { VerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { outputParts, outputs } from '../../infra/outputs.ts';
import { readStage, textsOf } from '../../infra/readSettings.ts';
import { type TableId, tables } from '../../infra/tables.ts';
import { createKms } from './cloud.ts';
import { startServer } from './server.ts';

/** The ARN that STS returns for the caller. */
export const CALLER_ARN = 'arn:aws:sts::123456789012:assumed-role/Admin/alice';

/** The base URL of the stack. */
const BASE_URL = 'https://api.example.com/prod';

const KEY_ARN = 'arn:aws:kms:eu-central-1:123456789012:key/5e6f';

const xml = (action: string, result: string) =>
  `<${action}Response xmlns="https://example.com/"><${action}Result>${result}</${action}Result></${action}Response>`;

/** Returns a public key in the form in which KMS has it. Source: RFC 8410, section 4. */
const spkiOf = (key: VerifierKey | undefined): string =>
  Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key?.publicKey ?? Buffer.alloc(32)]).toString(
    'base64',
  );

/** What CloudWatch and Lambda know about the stack. */
interface Monitored {
  readonly alarms: readonly { readonly name: string; readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA' }[];
  /** The sums of the last hour by metric. */
  readonly metrics: Readonly<Record<string, number>>;
  /** The shares of requests by version, other than version 1. Without it, the function has no alias. */
  readonly canary?: Readonly<Record<string, number>>;
  /** The settings that the stack was deployed with, as texts; undefined: those of cdk.json. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Answers the calls of CloudWatch that the command line makes. */
const cloudWatch = ({ alarms, metrics }: Monitored) => ({
  DescribeAlarms: ({ AlarmNames }: { AlarmNames: string[] }) => ({
    MetricAlarms: alarms
      .filter(({ name }) => AlarmNames.includes(name))
      .map(({ name, state }) => ({
        AlarmName: name,
        StateValue: state,
        AlarmDescription: `Impact of ${name}.`,
        StateTransitionedTimestamp: 1763103201,
      })),
  }),
  GetMetricData: ({ MetricDataQueries }: { MetricDataQueries: { Id: string; MetricStat: MetricStat }[] }) => ({
    MetricDataResults: MetricDataQueries.map(({ Id, MetricStat: { Metric } }) => ({
      Id,
      // Metrics of another stack have other dimensions. Those of AWS itself are those of each table and function.
      Values:
        Metric.Dimensions[0]?.Value === 'AiLogUpload-test' || Metric.Namespace.startsWith('AWS/')
          ? [metrics[Metric.MetricName] ?? 0]
          : [],
    })),
  }),
});
interface MetricStat {
  readonly Metric: {
    readonly Namespace: string;
    readonly MetricName: string;
    readonly Dimensions: readonly { readonly Value: string }[];
  };
}

/**
 * Starts CloudFormation, CloudWatch, KMS, Lambda and STS on one port, as far as the command line calls them: one stack,
 * one key, one caller. They use the wire formats of the services, so that tests run the real SDK clients.
 */
export async function startAws(
  stackName: string,
  tableNames: Readonly<Record<TableId, string>>,
  monitored: () => Monitored = () => ({ alarms: [], metrics: {}, canary: {} }),
  log?: {
    readonly origin: string;
    readonly bucket: string;
    readonly rows?: string;
    readonly witnesses?: string;
    readonly checkpointKey?: VerifierKey;
  },
) {
  const kms = { ...createKms(), GetPublicKey: () => ({ KeyId: KEY_ARN, PublicKey: spkiOf(log?.checkpointKey) }) };
  let mayDecrypt = true;
  const output = (key: string, value: string) =>
    `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`;
  const members = (Object.keys(tables) as TableId[]).map((id) => output(outputs.tables[id], tableNames[id]));
  if (log?.rows !== undefined) {
    const { bucket, database, workgroup } = outputs.analytics;
    members.push(output(bucket, log.rows), output(database, 'rows'), output(workgroup, 'rows'));
  }
  members.push(...outputParts(outputs.witnesses, log?.witnesses ?? '').map(([key, value]) => output(key, value)));
  if (log) members.push(output(outputs.tlogOrigin, log.origin), output(outputs.tlogBucket, log.bucket));
  if (log?.checkpointKey) members.push(output(outputs.checkpointKeyArns, KEY_ARN));
  const settings = () => JSON.stringify(monitored().settings ?? textsOf(readStage('dev')));
  const stack = () => {
    const all = [...members, ...outputParts(outputs.settings, settings()).map(([key, value]) => output(key, value))];
    return `<Stacks><member><StackName>${stackName}</StackName><CreationTime>2025-11-14T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${all.join('')}${output(outputs.credentialsKeyArn, KEY_ARN)}${output(outputs.baseUrl, BASE_URL)}</Outputs></member></Stacks>`;
  };
  const error = (code: string, message: string) =>
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

  const answer = (target: string | undefined, body: string): [status: number, type: string, text: string] => {
    if (target?.endsWith('.Decrypt') && !mayDecrypt) {
      return [400, 'application/x-amz-json-1.1', JSON.stringify({ __type: 'AccessDeniedException', message: 'no' })];
    }
    if (target) {
      const action = target.split('.')[1] as string;
      const actions = { ...kms, ...cloudWatch(monitored()) } as unknown as Record<string, (input: unknown) => object>;
      try {
        return [200, 'application/x-amz-json-1.1', JSON.stringify(actions[action]?.(JSON.parse(body)))];
      } catch {
        // A ciphertext of another key or context.
        return [400, 'application/x-amz-json-1.1', JSON.stringify({ __type: 'InvalidCiphertextException' })];
      }
    }
    const query = new URLSearchParams(body);
    if (query.get('Action') === 'GetCallerIdentity') {
      const caller = `<Arn>${CALLER_ARN}</Arn><UserId>AROA:alice</UserId><Account>123456789012</Account>`;
      return [200, 'text/xml', xml('GetCallerIdentity', caller)];
    }
    const name = query.get('StackName');
    if (query.get('Action') === 'ListStackResources' && name === stackName) {
      const resources = [
        ...monitored().alarms.map((alarm) => ['AWS::CloudWatch::Alarm', alarm.name]),
        ...(monitored().canary
          ? [['AWS::Lambda::Alias', 'arn:aws:lambda:eu-central-1:123456789012:function:Upload:live']]
          : []),
      ].map(
        ([type, id]) =>
          `<member><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${id}</PhysicalResourceId><ResourceType>${type}</ResourceType><ResourceStatus>CREATE_COMPLETE</ResourceStatus><LastUpdatedTimestamp>2025-11-14T00:00:00Z</LastUpdatedTimestamp></member>`,
      );
      const list = `<StackResourceSummaries>${resources.join('')}</StackResourceSummaries>`;
      return [200, 'text/xml', xml('ListStackResources', list)];
    }
    if (name === stackName) return [200, 'text/xml', xml('DescribeStacks', stack())];
    if (name === 'Other') {
      const other =
        '<Stacks><member><StackName>Other</StackName><CreationTime>2025-11-14T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks>';
      return [200, 'text/xml', xml('DescribeStacks', other)];
    }
    if (name === 'Forbidden') {
      return [
        403,
        'text/xml',
        error('AccessDenied', 'User alice is not authorized to perform: cloudformation:DescribeStacks'),
      ];
    }
    return [400, 'text/xml', error('ValidationError', `Stack with id ${name} does not exist`)];
  };

  const { url } = await startServer((request, response, body) => {
    if (request.url?.endsWith('/functions/Upload/aliases/live')) {
      const alias = { FunctionVersion: '1', RoutingConfig: { AdditionalVersionWeights: monitored().canary } };
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(alias));
      return;
    }
    const [status, type, text] = answer(request.headers['x-amz-target'] as string | undefined, body.toString());
    response.writeHead(status, { 'Content-Type': type }).end(text);
  });
  return {
    /** The environment that directs the SDK to these services, with dummy credentials. */
    environment: {
      AWS_ENDPOINT_URL_CLOUDFORMATION: url,
      AWS_ENDPOINT_URL_CLOUDWATCH: url,
      AWS_ENDPOINT_URL_KMS: url,
      AWS_ENDPOINT_URL_LAMBDA: url,
      AWS_ENDPOINT_URL_STS: url,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret-of-aws',
      AWS_EC2_METADATA_DISABLED: 'true',
    },
    /** Denies decryption from now on, as for reviewers without that permission. */
    forbidDecrypt: () => {
      mayDecrypt = false;
    },
  };
}
