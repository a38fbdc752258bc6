import {
  GetRolePolicyCommand,
  type IAMClient,
  ListRolePoliciesCommand,
  ListRolesCommand,
  PutRolePolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { Emulator } from './emulator.ts';

/** A statement of a role's policy. */
export interface Statement {
  readonly Action: string | string[];
  readonly Condition?: unknown;
}
