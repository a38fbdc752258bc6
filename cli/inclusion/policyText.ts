import { parsePolicy } from '../../functions/c2sp/policy.ts';

/** The line kinds of a policy that define witnesses and their quorum. */
const WITNESSING = /^[ \t]*(witness|group|quorum)[ \t]/;

/**
 * Returns the trust policy of a log: what somebody needs to verify its receipts, proofs and checkpoints. Receipt keys
 * are `log` lines too, with the name `<origin>/receipts`. Source: C2SP tlog-policy, "Policy file syntax and structure".
 * @param log `keys`: the verifier keys of checkpoints and receipts, as text; `witnesses`: the policy that names the
 * witnesses of the log. Without one, no cosignature is required.
 * @throws Error if a key or the witnesses' policy is not valid
 */
export function policyText({
  keys,
  witnesses = 'quorum none\n',
}: {
  readonly keys: readonly string[];
  readonly witnesses?: string | undefined;
}): string {
  const witnessing = witnesses.split('\n').filter((line) => WITNESSING.test(line));
  const text = `${[...keys.map((key) => `log ${key}`), ...witnessing].join('\n')}\n`;
  parsePolicy(text);
  return text;
}
