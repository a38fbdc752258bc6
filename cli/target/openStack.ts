import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { kmsDecrypt } from '../../functions/auth/credentialStore.ts';
import { kmsDecryptReceiptKey } from '../../functions/receipts/receiptKeys.ts';
import { perTable } from '../../functions/tables.ts';
import { outputs } from '../../infra/outputs.ts';
import { Failure } from '../terminal/failure.ts';
import { documents, type OpenedTarget, timeouts } from './openedTarget.ts';
import { kmsSeal } from './seal.ts';

/** The lag of the sequencer and the pause of its schedule, and time to write: 99 of 100 uploads are in the log then. */
const STACK_DELAY_MS = 100_000;

/** The region and profile of a deployment; undefined: those of the environment. */
interface Account {
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
}

/**
 * Reads the outputs of a stack and returns a lookup by key, which throws a Failure if the stack has no such output.
 * @throws Failure if the stack does not exist
 */
async function outputsOf(stack: string, settings: { region?: string; profile?: string }) {
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
    const advice = 'Name the stack of an AI log upload deployment, such as AiLogUpload-prod.';
    throw new Failure('usage', `Stack ${stack} has no output ${key}.`, { advice });
  };
  return Object.assign(required, { optional: (key: string): string | undefined => values.get(key) });
}

/** Opens a deployment by the name of its stack. */
export async function openStack(stack: string, { region, profile }: Account) {
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
      openTlog: async () => {
        const [{ S3Client }, { bucketFiles }] = await Promise.all([
          import('@aws-sdk/client-s3'),
          import('./tlogFiles.ts'),
        ]);
        return {
          origin: output(outputs.tlogOrigin),
          files: bucketFiles(new S3Client(settings), output(outputs.tlogBucket)),
          witnesses: output.optional(outputs.witnesses),
          decryptReceiptKey: kmsDecryptReceiptKey(kms, undefined),
          usualDelay: STACK_DELAY_MS,
        };
      },
    } satisfies OpenedTarget,
    close: async () => client.destroy(),
  };
}
