import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Decrypt, fileDecrypt, kmsDecrypt } from '../functions/auth/credentialStore.ts';
import { perTable, type TableId } from '../functions/tables.ts';
import { outputs } from '../infra/outputs.ts';
import { fileSeal, kmsSeal, type Seal } from './data/seal.ts';
import { KEY_FILE, LOCAL_FOLDER, localIdentity, localTables } from './local/data.ts';
import { type Engine, startEngine } from './local/engine.ts';
import { Failure } from './terminal/failure.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The options that select a target. */
interface TargetOptions {
  readonly local?: true | undefined;
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

/** The tables and the key that a command works on: those of a deployment or of the local run. */
export interface Target {
  readonly db: DynamoDBDocumentClient;
  /** Physical table names. */
  readonly tables: Readonly<Record<TableId, string>>;
  readonly seal: Seal;
  readonly decrypt: Decrypt;
  /** Returns the identity of the user, for the record of a change. */
  readonly who: () => Promise<string>;
}

/** Returns a document client. Undefined properties, such as a missing label, are not stored. */
const documents = (client: DynamoDBClient) =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/**
 * Opens the local data in the engine at `DYNAMODB_ENDPOINT`, in the one that `npm start` runs, or in one for this
 * command.
 */
async function openLocal({ cwd, env }: Terminal): Promise<{ target: Target; close: () => Promise<void> }> {
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
  const client = new DynamoDBClient({ endpoint: engine.endpoint, ...localIdentity });
  return {
    target: {
      db: documents(client),
      tables: localTables,
      seal: fileSeal(keyFile),
      decrypt: fileDecrypt(keyFile),
      who: async () => `local:${userInfo().username}`,
    },
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
async function openStack(stack: string, { region, profile }: TargetOptions): Promise<Target> {
  const settings = { ...(region && { region }), ...(profile && { profile }) };
  const output = await outputsOf(stack, settings);
  const keyArn = output(outputs.credentialsKeyArn);
  const kms = new KMSClient(settings);
  return {
    db: documents(new DynamoDBClient(settings)),
    tables: perTable((id) => output(outputs.tables[id])),
    seal: kmsSeal(kms, keyArn),
    decrypt: kmsDecrypt(kms, keyArn),
    who: async () => {
      const { Arn } = await new STSClient(settings).send(new GetCallerIdentityCommand({}));
      return Arn as string;
    },
  };
}

/** Returns a promise that rejects when the user interrupts the command. */
const interrupted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const stop = () => reject(new Failure('interrupted', 'Interrupted.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });

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
  const { local, stack, region, profile } = options;
  if (local && stack) throw new Failure('usage', 'Give either --local or --stack, not both.');
  const stop = interrupted(terminal.signal);
  // The rejection may come before anything awaits the promise; it must not count as unhandled.
  stop.catch(() => {});
  if (stack) return Promise.race([openStack(stack, options).then(work), stop]);

  if (region || profile) {
    throw new Failure('usage', '--region and --profile belong to a deployment.', {
      advice: 'Give --stack NAME too.',
    });
  }
  if (!local && !existsSync(join(terminal.cwd(), LOCAL_FOLDER))) {
    const advice = 'Give --stack NAME for a deployment, or run npm start once: then --local is the default.';
    throw new Failure('usage', 'No target given.', { advice });
  }
  const { target, close } = await openLocal(terminal);
  try {
    await Promise.race([work(target), stop]);
  } finally {
    await close();
  }
}
