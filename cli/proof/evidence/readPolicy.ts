import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Policy, parsePolicy } from '../../../functions/c2sp/policy.ts';
import type { Surroundings } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { localPaths } from '../../store/targets/data.ts';
import { readSmallFile } from './smallFile.ts';

const DEFAULT_FILES = ['tlog.policy', localPaths.policy];

const ADVICE =
  'Get the policy from the organisers (ailog tlog export-policy), and give it: --policy FILE. A file tlog.policy in this folder is used by default.';

export const policyOption = {
  flags: '--policy <file>',
  help: 'the trust policy: the keys of the log, and its witnesses (default: tlog.policy)',
} as const;

function readText(path: string): string {
  const name = basename(path);
  const { bytes, isWhole } = readSmallFile(path);
  if (!isWhole) throw new Error(`${name} is larger than 1 MiB`);
  if (!isUtf8(bytes)) throw new Error(`${name} is not UTF-8`);
  const text = bytes.toString();
  if (text.startsWith('\ufeff')) throw new Error(`${name} begins with a byte-order mark: a program changed the file`);
  if (text.includes('\r')) throw new Error(`${name} has Windows line ends (CRLF): a program changed the file`);
  return text;
}

/** Reads the trust policy. @param given `--policy` @throws Failure if there is none, or if it is not valid */
export function readPolicy({ cwd }: Pick<Surroundings, 'cwd'>, given: string | undefined) {
  const file = given ?? DEFAULT_FILES.find((name) => existsSync(resolve(cwd(), name)));
  if (file === undefined) throw new Failure('usage', 'There is no trust policy.', { advice: ADVICE });
  const path = resolve(cwd(), file);
  let policy: Policy;
  try {
    policy = parsePolicy(readText(path));
  } catch (cause) {
    if (cause instanceof Failure || 'code' in (cause as Error)) throw cause;
    const message = (cause as Error).message.replace(/\.$/, '');
    throw new Failure('usage', `${path} is not a trust policy: ${message}.`, { advice: ADVICE, cause });
  }
  if (policy.logs.length > 0) return { policy, path };
  throw new Failure('usage', `${path} names no log, so it trusts nothing.`, { advice: ADVICE });
}
