import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Decrypt, fileDecrypt, kmsDecrypt } from '../functions/auth/credentialStore.ts';
import { perTable, type TableId } from '../functions/tables.ts';
import { outputs } from '../infra/outputs.ts';
import { fileSeal, kmsSeal, type Seal } from './data/seal.ts';
import { CLOCK_UNCERTAINTY_MS, serverClockOf } from './data/serverClock.ts';
import { DEMO_FILE, KEY_FILE, LOCAL_FOLDER, localIdentity, localTables } from './local/data.ts';
import { readDemo } from './local/demo.ts';
import { type Engine, startEngine } from './local/engine.ts';
import { Failure } from './terminal/failure.ts';
import type { Terminal } from './terminal/terminal.ts';
import { type Uninterrupted, watchInterruption } from './terminal/watchInterruption.ts';

/** The options that select a target. */
interface TargetOptions {
  readonly local?: true | undefined;
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

/** The parts of a target that a deployment and the local run open in their own way. */
interface Opened {
  /** The name of the stack, or `the local data`. Questions name it. */
  readonly name: string;
  /** The base URL of the service. Undefined if the local run has not started yet. */
  readonly baseUrl: string | undefined;
  readonly db: DynamoDBDocumentClient;
  /** Physical table names. */
  readonly tables: Readonly<Record<TableId, string>>;
  readonly seal: Seal;
  readonly decrypt: Decrypt;
  /** Returns the identity of the user, for the record of a change. */
  readonly who: () => Promise<string>;
}

/** The tables and the key that a command works on: those of a deployment or of the local run. */
export interface Target extends Opened {
  /**
   * Returns the service's time in milliseconds since 1970, read from its answers. Warns once if the clock of this
   * machine is wrong. Everything that a command compares or stores uses this time.
   */
  readonly now: () => Promise<number>;
  /** Runs a step that Ctrl-C must not cut in half. */
  readonly uninterrupted: Uninterrupted;
}

/** The client timeouts in milliseconds, so that a lost packet does not block a command forever. */
const timeouts = {
  requestHandler: { connectionTimeout: 5000, requestTimeout: 20_000, throwOnRequestTimeout: true },
};

/**
 * Returns a number of DynamoDB as the closest native one: a bigint for an integer beyond 2^53. The SDK throws for some, and
 * one such attribute would make a whole page unreadable.
 */
const nativeNumber = (text: string): number | bigint =>
  Number.isSafeInteger(Number(text)) || !/^-?\d+$/.test(text) ? Number(text) : BigInt(text);

/** Returns a document client. Undefined properties, such as a missing label, are not stored. */
const documents = (client: DynamoDBClient) =>
  DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: nativeNumber },
  });

/** Returns a function that reads the service's clock, see `Target.now`. */
function createClock(terminal: Terminal, { db, tables }: Opened, clock: ReturnType<typeof serverClockOf>) {
  let warned = false;
  return async () => {
    if (clock.now() === undefined) {
      // Every answer tells the time, an error too.
      const get = new GetCommand({ TableName: tables.allowlist, Key: { uid: '0' } });
      await db.send(get).catch((error) => {
        if (clock.now() === undefined) throw error;
      });
    }
    const seconds = Math.round(clock.correction() / 1000);
    if (Math.abs(clock.correction()) > CLOCK_UNCERTAINTY_MS && !warned) {
      warned = true;
      terminal.note(
        `The clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'behind' : 'ahead of'} the service. The service's time is used.`,
      );
    }
    return clock.now() ?? Date.now();
  };
}

/**
 * Opens the local data in the engine at `DYNAMODB_ENDPOINT`, in the one that `npm start` runs, or in one for this
 * command.
 */
async function openLocal({ cwd, env }: Terminal) {
  const folder = join(cwd(), LOCAL_FOLDER);
  const keyFile = join(cwd(), KEY_FILE);
  if (!existsSync(keyFile)) {
    throw new Failure('usage', `There is no local data in ${folder}.`, { advice: 'Run npm start once to create it.' });
  }
  const endpoint = env.AWS_ENDPOINT_URL_DYNAMODB ?? env.DYNAMODB_ENDPOINT;
  const engine: Engine = endpoint
    ? { endpoint, stop: async () => {} }
    : await startEngine(folder).catch((cause) => {
        throw new Failure('unreachable', (cause as Error).message, { cause });
      });
  const client = new DynamoDBClient({ endpoint: engine.endpoint, ...localIdentity, ...timeouts });
  return {
    client,
    opened: {
      name: 'the local data',
      baseUrl: readDemo(join(cwd(), DEMO_FILE))?.AILOG_URL,
      db: documents(client),
      tables: localTables,
      seal: fileSeal(keyFile),
      decrypt: fileDecrypt(keyFile),
      who: async () => `local:${userInfo().username}`,
    } satisfies Opened,
    close: async () => {
      client.destroy();
      await engine.stop();
    },
  };
}

/**
 * Reads the outputs of a stack and returns a lookup by key.
 * @throws Failure if the stack or an output does not exist
 */
async function outputsOf(stack: string, settings: { region?: string; profile?: string }) {
  const client = new CloudFormationClient(settings);
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((cause) => {
    if (!/does not exist/.test(cause.message)) throw cause;
    const advice = 'Check its name, --region and --profile; npx cdk list prints the names.';
    throw new Failure('usage', `There is no stack ${stack}.`, { cause, advice });
  });
  const values = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  return (key: string): string => {
    const value = values.get(key);
    if (value !== undefined) return value;
    const advice = 'Name the stack of an AI log upload deployment, such as AiLogUpload-prod.';
    throw new Failure('usage', `Stack ${stack} has no output ${key}.`, { advice });
  };
}

/** Opens a deployment by the name of its stack. */
async function openStack(stack: string, { region, profile }: TargetOptions) {
  const settings = { ...(region && { region }), ...(profile && { profile }), ...timeouts };
  const output = await outputsOf(stack, settings);
  const keyArn = output(outputs.credentialsKeyArn);
  const kms = new KMSClient(settings);
  const client = new DynamoDBClient(settings);
  return {
    client,
    opened: {
      name: stack,
      baseUrl: output(outputs.baseUrl),
      db: documents(client),
      tables: perTable((id) => output(outputs.tables[id])),
      seal: kmsSeal(kms, keyArn),
      decrypt: kmsDecrypt(kms, keyArn),
      who: async () => {
        const { Arn } = await new STSClient(settings).send(new GetCallerIdentityCommand({}));
        return Arn as string;
      },
    } satisfies Opened,
    close: async () => client.destroy(),
  };
}

/** Checks the options that select a target. @throws Failure if they select none, or contradict each other */
function checkOptions({ cwd }: Terminal, { local, stack, region, profile }: TargetOptions): void {
  if (local && stack) throw new Failure('usage', 'Give either --local or --stack, not both.');
  if (stack) return;
  if (region || profile) {
    throw new Failure('usage', '--region and --profile belong to a deployment.', {
      advice: 'Give --stack NAME too.',
    });
  }
  if (!local && !existsSync(join(cwd(), LOCAL_FOLDER))) {
    const advice = 'Give --stack NAME for a deployment, or run npm start once: then --local is the default.';
    throw new Failure('usage', 'No target given.', { advice });
  }
}

/**
 * Opens the target that the options select, runs the work, and closes the target. An engine that was started for the
 * command is always stopped, even after an error.
 * @throws Failure if the options select no target, or contradict each other
 */
export async function withTarget(
  terminal: Terminal,
  options: TargetOptions,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  checkOptions(terminal, options);
  const { stop, uninterrupted } = watchInterruption(terminal.signal);
  const opening = options.stack ? Promise.race([openStack(options.stack, options), stop]) : openLocal(terminal);
  const { client, opened, close } = await opening;
  try {
    const now = createClock(terminal, opened, serverClockOf(client));
    await Promise.race([work({ ...opened, now, uninterrupted }), stop]);
  } finally {
    await close();
  }
}
