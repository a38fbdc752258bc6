import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** One setting: what it is to its reader, and how its text is read. */
interface Setting<T> {
  readonly default: T;
  /** The default of a stage whose data is kept, where it is another one. */
  readonly inProd?: T;
  /** Ends the sentence "it must be …". */
  readonly allowed: string;
  readonly description: string;
  /** The value, or undefined for a text that is not allowed. */
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

/** A text that has a pattern, or none. */
const text = (
  allowed: string,
  pattern: RegExp,
): Pick<Setting<string | undefined>, 'allowed' | 'default' | 'parse'> => ({
  allowed,
  default: undefined,
  parse: (given) => (pattern.test(given) ? given : undefined),
});

/** The spans that CloudWatch Logs can keep, in days; it also knows "forever", which a log of callers should not be kept. */
const RETENTION_DAYS = Object.values(RetentionDays).filter((days) => Number(days) < RetentionDays.INFINITE) as number[];

/** Every setting of a deployment, given to CDK as context: `cdk deploy -c stage=prod -c uidQuota=500`. */
export const settings = {
  stage: setting({
    default: 'dev',
    allowed: 'a lower-case letter, then at most 19 of a-z, 0-9 and "-"',
    description:
      'Name of the deployment, part of the stack name and of the URL. In `prod`, and where the name begins so, the tables, the key and the logs outlive the stack, and no table can be deleted',
    parse: (text) => (/^[a-z][a-z0-9-]{0,19}$/.test(text) ? text : undefined),
  }),
  uidQuota: setting({
    ...integer(1, 1_000_000),
    default: 1000,
    description: 'Weight one UID may consume in one window; an upload costs 1',
  }),
  ipQuota: setting({
    ...integer(1, 1_000_000),
    default: 1000,
    description: 'Weight one IP address (IPv6: one /64) may consume in one window',
  }),
  windowSeconds: setting({
    ...integer(1, 20),
    default: 10,
    description:
      'Length of a window in seconds. Well under 30, so that who waited for the next one may still send the identical request',
  }),
  requireLocale: setting({
    ...onOrOff,
    default: true,
    description: 'Whether a request without a locale header is rejected',
  }),
  apiRateLimit: setting({
    ...integer(1, 100_000),
    default: 1000,
    description: 'Requests per second of all callers together that the gateway lets through',
  }),
  apiBurstLimit: setting({
    ...integer(1, 100_000),
    default: 2000,
    description:
      'Requests of all callers that the gateway lets through at once. Below a quota, it rejects a team before its quota does',
  }),
  reservedConcurrency: setting<number | undefined>({
    ...integer(0, 10_000),
    default: undefined,
    description:
      "Executions at a time that are set aside for the function, and its ceiling: 0 stops it. Unset, it shares the account's",
  }),
  waf: setting({
    ...onOrOff,
    default: false,
    inProd: true,
    description:
      'Whether a firewall keeps floods from the function: per IP address, at twice what the IP quota lets through',
  }),
  domainName: setting({
    ...text(
      'a domain name in lower case, such as logs.example.com',
      /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
    ),
    description:
      'A domain name of your own for the API, TLS 1.2 or later; the URL that AWS gives it is then off. Needs certificateArn',
  }),
  certificateArn: setting({
    ...text('the ARN of an ACM certificate', /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[a-z0-9-]+$/),
    description: 'The certificate of domainName, issued by ACM in the region of the stack',
  }),
  alarmEmail: setting({
    ...text('an email address', /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/),
    description: 'Where alarms are mailed to. The address has to confirm it once, by the link in a mail from AWS',
  }),
  latencyBudgetMs: setting({
    ...integer(10, 10_000),
    default: 1000,
    description: 'Milliseconds within which 99 of 100 requests should be answered; an alarm tells when they are not',
  }),
  trafficAlarms: setting({
    ...onOrOff,
    default: false,
    inProd: true,
    description:
      'Whether alarms tell of what is unusual in what teams send: a fifth of it rejected for one cause, or far fewer uploads',
  }),
  canary: setting({
    ...onOrOff,
    default: false,
    inProd: true,
    description:
      'Whether a new version gets a tenth of the requests for 5 minutes first, and is taken back when an alarm goes off. Off, it gets all at once',
  }),
  savedQueries: setting({
    ...onOrOff,
    default: true,
    description: 'Whether queries for the questions that operators ask are saved in Logs Insights',
  }),
  entryRetentionDays: setting<number | undefined>({
    ...integer(1, 36_500),
    default: undefined,
    description:
      'Days that a stored AI log is kept, counted from its upload; it holds for uploads from then on. Unset, forever',
  }),
  logRetentionDays: setting({
    default: 30,
    inProd: 365,
    allowed: `one of ${RETENTION_DAYS.join(', ')}`,
    description: 'Days that the logs of the gateway and of the function are kept. Stored AI logs do not depend on it',
    parse: (text) => RETENTION_DAYS.find((days) => String(days) === text),
  }),
};

/** The settings of one deployment, by name. */
export type Settings = { readonly [Name in keyof typeof settings]: (typeof settings)[Name]['default'] };

/** Settings that mean something only together. */
const PAIRS = [['domainName', 'certificateArn']] as const;

/** Whether a deployment's data must survive whatever happens to its stack. */
export const keepsData = ({ stage }: Pick<Settings, 'stage'>): boolean => stage.startsWith('prod');

/** What is wrong with the settings of a deployment: a sentence for each, a line each. */
export class WrongSettings extends Error {}

/**
 * Reads the settings from CDK's context, where values are text (`-c`) or JSON (cdk.json).
 * @throws WrongSettings that names every setting that is wrong or does not exist, all at once
 */
export function readSettings(context: Readonly<Record<string, unknown>>): Settings {
  const names = Object.keys(settings);
  // CDK's own context has a colon in every name, so a name without one is a setting, or a slip that must not pass unseen.
  const problems = Object.keys(context)
    .filter((name) => !name.includes(':') && !names.includes(name))
    .map((name) => `Setting ${name} does not exist: the settings are ${names.join(', ')}.`);
  const isProd = keepsData({ stage: String(context.stage ?? settings.stage.default) });
  const values = Object.entries<Setting<unknown>>(settings).map(([name, shape]) => {
    const given = context[name];
    if (given === undefined) return [name, isProd && 'inProd' in shape ? shape.inProd : shape.default];
    const value = shape.parse(String(given));
    if (value === undefined) problems.push(`Setting ${name} is ${JSON.stringify(given)}: it must be ${shape.allowed}.`);
    return [name, value];
  });
  for (const [one, other] of PAIRS) {
    const [with_, without] = context[one] === undefined ? [other, one] : [one, other];
    if (context[with_] !== undefined && context[without] === undefined) {
      problems.push(`Setting ${with_} needs ${without}: ${settings[without].allowed}.`);
    }
  }
  if (problems.length > 0) throw new WrongSettings(problems.join('\n'));
  return Object.fromEntries(values);
}
