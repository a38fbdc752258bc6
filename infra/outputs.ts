import { perTable, tables } from '../functions/tables.ts';

/** The keys of the stack's outputs. The command line finds the parts of a deployment by them. */
export const outputs = {
  /** The URL before `/capi/v2/order/uploadAiLog`, without a trailing slash. */
  baseUrl: 'BaseUrl',
  /** The name that the DNS record of a custom domain must point to. Only with a custom domain. */
  domainTarget: 'DomainTarget',
  /** The physical table names. */
  tables: perTable((id) => `${tables[id].name}Table`),
  uploadFunction: 'UploadFunction',
  sequencerFunction: 'SequencerFunction',
  uploadLogGroup: 'UploadLogGroup',
  sequencerLogGroup: 'SequencerLogGroup',
  /** The name of the log group of the gateway, a log line per request. */
  apiLogGroup: 'ApiLogGroup',
  /** The ARN of the KMS key that seals credentials. */
  credentialsKeyArn: 'CredentialsKeyArn',
  /** The ARN of the KMS key that seals the keys of receipts. */
  receiptSealingKeyArn: 'ReceiptSealingKeyArn',
  /** The name of the transparency log. */
  tlogOrigin: 'TlogOrigin',
  /** The name of the bucket with the files of the transparency log. */
  tlogBucket: 'TlogBucket',
  /** The ARNs of the KMS keys that sign checkpoints, with commas between them. */
  checkpointKeyArns: 'CheckpointKeyArns',
  /** The setting `witnesses`: a tlog-policy. Only if it is set. */
  witnesses: 'Witnesses',
  /** The ARN of the alarm topic, for further subscriptions. */
  alarmTopicArn: 'AlarmTopicArn',
} as const;
