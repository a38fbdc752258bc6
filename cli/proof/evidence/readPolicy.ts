import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Policy, parsePolicy } from '../../../functions/c2sp/policy.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { localPaths } from '../../store/targets/data.ts';
import { readSmallFile, type SmallFile, textOf } from './smallFile.ts';

/** The names of a policy in the working directory: that of the organisers, then that of the local run. */
const DEFAULT_FILES = ['tlog.policy', localPaths.policy];

const ADVICE =
  'Get the policy from the organisers (ailog tlog export-policy), and give it: --policy FILE. A file tlog.policy in this folder is used by default.';

/** The option of the commands that trust a policy, which read it with `readPolicy`. */
export const policyOption = {
  flags: '--policy <file>',
  help: 'the trust policy: the keys of the log, and its witnesses (default: tlog.policy)',
} as const;

/** Returns the trust policy in a file. @throws Failure if it is none, or if it trusts nothing */
function policyOf(file: SmallFile): Policy {
  let policy: Policy;
  try {
    policy = parsePolicy(textOf(file));
  } catch (cause) {
    const message = (cause as Error).message.replace(/\.$/, '');
    throw new Failure('usage', `${file.path} is not a trust policy: ${message}.`, { advice: ADVICE, cause });
  }
  if (policy.logs.length > 0) return policy;
  throw new Failure('usage', `${file.path} names no log, so it trusts nothing.`, { advice: ADVICE });
}

/** Reads the trust policy. @param given `--policy` @throws Failure if there is none, or if it is not valid */
export function readPolicy(
  { cwd }: Pick<Surroundings, 'cwd'>,
  given: string | undefined,
): { policy: Policy; path: string } {
  const file = given ?? DEFAULT_FILES.find((name) => existsSync(resolve(cwd(), name)));
  if (file === undefined) throw new Failure('usage', 'There is no trust policy.', { advice: ADVICE });
  const path = resolve(cwd(), file);
  return { policy: policyOf(readSmallFile(path)), path };
}
