import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { tableEnvironment } from '../../functions/tables.ts';
import type { Environment } from '../../functions/upload/config.ts';
import { NUMBERED_KEYS, readWitnesses, settings } from '../../infra/settings.ts';
import { Failure } from '../shell/terminal/failure.ts';
import { LOCAL_ORIGIN, localIdentity, localPaths, localTables } from '../store/targets/data.ts';

/** The variables that `npm start` reads besides those of the settings. */
export const START_VARIABLES = ['PORT', 'DYNAMODB_ENDPOINT'] as const;

/** The settings of a deployment that the local run has too, with their variables. */
const VARIABLES = {
  uidQuota: 'UID_QUOTA',
  ipQuota: 'IP_QUOTA',
  windowSeconds: 'WINDOW_SECONDS',
  requireLocale: 'REQUIRE_LOCALE',
  entryRetentionDays: 'ENTRY_RETENTION_DAYS',
  checkpointKeys: 'CHECKPOINT_KEYS',
  receiptKey: 'RECEIPT_KEY',
  witnesses: 'WITNESSES_FILE',
} as const satisfies Partial<Record<keyof typeof settings, keyof Environment | 'CHECKPOINT_KEYS' | 'WITNESSES_FILE'>>;
type LocalSetting = keyof typeof VARIABLES;

const names = Object.keys(VARIABLES) as LocalSetting[];

/** Says what a setting may be. The local run makes its keys itself. */
const allowedOf = (name: LocalSetting) => (name === 'checkpointKeys' ? NUMBERED_KEYS : settings[name].allowed);

/** Returns a setting's option without its dashes: `uid-quota` for `uidQuota`. */
const optionOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The options of a local run: `json`, the `environment` of the function, and `witnesses`, the text of their policy. */
export type LocalRun = ReturnType<typeof readLocalRun>;

export const USAGE = `Usage: npm start -- [options]

${names.map((name) => `  --${optionOf(name)}=VALUE`.padEnd(34) + allowedOf(name)).join('\n')}
  --json                          print the function's log instead of one line per upload

Each setting can also be a variable: ${names.map((name) => VARIABLES[name]).join(', ')}. An option overrides its variable.
docs/settings.md explains them.`;

function readOptions(args: readonly string[]) {
  const known = [...names.map(optionOf), 'json'];
  const options = Object.fromEntries(names.map((name) => [optionOf(name), { type: 'string' as const }]));
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, json: { type: 'boolean' } },
    strict: false,
    tokens: true,
  });
  const values = new Map<string, string | undefined>();
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`Unknown argument "${token.value}": options start with --.`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!known.includes(name)) {
      problems.push(`Unknown option ${rawName}: the options are ${known.map((one) => `--${one}`).join(', ')}.`);
    } else if (values.has(name)) problems.push(`Option ${rawName} is given twice.`);
    else if (name === 'json' && value !== undefined) problems.push('Option --json takes no value.');
    values.set(name, value);
  }
  return { values, problems };
}

/** Reads the settings of a local run, with the checks of a deployment. @throws Failure with a line for each problem */
export function readLocalRun(args: readonly string[], env: NodeJS.ProcessEnv) {
  const { values, problems } = readOptions(args);
  const environment = names.flatMap((name): [string, string][] => {
    const { parse, default: usual } = settings[name];
    const isOption = values.has(optionOf(name));
    const [source, text] = isOption
      ? [`--${optionOf(name)}`, values.get(optionOf(name))]
      : [VARIABLES[name], env[VARIABLES[name]] ?? usual?.toString()];
    if (text === undefined && !isOption) return [];
    const is = text === undefined ? 'has no value' : `is ${JSON.stringify(text)}`;
    try {
      const value = text === undefined || text.includes('arn:') ? undefined : parse(text);
      if (value !== undefined) return [[VARIABLES[name], String(value)]];
      problems.push(`${source} ${is}: it must be ${allowedOf(name)}.`);
    } catch (error) {
      problems.push(`${source} ${is}: ${(error as Error).message}`);
    }
    return [];
  });
  if (problems.length > 0) throw new Failure('usage', problems);
  const { WITNESSES_FILE: path, ...others } = Object.fromEntries(environment);
  return { json: values.has('json'), environment: others, witnesses: path && readWitnesses(path) };
}

/** Returns region and credentials for an endpoint. Real credentials are only sent to AWS; an engine gets dummy ones. */
async function identityFor(endpoint: URL) {
  if (!/\.(amazonaws\.com(\.cn)?|api\.aws)$/.test(endpoint.hostname)) return localIdentity;
  // The bundle reads credentials only from the environment, as in Lambda. So they are resolved here.
  const { config } = new DynamoDBClient();
  return { region: await config.region(), credentials: await config.credentials() };
}

/** Returns the environment of the bundle for a DynamoDB endpoint. @throws the SDK's error if AWS needs credentials */
export async function environmentFor(endpoint: string, settings: Readonly<Record<string, string>>) {
  const { region, credentials } = await identityFor(new URL(endpoint));
  return {
    ...tableEnvironment(localTables),
    ...settings,
    CREDENTIALS_KEY_FILE: localPaths.key,
    TLOG_ORIGIN: LOCAL_ORIGIN,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    ...('sessionToken' in credentials && credentials.sessionToken && { AWS_SESSION_TOKEN: credentials.sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    SERVICE_NAME: 'AiLogUpload-local',
  };
}
