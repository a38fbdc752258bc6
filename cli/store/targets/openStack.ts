import { homedir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetPublicKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { kmsDecrypt } from '../../../functions/auth/credentialStore.ts';
import { rawPublicKey } from '../../../functions/c2sp/ed25519.ts';
import { verifierKey } from '../../../functions/c2sp/verifierKey.ts';
import { outputs, readOutputParts } from '../../../infra/outputs.ts';
import { perTable } from '../../../infra/tables.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import {
  type Account,
  type ClientSettings,
  clientSettings,
  documents,
  type OpenedTarget,
  unlogged,
} from './openedTarget.ts';
import { kmsSeal } from './seal.ts';

/** Reads the outputs of a stack. @returns a lookup by key @throws Failure if there is no such stack or output */
async function outputsOf(stack: string, settings: ClientSettings) {
  const client = new CloudFormationClient(settings);
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((cause) => {
    if (!/does not exist/.test(cause.message)) throw cause;
    const advice = 'Check its name, --region and --profile; npx cdk list prints the names.';
    throw new Failure('usage', `There is no stack ${stack}.`, { cause, advice });
  });
  const values = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const required = (key: string): string => {
    const value = values.get(key);
    if (value !== undefined) return value;
    const advice =
      'Name the stack of an AI log upload deployment, such as AiLogUpload-prod. If it is one, deploy this version.';
    throw new Failure('usage', `Stack ${stack} has no output ${key}.`, { advice });
  };
  return Object.assign(required, { optional: (key: string): string | undefined => values.get(key) });
}

/** Returns the folder for the feature rows of a stack, in no project. Source: XDG Base Directory Specification. */
function rowsFolderOf(env: NodeJS.ProcessEnv, stack: string, keyArn: string): string {
  const [, , , region, account] = keyArn.split(':');
  const data = env.XDG_DATA_HOME || env.LOCALAPPDATA || join(homedir(), '.local', 'share');
  return join(data, 'ailog', `${stack}.${region}.${account}`);
}

/** Opens a deployment by the name of its stack. */
export async function openStack({ env }: Pick<Terminal, 'env'>, stack: string, account: Account) {
  const settings = clientSettings(account);
  const output = await outputsOf(stack, settings);
  const keyArn = output(outputs.credentialsKeyArn);
  const witnesses = readOutputParts(outputs.witnesses, output.optional);
  const kms = new KMSClient(settings);
  const client = new DynamoDBClient({ ...settings, ...unlogged });
  const caller = async () => {
    const { Arn, UserId } = await new STSClient(settings).send(new GetCallerIdentityCommand({}));
    return { id: UserId as string, arn: Arn as string };
  };
  return {
    client,
    opened: {
      name: stack,
      baseUrl: output(outputs.baseUrl),
      tlogUrl: output.optional(outputs.tlogUrl),
      deployed: {
        settings: JSON.parse(readOutputParts(outputs.settings, output.optional) ?? '{}') as Record<string, string>,
        witnesses,
      },
      db: documents(client),
      tables: perTable((id) => output(outputs.tables[id])),
      seal: kmsSeal(kms, keyArn),
      decrypt: kmsDecrypt(kms, keyArn),
      rowsFolder: rowsFolderOf(env, stack, keyArn),
      who: async () => (await caller()).arn,
      caller,
      openRows: async () => {
        const database = output.optional(outputs.analytics.database);
        if (database === undefined) return undefined;
        const { S3Client } = await import('@aws-sdk/client-s3');
        const { rowBucket } = await import('../../../functions/indexer/rowBucket.ts');
        const bucket = output(outputs.analytics.bucket);
        const files = rowBucket(new S3Client(settings), bucket);
        return { files, bucket, database, workgroup: output(outputs.analytics.workgroup), settings };
      },
      openTlog: async () => {
        const { S3Client } = await import('@aws-sdk/client-s3');
        const { bucketFiles } = await import('./bucketFiles.ts');
        const origin = output(outputs.tlogOrigin);
        return {
          origin,
          files: bucketFiles(new S3Client(settings), output(outputs.tlogBucket), origin),
          witnesses,
          checkpointKeys: async () => {
            const arns = output(outputs.checkpointKeyArns).split(',');
            const found = await Promise.all(arns.map((KeyId) => kms.send(new GetPublicKeyCommand({ KeyId }))));
            return found.map(({ PublicKey }) => verifierKey(origin, rawPublicKey(PublicKey as Uint8Array)));
          },
        };
      },
    } satisfies OpenedTarget,
    close: async () => client.destroy(),
  };
}
