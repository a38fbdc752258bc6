import {
  GetRolePolicyCommand,
  IAMClient,
  ListRolePoliciesCommand,
  ListRolesCommand,
  PutRolePolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { Emulator } from './emulator.ts';

export type Statement = Readonly<{ Action: string | string[]; Condition?: unknown }>;

/** Opens a deployed role with its only policy. @param part a part of its name */
export async function openRole({ client }: Emulator, part: string) {
  const iam = new IAMClient(client);
  const { Roles = [] } = await iam.send(new ListRolesCommand());
  const { RoleName, Arn } = Roles.find(({ RoleName: name }) => name?.includes(part)) ?? {};
  const { PolicyNames } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
  const PolicyName = PolicyNames?.[0];
  const { PolicyDocument } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
  const statements: Statement[] = JSON.parse(decodeURIComponent(PolicyDocument as string)).Statement;

  return {
    statements,

    /** Replaces the statements of the policy. */
    put: (changed: readonly Statement[]) =>
      iam.send(
        new PutRolePolicyCommand({
          RoleName,
          PolicyName,
          PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: changed }),
        }),
      ),

    /**
     * Returns the options of an SDK client that has the role. Only Lambda may assume it, so this allows the root user
     * of the account too. The permissions of the role do not change.
     */
    async assume() {
      const trust = { Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::000000000000:root' }, Action: 'sts:AssumeRole' };
      await iam.send(
        new UpdateAssumeRolePolicyCommand({
          RoleName,
          PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [trust] }),
        }),
      );
      const { Credentials } = await new STSClient(client).send(
        new AssumeRoleCommand({ RoleArn: Arn, RoleSessionName: 'test' }),
      );
      const credentials = {
        accessKeyId: Credentials?.AccessKeyId as string,
        secretAccessKey: Credentials?.SecretAccessKey as string,
        sessionToken: Credentials?.SessionToken as string,
      };
      return { ...client, credentials };
    },
  };
}

export const withoutAction = (statements: readonly Statement[], action: string): Statement[] =>
  statements
    .map((statement) => ({ ...statement, Action: [statement.Action].flat().filter((one) => one !== action) }))
    .filter(({ Action }) => Action.length > 0);
