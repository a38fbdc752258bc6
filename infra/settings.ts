import { existsSync, readFileSync } from 'node:fs';
import { parsePolicy } from '../functions/c2sp/policy.ts';
import { type TableId, tables } from '../functions/tables.ts';

/** A setting: its documentation, and the parser for its text. */
export interface Setting<T> {
  readonly default: T;
  /** The default in stages that keep their data (`keepsData`), if it differs. */
  readonly inProd?: T;
  /** Completes the sentence "it must be …". */
  readonly allowed: string;
  readonly description: string;
  /** Returns the value; undefined if the text is not allowed. @throws Error if there is more to say about it */
  readonly parse: (text: string) => T | undefined;
}

const setting = <T>(shape: Setting<T>): Setting<T> => shape;

const integer = (least: number, most: number): Pick<Setting<number>, 'allowed' | 'parse'> => ({
  allowed: `an integer from ${least} to ${most}`,
  parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined),
});

const onOrOff: Pick<Setting<boolean>, 'allowed' | 'parse'> = {
  allowed: 'true or false',
  parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};

/** An optional text that must match a pattern. */
const text = (
  allowed: string,
  pattern: RegExp,
): Pick<Setting<string | undefined>, 'allowed' | 'default' | 'parse'> => ({
  allowed,
  default: undefined,
  parse: (given) => (pattern.test(given) ? given : undefined),
});

/** The retention periods of CloudWatch Logs, in days. "Forever" is left out, because log lines identify callers. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

/** Returns the names in `AiLogs=NAME,ApiKeys=OTHER_NAME` by table; undefined if a table is unknown or repeated. */
function tableNames(text: string): Partial<Record<TableId, string>> | undefined {
  const pairs = text.split(',').map((pair) => {
    const [, table, name] = /^(\w+)=([\w.-]{3,255})$/.exec(pair) ?? [];
    return [(Object.keys(tables) as TableId[]).find((id) => tables[id].name === table), name] as const;
  });
  const [ids, names] = [new Set(pairs.map(([id]) => id)), new Set(pairs.map(([, name]) => name))];
  const distinct = ids.size === pairs.length && names.size === pairs.length;
  return ids.has(undefined) || !distinct ? undefined : Object.fromEntries(pairs);
}

const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[a-zA-Z0-9-]+$/;

/** Returns the text if it names one or two different keys, by numbers of the stack's own keys or by ARNs. */
function checkpointKeys(text: string): string | undefined {
  const keys = text.split(',');
  const known = keys.every((key) => /^[1-9]\d{0,2}$/.test(key) || KEY_ARN.test(key));
  return known && keys.length <= 2 && new Set(keys).size === keys.length ? text : undefined;
}

/** The number of 10 KB uploads per second that new on-demand tables take: 4000 write units, 5 for each entry. */
const WARM_UPLOADS_PER_SECOND = 800;

/**
 * The uploads per second that a table can be warmed for: 40 000 write units, which AWS allows a table, 5 for each
 * entry.
 */
const WARM_LIMIT_UPLOADS_PER_SECOND = 8000;

/** The maximum length of the policy of witnesses. All environment variables of a function have 4 KB together. */
const WITNESSES_LIMIT_BYTES = 2500;

/** Reads the policy of witnesses. @throws Error that says what is wrong with the file */
function readWitnesses(path: string): string | undefined {
  const policy = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  if (policy === '' || Buffer.byteLength(policy) > WITNESSES_LIMIT_BYTES) return undefined;
  const { witnesses } = parsePolicy(policy);
  return [...witnesses.values()].some(({ url }) => url !== undefined) ? policy : undefined;
}

/** The settings of a deployment. Pass them to CDK as context: `cdk deploy -c stage=prod -c uidQuota=500`. */
export const settings = {
  stage: setting({
    default: 'dev',
    allowed: 'a lower-case letter, then at most 19 of a-z, 0-9 and "-"',
    description:
      'Name of the deployment, part of the stack name and of the URL. If it starts with `prod`, the stack and the tables are protected from deletion, and the tables, the key and the logs are kept when the stack is deleted all the same',
    parse: (text) => (/^[a-z][a-z0-9-]{0,19}$/.test(text) ? text : undefined),
  }),
  uidQuota: setting({
    ...integer(1, 1_000_000),
    default: 1000,
    description: 'Weight that one UID can consume per window. An upload costs 1',
  }),
  ipQuota: setting({
    ...integer(1, 1_000_000),
    default: 1000,
    description: 'Weight that one IP address (IPv6: one /64 network) can consume per window',
  }),
  windowSeconds: setting({
    ...integer(1, 20),
    default: 10,
    description:
      'Length of a window in seconds. At most 20, so that a client that waits for the next window can still resend the identical request within 30 s',
  }),
  requireLocale: setting({
    ...onOrOff,
    default: true,
    description: 'Rejects requests without a locale header',
  }),
  apiRateLimit: setting({
    ...integer(1, 100_000),
    default: 2500,
    description:
      'Requests per second that the gateway accepts from all callers together. At least what one quota allows, so that a team is not rejected within its quota',
  }),
  apiBurstLimit: setting({
    ...integer(1, 100_000),
    default: 5000,
    description:
      'Requests that the gateway accepts from all callers in one burst. At least as large as each quota, for the same reason',
  }),
  accountConcurrency: setting({
    ...integer(10, 1_000_000),
    default: 1000,
    description:
      'Concurrent executions that AWS allows all functions of the account together; a new account can have as few as 10. Alarms are relative to it, and above 100, the sequencer reserves one',
  }),
  reservedConcurrency: setting<number | undefined>({
    ...integer(0, 10_000),
    default: undefined,
    description:
      'Concurrent executions that are reserved for the function; also its maximum. 0 stops the function. If unset, it shares the concurrency of the account',
  }),
  warmThroughput: setting<number | undefined>({
    ...integer(WARM_UPLOADS_PER_SECOND + 1, WARM_LIMIT_UPLOADS_PER_SECOND),
    default: undefined,
    description:
      'Uploads per second, of 10 KB each, that the tables take from the first second. New tables take 800; more follows only after minutes of load. AWS charges once for the difference, and cannot lower it: deploy it alone, and give it on every later deployment too',
  }),
  waf: setting({
    ...onOrOff,
    default: false,
    inProd: true,
    description:
      'Puts a firewall in front of the API, which blocks an IP address at twice the rate that the IP quota allows. That rate must be at most a tenth of `apiRateLimit`',
  }),
  adoptTables: setting<Partial<Record<TableId, string>> | undefined>({
    default: undefined,
    allowed: `names of different tables, such as AiLogs=NAME,ApiKeys=OTHER_NAME; possible are ${Object.values(tables)
      .map(({ name }) => name)
      .join(', ')}`,
    description:
      'Uses existing tables instead of new ones, such as those of a deleted stack. They stay outside the stack. Give it on every later deployment too',
    parse: tableNames,
  }),
  credentialsKeyArn: setting({
    ...text('the ARN of a KMS key', KEY_ARN),
    description:
      'Uses an existing KMS key instead of a new one. Needed with the table ApiKeys, because only its own key decrypts its credentials. Give it on every later deployment too',
  }),
  domainName: setting({
    ...text(
      'a domain name in lower case, such as logs.example.com',
      /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    ),
    description:
      'Custom domain name of the API, with TLS 1.2 or later. The default URL from AWS is then disabled. Needs certificateArn',
  }),
  certificateArn: setting({
    ...text('the ARN of an ACM certificate', /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[a-z0-9-]+$/),
    description: 'Certificate for domainName, from ACM in the region of the stack',
  }),
  alarmEmail: setting({
    ...text('an email address', /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/),
    description: 'Email address for alarms. AWS sends it a link once, to confirm the subscription',
  }),
  latencyBudgetMs: setting({
    ...integer(10, 10_000),
    default: 1000,
    description: 'Latency limit in milliseconds. An alarm goes off if more than 1 of 100 requests takes longer',
  }),
  trafficAlarms: setting({
    ...onOrOff,
    default: false,
    inProd: true,
    description:
      'Adds alarms on unusual traffic: a fifth of all requests rejected for one cause, or far fewer uploads than usual',
  }),
  canary: setting({
    ...onOrOff,
    default: false,
    inProd: true,
    description:
      'Sends a new version a tenth of the requests for 5 minutes and rolls it back if an alarm goes off. If false, it gets all requests at once',
  }),
  savedQueries: setting({
    ...onOrOff,
    default: true,
    description: 'Saves queries for operators in CloudWatch Logs Insights',
  }),
  entryRetentionDays: setting<number | undefined>({
    ...integer(1, 36_500),
    default: undefined,
    description:
      'Days that a stored AI log is kept, counted from its upload. A change applies to later uploads. If unset, logs are kept forever',
  }),
  tlogOrigin: setting({
    ...text('1 to 100 of a-z, 0-9, ".", "/" and "-", such as logs.example.com/ailog', /^[a-z0-9][a-z0-9./-]{0,99}$/),
    description:
      'Name of the transparency log, part of every receipt and checkpoint. Use a domain and path of your own, and never change it: with another name it is another transparency log. If unset, it is `ai-log-upload/` and the stage',
  }),
  checkpointKeys: setting({
    default: '1',
    allowed: 'one key, or two with a comma between them. A key is a number from 1 to 999, or the ARN of a KMS key',
    description:
      'Keys that sign the checkpoints of the transparency log: `1`; `1,2` during a rotation; then `2`. The stack makes the numbered keys. An ARN names an existing key instead. Give it on every later deployment too',
    parse: checkpointKeys,
  }),
  tlogBucket: setting({
    ...text('a number from 1 to 999, or the name of a bucket', /^([1-9]\d{0,2}|[a-z0-9][a-z0-9.-]{2,62})$/),
    default: '1',
    description:
      'Bucket with the files of the transparency log. The stack makes the numbered ones: `2` replaces a bucket that is lost. A name uses an existing bucket, such as the one that a deleted stack has left, and keeps its policy. Give it on every later deployment too',
  }),
  receiptSealingKeyArn: setting({
    ...text('the ARN of a KMS key', KEY_ARN),
    description:
      'Uses an existing KMS key to seal the keys that sign receipts, instead of a new one. Give it on every later deployment too',
  }),
  tlogLockDays: setting<number | undefined>({
    ...integer(1, 36_500),
    default: undefined,
    inProd: 365,
    description:
      'Days for which nobody can delete or replace a file of the transparency log, the owner of the account included (S3 Object Lock, compliance mode). A change applies to files that are written later',
  }),
  witnesses: setting<string | undefined>({
    default: undefined,
    allowed: `the path of a C2SP tlog-policy file of at most ${WITNESSES_LIMIT_BYTES} bytes, with a URL for each witness`,
    description:
      'File with the witnesses that cosign the transparency log, and how many of them are needed. An alarm goes off if fewer do',
    parse: readWitnesses,
  }),
  logRetentionDays: setting({
    default: 30,
    inProd: 365,
    allowed: `one of ${RETENTION_DAYS.join(', ')}`,
    description:
      'Days that the log lines of the gateway and of the functions are kept. Stored AI logs are not affected',
    parse: (text) => RETENTION_DAYS.find((days) => String(days) === text),
  }),
};

/** The values of one deployment's settings, by name. */
export type Settings = { readonly [Name in keyof typeof settings]: (typeof settings)[Name]['default'] };

/** Returns true if the deployment's data must survive the deletion of its stack. */
export const keepsData = ({ stage }: Pick<Settings, 'stage'>): boolean => stage.startsWith('prod');
