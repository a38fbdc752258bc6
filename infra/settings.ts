import { readFileSync, statSync } from 'node:fs';
import { parsePolicy } from '../functions/c2sp/policy.ts';
import { type TableId, tables } from './tables.ts';

/** A setting: its default, what it may be, and the parser for its text. docs/settings.md describes each. */
export interface Setting<T> {
  readonly default: T;
  /** The default in stages that keep their data (`keepsData`), if it differs. */
  readonly whenKept?: T;
  /** Completes the sentence "it must be …". */
  readonly allowed: string;
  /** Returns the value; undefined if the text is not allowed. @throws Error if there is more to say about it */
  readonly parse: (text: string) => T | undefined;
}

type Usual<T> = Pick<Setting<T>, 'default' | 'whenKept'>;

const setting = <T>(shape: Setting<T>): Setting<T> => shape;

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);

const within = (least: number, most: number): Pick<Setting<number>, 'allowed' | 'parse'> => ({
  allowed: `an integer from ${least} to ${most}`,
  parse: (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined),
});

const integer = (least: number, most: number, usual: Usual<number>) => setting({ ...within(least, most), ...usual });

/** An integer that is unset by default, except perhaps in stages that keep their data. */
const optionalInteger = (least: number, most: number, usual: { readonly whenKept?: number } = {}) =>
  setting<number | undefined>({ ...within(least, most), default: undefined, ...usual });

const onOrOff = (usual: Usual<boolean>) =>
  setting<boolean>({
    allowed: 'true or false',
    parse: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
    ...usual,
  });

const text = (allowed: string, pattern: RegExp) =>
  setting<string | undefined>({ allowed, default: undefined, parse: matching(pattern) });

const domainName = () =>
  text(
    'a domain name in lower case, such as logs.example.com',
    /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
  );

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
  const ids = new Set(pairs.map(([id]) => id));
  const names = new Set(pairs.map(([, name]) => name));
  const distinct = ids.size === pairs.length && names.size === pairs.length;
  return ids.has(undefined) || !distinct ? undefined : Object.fromEntries(pairs);
}

const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[a-zA-Z0-9-]+$/;

const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=.@/-]{1,500}$/;

/** Returns a parser of a list: each part matches, and none names a role twice, with or without `:*`. */
const differentRoles = (pattern: RegExp) => (text: string) => {
  const parts = text.split(',');
  const roles = new Set(parts.map((part) => part.replace(/:\*$/, '')));
  return parts.every((part) => pattern.test(part)) && roles.size === parts.length ? text : undefined;
};

/** The keys of checkpoints that are possible without KMS. */
export const NUMBERED_KEYS = 'one key, or two with a comma between them. A key is a number from 1 to 20';

/** Returns the text if it names one or two different keys, by numbers of the stack's own keys or by ARNs. */
function checkpointKeys(text: string): string | undefined {
  const keys = text.split(',');
  const known = keys.every((key) => /^([1-9]|1\d|20)$/.test(key) || KEY_ARN.test(key));
  return known && keys.length <= 2 && new Set(keys).size === keys.length ? text : undefined;
}

/** The maximum length of the policy of witnesses: about a hundred of them. */
const WITNESSES_LIMIT_BYTES = 16_000;

/** Reads a policy of witnesses; undefined if it is none. @throws Error that says what is wrong with the file */
export function readWitnesses(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false });
  const policy = file?.isFile() && file.size <= WITNESSES_LIMIT_BYTES ? readFileSync(path, 'utf8').trim() : '';
  if (policy === '') return undefined;
  const { witnesses } = parsePolicy(policy);
  return [...witnesses.values()].some(({ url }) => url !== undefined) ? policy : undefined;
}

/** The requests that the gateway takes at once: the most that AWS allows. A team may send its whole quota at once. */
export const BURST_LIMIT = 5000;

/** The settings of a deployment, whose values are as JSON has them. docs/settings.md says where they are written. */
export const settings = {
  stage: setting({
    default: 'dev',
    allowed: 'a lower-case letter, then at most 19 of a-z, 0-9 and "-"',
    parse: matching(/^[a-z][a-z0-9-]{0,19}$/),
  }),
  disposable: onOrOff({ default: false }),
  uidQuota: integer(1, BURST_LIMIT, { default: 1000 }),
  ipQuota: integer(1, BURST_LIMIT, { default: 1000 }),
  windowSeconds: integer(1, 20, { default: 10 }),
  requireLocale: onOrOff({ default: true }),
  apiRateLimit: integer(1, 100_000, { default: 2500 }),
  accountConcurrency: integer(10, 1_000_000, { default: 1000 }),
  reservedConcurrency: optionalInteger(0, 10_000),
  // In uploads of 5 write units: new tables take 4000 units, and AWS allows a table 40 000.
  warmThroughput: optionalInteger(801, 8000),
  waf: onOrOff({ default: false, whenKept: true }),
  adoptTables: setting<string | undefined>({
    default: undefined,
    allowed: `names of different tables, such as AiLogs=NAME,ApiKeys=OTHER_NAME; possible are ${Object.values(tables)
      .map(({ name }) => name)
      .join(', ')}`,
    parse: (text) => tableNames(text) && text,
  }),
  credentialsKeyArn: text('the ARN of a KMS key', KEY_ARN),
  domainName: domainName(),
  certificateArn: text(
    'the ARN of an ACM certificate',
    /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[a-z0-9-]+$/,
  ),
  alarmEmail: text('an email address', /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/),
  canary: onOrOff({ default: false, whenKept: true }),
  entryRetentionDays: optionalInteger(1, 36_500),
  tlogOrigin: text(
    'at most 100 of a-z, 0-9, ".", "-" and, between words, "/", such as logs.example.com/ailog',
    /^(?=.{1,100}$)[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/,
  ),
  checkpointKeys: setting({
    default: '1',
    allowed: `${NUMBERED_KEYS}, or the ARN of a KMS key`,
    parse: checkpointKeys,
  }),
  receiptKey: integer(1, 999, { default: 1 }),
  keyRoles: setting<string | undefined>({
    default: undefined,
    allowed: 'ARNs of different IAM roles, with commas between them',
    parse: differentRoles(ROLE_ARN),
  }),
  reviewerRoles: setting<string | undefined>({
    default: undefined,
    allowed: 'unique ids of different roles with commas between them, each with ":*" if it belongs to Identity Center',
    parse: differentRoles(/^AROA[A-Z0-9]{12,124}(:\*)?$/),
  }),
  tlogLockDays: optionalInteger(1, 36_500, { whenKept: 365 }),
  tlogPublic: onOrOff({ default: false, whenKept: true }),
  tlogDomainName: domainName(),
  tlogCertificateArn: text(
    'the ARN of an ACM certificate in us-east-1',
    /^arn:aws[a-z-]*:acm:us-east-1:\d{12}:certificate\/[a-z0-9-]+$/,
  ),
  witnesses: setting<string | undefined>({
    default: undefined,
    allowed: `the path of a C2SP tlog-policy file of at most ${WITNESSES_LIMIT_BYTES} bytes, with a URL for each witness`,
    parse: (path) => readWitnesses(path) && path,
  }),
  analytics: onOrOff({ default: false }),
  logRetentionDays: setting({
    default: 30,
    whenKept: 365,
    allowed: `one of ${RETENTION_DAYS.join(', ')}`,
    parse: (text) => RETENTION_DAYS.find((days) => String(days) === text),
  }),
};

export type Settings = { readonly [Name in keyof typeof settings]: (typeof settings)[Name]['default'] };

/** Returns the names of the tables that the settings adopt. */
export const adoptedTables = ({ adoptTables }: Pick<Settings, 'adoptTables'>): Partial<Record<TableId, string>> =>
  (adoptTables && tableNames(adoptTables)) || {};

/** Returns true if the deployment's data must survive the deletion of its stack. */
export const keepsData = ({ disposable }: Pick<Settings, 'disposable'>): boolean => !disposable;
