import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeLimitsCommand, DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { GenerateDataKeyPairWithoutPlaintextCommand, KMSClient, NotFoundException } from '@aws-sdk/client-kms';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Settings } from '../../../infra/settings.ts';
import { writesTaken } from '../../../infra/storage/warmThroughput.ts';
import { failureOf } from '../../shell/terminal/failure.ts';
import { type Health, health } from './health.ts';
import type { ClientSettings } from './openedTarget.ts';

/** The stack that `cdk bootstrap` makes. Source: CDK guide, "Bootstrap your environment". */
const BOOTSTRAP = 'CDKToolkit';

/** No key has this alias, so a request with it creates nothing. */
const NO_KEY = 'alias/ailog-asks-whether-the-region-knows-this-kind-of-key';

/** Reads whether an account and region are ready for the first deployment of a stage. It creates nothing. */
export async function readAccount(settings: Settings, client: ClientSettings): Promise<Health[]> {
  const formation = new CloudFormationClient(client);
  const dynamodb = new DynamoDBClient(client);
  const stackName = `AiLogUpload-${settings.stage}`;
  const statusOf = async (StackName: string) => {
    const { Stacks } = await formation.send(new DescribeStacksCommand({ StackName })).catch((error) => {
      if (/does not exist/.test(error.message)) return { Stacks: [] };
      throw error;
    });
    return Stacks?.[0]?.StackStatus;
  };
  const checks: Record<string, () => Promise<Omit<Health, 'check'>>> = {
    account: async () => {
      const { Account, Arn } = await new STSClient(client).send(new GetCallerIdentityCommand({}));
      return { status: 'ok', says: `${Account} in ${await formation.config.region()}, as ${Arn}` };
    },
    bootstrap: async () =>
      (await statusOf(BOOTSTRAP))
        ? { status: 'ok', says: 'done' }
        : { status: 'failing', says: 'missing: run npx cdk bootstrap' },
    stack: async () => {
      const status = await statusOf(stackName);
      if (status) return { status: 'warning', says: `${stackName} exists: ${status}` };
      const names = (await Array.fromAsync(paginateListTables({ client: dynamodb }, {}))).flatMap(
        ({ TableNames = [] }) => TableNames,
      );
      const left = names.filter((name) => name.startsWith(`${stackName}-Tables`)).length;
      return left > 0
        ? { status: 'warning', says: `a deleted ${stackName} left ${left} tables: docs/runbook/deleted-stack.md` }
        : { status: 'ok', says: `${stackName} does not exist yet` };
    },
    executions: async () => {
      const { AccountLimit } = await new LambdaClient(client).send(new GetAccountSettingsCommand({}));
      const most = AccountLimit?.ConcurrentExecutions;
      return most === settings.accountConcurrency
        ? { status: 'ok', says: `${most} at once` }
        : { status: 'failing', says: `the account has ${most}: set accountConcurrency to that number` };
    },
    'write units': async () => {
      const { TableMaxWriteCapacityUnits: most = 0 } = await dynamodb.send(new DescribeLimitsCommand({}));
      const needed = writesTaken('aiLogs', settings.warmThroughput);
      return most >= needed
        ? { status: 'ok', says: `${most} a second for a table` }
        : { status: 'failing', says: `${most} a second for a table, and ${needed} are needed: request more` };
    },
    'Ed25519 keys': async () => {
      const request = new GenerateDataKeyPairWithoutPlaintextCommand({
        KeyId: NO_KEY,
        KeyPairSpec: 'ECC_NIST_EDWARDS25519',
      });
      const error = await new KMSClient(client).send(request).catch((error) => error);
      // KMS checks the kind of key before it looks for the alias.
      if (error instanceof NotFoundException) return { status: 'ok', says: 'KMS of the region knows them' };
      if (error.name === 'ValidationException') {
        return { status: 'failing', says: 'KMS of the region does not know them: choose another region' };
      }
      throw error;
    },
    'alarm mail': async () =>
      settings.alarmEmail === undefined
        ? { status: 'warning', says: 'nobody gets alarms: set alarmEmail' }
        : { status: 'ok', says: `${settings.alarmEmail} gets a link to confirm when the stack is there` },
  };
  return Promise.all(
    Object.entries(checks).map(async ([check, read]) => {
      const found = await read().catch((error): Omit<Health, 'check'> => {
        // Without credentials or a region, no check can be made.
        if (failureOf(error).outcome === 'usage') throw error;
        // Without an account, nothing is known.
        const status = check === 'account' ? 'failing' : 'warning';
        return { status, says: `unknown: ${error.name}: ${error.message}` };
      });
      return health(check, found.status, found.says);
    }),
  );
}
