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
  /** The name that the DNS record of `tlogDomainName` must point to. Only with that setting. */
  tlogDomainTarget: 'TlogDomainTarget',
  checkpointKeyArns: 'CheckpointKeyArns',
  /** The policy of witnesses, in parts (`outputParts`). Only with the setting `witnesses`. */
  witnesses: 'Witnesses',
  /** All settings that have a value, as JSON of their texts, in parts. */
  settings: 'Settings',
  /** The bucket and the queue are there without the setting `analytics` too; the others are not. */
  analytics: {
    bucket: 'AnalyticsBucket',
    failureQueue: 'IndexerFailureQueue',
    database: 'AnalyticsDatabase',
    workgroup: 'AnalyticsWorkgroup',
    indexerFunction: 'IndexerFunction',
    indexerLogGroup: 'IndexerLogGroup',
  },
  staff: {
    admin: 'AdminPolicyArn',
    reviewer: 'ReviewerPolicyArn',
    operator: 'OperatorPolicyArn',
    repairer: 'RepairerPolicyArn',
  },
  alarmTopicArn: 'AlarmTopicArn',
} as const;

/** The most characters of an output. Source: CloudFormation User Guide, "Outputs". */
const OUTPUT_LIMIT = 1024;

const partOf = (key: string, part: number): string => `${key}${part === 1 ? '' : part}`;

/** Returns a text as outputs `KEY`, `KEY2` and so on, encoded as in a URL: CloudFormation trims white space. */
export function outputParts(key: string, text: string): (readonly [key: string, value: string])[] {
  const parts = encodeURIComponent(text).match(new RegExp(`.{1,${OUTPUT_LIMIT}}`, 'g')) ?? [];
  return parts.map((value, index) => [partOf(key, index + 1), value]);
}

/** Returns the text in `outputParts`; undefined if there is none. @param read returns the value of an output */
export function readOutputParts(key: string, read: (key: string) => string | undefined): string | undefined {
  let encoded = '';
  for (let part = 1; ; part += 1) {
    const value = read(partOf(key, part));
    if (value === undefined) return encoded === '' ? undefined : decodeURIComponent(encoded);
    encoded += value;
  }
}
