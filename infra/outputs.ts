import { perTable, tables } from '../functions/tables.ts';

/** The stack's outputs, by what they hold: whoever administers a deployment finds its parts by these keys. */
export const outputs = {
  /** What stands before `/capi/v2/order/uploadAiLog` in the URL, without a slash at its end. */
  baseUrl: 'BaseUrl',
  /** What a DNS record of the deployment's own domain name must point to, where it has one. */
  domainTarget: 'DomainTarget',
  /** The physical table names. */
  tables: perTable((id) => `${tables[id].name}Table`),
  /** ARN of the key that seals credentials. */
  credentialsKeyArn: 'CredentialsKeyArn',
  /** ARN of the topic that alarms are sent to, to subscribe more than the one address. */
  alarmTopicArn: 'AlarmTopicArn',
} as const;
