import { perTable, tables } from './tables.ts';

/** The keys of the stack's outputs. The command line finds the parts of a deployment by them. */
export const outputs = {
  /** The URL before `/capi/v2/order/uploadAiLog`, without a trailing slash. */
  baseUrl: 'BaseUrl',
  /** The name that the DNS record of a custom domain must point to. Only with a custom domain. */
  domainTarget: 'DomainTarget',
  tables: perTable((id) => `${tables[id].name}Table`),
  uploadFunction: 'UploadFunction',
  sequencerFunction: 'SequencerFunction',
  uploadLogGroup: 'UploadLogGroup',
  sequencerLogGroup: 'SequencerLogGroup',
  apiLogGroup: 'ApiLogGroup',
  credentialsKeyArn: 'CredentialsKeyArn',
  receiptSealingKeyArn: 'ReceiptSealingKeyArn',
  tlogOrigin: 'TlogOrigin',
  tlogBucket: 'TlogBucket',
  /** The URL at which anyone reads the transparency log. Only with the setting `tlogPublic`. */
  tlogUrl: 'TlogUrl',
  /** The ARNs of the KMS keys that sign checkpoints, with commas between them. */
  checkpointKeyArns: 'CheckpointKeyArns',
  /** The setting `witnesses`: a tlog-policy, or its first part, see `witnessesOutputs`. Only if it is set. */
  witnesses: 'Witnesses',
  analytics: {
    bucket: 'AnalyticsBucket',
    database: 'AnalyticsDatabase',
    workgroup: 'AnalyticsWorkgroup',
    indexerFunction: 'IndexerFunction',
    indexerLogGroup: 'IndexerLogGroup',
    failureQueue: 'IndexerFailureQueue',
  },
  /** The ARN of the alarm topic, for further subscriptions. */
  alarmTopicArn: 'AlarmTopicArn',
} as const;

/** The most characters of an output. Source: CloudFormation User Guide, "Outputs". */
const OUTPUT_LIMIT = 1024;

/**
 * Splits a policy of witnesses into outputs `Witnesses`, `Witnesses2` and so on: one key of ML-DSA-44 is longer than an
 * output. No part begins or ends with white space, so that none is lost.
 */
export function witnessesOutputs(policy: string): (readonly [key: string, value: string])[] {
  const parts: (readonly [string, string])[] = [];
  for (let start = 0; start < policy.length; ) {
    let end = Math.min(policy.length, start + OUTPUT_LIMIT);
    while (end > start + 1 && end < policy.length && /\s/.test(policy.slice(end - 1, end + 1))) end -= 1;
    parts.push([`${outputs.witnesses}${parts.length === 0 ? '' : parts.length + 1}`, policy.slice(start, end)]);
    start = end;
  }
  return parts;
}

/** Returns the policy that `witnessesOutputs` has split; undefined if there is none. @param read returns an output */
export function joinWitnesses(read: (key: string) => string | undefined): string | undefined {
  const policy = read(outputs.witnesses);
  const partsFrom = (number: number): string => {
    const part = read(`${outputs.witnesses}${number}`);
    return part === undefined ? '' : part + partsFrom(number + 1);
  };
  return policy && policy + partsFrom(2);
}
