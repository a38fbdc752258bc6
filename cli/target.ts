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
import { anyone, KEY_FILE, LOCAL_FOLDER, localTables } from './local/data.ts';
import { type Engine, startEngine } from './local/engine.ts';
import { Failure } from './terminal/failure.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Where a command acts, as its options say. */
interface TargetOptions {
  readonly local?: true | undefined;
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

/** The tables and the key of a deployment, or of the local run. */
export interface Target {
  readonly db: DynamoDBDocumentClient;
  /** Physical table names. */
  readonly tables: Readonly<Record<TableId, string>>;
  readonly seal: Seal;
  readonly decrypt: Decrypt;
  /** Who acts, for the record of a change. */
  readonly who: () => Promise<string>;
}

/** The same for all clients: lists of tags, labels and the like may hold undefined, which is not stored. */
const documents = (client: DynamoDBClient) =>
  DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/** The local data: in the engine that `npm start` runs, in the one that a variable names, or in one for this command. */
async function openLocal({ cwd, env }: Terminal): Promise<{ target: Target; close: () => Promise<void> }> {
  const folder = join(cwd(), LOCAL_FOLDER);
  const keyFile = join(cwd(), KEY_FILE);
  if (!existsSync(keyFile)) {
    throw new Failure('usage', `There is no local data in ${folder}.`, { advice: 'Run npm start once to make it.' });
  }
  const given = env.AWS_ENDPOINT_URL_DYNAMODB ?? env.DYNAMODB_ENDPOINT;
  const engine: Engine = given
    ? { endpoint: given, stop: async () => {} }
    : await startEngine(folder).catch((cause) => {
        throw new Failure('unreachable', (cause as Error).message, { cause });
      });
  const client = new DynamoDBClient({ endpoint: engine.endpoint, ...anyone });
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

/** The outputs of a stack by their keys. @throws Failure where it does not exist, or is not one of ours */
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

/** A deployment, by the name of its stack. */
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

/** Rejects when the user wants to stop. */
const interrupted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    const stop = () => reject(new Failure('interrupted', 'Interrupted.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });

/**
 * Opens the target that the options name, works there, and leaves it as it was: an engine that was started for the
 * command ends with it, however it ends.
 * @throws Failure where the options do not say where to act
 */
export async function withTarget(
  terminal: Terminal,
  options: TargetOptions,
  work: (target: Target) => Promise<void>,
): Promise<void> {
  const { local, stack, region, profile } = options;
  if (local && stack) throw new Failure('usage', 'Give either --local or --stack, not both.');
  const stop = interrupted(terminal.signal);
  // It may come before anything waits for it.
  stop.catch(() => {});
  if (stack) return Promise.race([openStack(stack, options).then(work), stop]);

  if (region || profile) {
    throw new Failure('usage', '--region and --profile belong to a deployment.', {
      advice: 'Give --stack NAME too.',
    });
  }
  if (!local && !existsSync(join(terminal.cwd(), LOCAL_FOLDER))) {
    const advice = 'Give --stack NAME for a deployment; or run npm start once, then --local is the default.';
    throw new Failure('usage', 'It is not said where to act.', { advice });
  }
  const { target, close } = await openLocal(terminal);
  try {
    await Promise.race([work(target), stop]);
  } finally {
    await close();
  }
}
