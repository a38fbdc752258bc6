import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { parseVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { receiptKeyName } from '../../functions/tlog/tlogTable.ts';

/** The line kinds of a policy that define witnesses and their quorum. */
const WITNESSING = /^[ \t]*(witness|group|quorum)[ \t]/;

/**
 * Returns the trust policy of a log: what somebody needs to verify its receipts, proofs and checkpoints. By C2SP, every
 * key in a `log` line makes a tree valid. So the keys of receipts are in comments, `# receipts <verifier key>`. Source:
 * C2SP tlog-policy, "Policy file syntax and structure".
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
  const isOfReceipts = (key: string) => parseVerifierKey(key).name.endsWith(receiptKeyName(''));
  const lines = keys.map((key) => `${isOfReceipts(key) ? '# receipts' : 'log'} ${key}`);
  const witnessing = witnesses.split('\n').filter((line) => WITNESSING.test(line));
  const text = `${[...lines, ...witnessing].join('\n')}\n`;
  parsePolicy(text);
  return text;
}
