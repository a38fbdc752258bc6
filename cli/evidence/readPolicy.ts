import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Policy, parsePolicy } from '../../functions/c2sp/policy.ts';
import { POLICY_FILE } from '../target/data.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readSmallFile, textOf } from './smallFile.ts';

/**
 * The names under which a policy is found in the working directory: that of the organisers, then that of the local run.
 */
const DEFAULT_FILES = ['tlog.policy', POLICY_FILE];

const ADVICE =
  'Get the policy from the organisers (ailog tlog export-policy), and give it: --policy FILE. A file tlog.policy in this folder is used by default.';

/**
 * Reads the trust policy by which evidence is verified.
 * @param given `--policy`
 * @throws Failure if there is none, or if it is not valid
 */
export function readPolicy({ cwd }: Terminal, given: string | undefined): { policy: Policy; path: string } {
  const file = given ?? DEFAULT_FILES.find((name) => existsSync(resolve(cwd(), name)));
  if (file === undefined) throw new Failure('usage', 'There is no trust policy.', { advice: ADVICE });
  const path = resolve(cwd(), file);
  let policy: Policy;
  try {
    policy = parsePolicy(textOf(readSmallFile(path)));
  } catch (cause) {
    if (cause instanceof Failure || (cause as NodeJS.ErrnoException).code) throw cause;
    const message = (cause as Error).message.replace(/\.$/, '');
    throw new Failure('usage', `${path} is not a trust policy: ${message}.`, { advice: ADVICE, cause });
  }
  if (policy.logs.length > 0) return { policy, path };
  throw new Failure('usage', `${path} names no log, so it trusts nothing.`, { advice: ADVICE });
}
