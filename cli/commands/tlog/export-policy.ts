import { resolve } from 'node:path';
import { readPolicy } from '../../proof/evidence/readPolicy.ts';
import { ownPolicy, requireOwnLog } from '../../proof/log/ownLog.ts';
import { requireNoFile, writeNew } from '../../shell/files/write.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { onTarget } from '../../store/targets/target.ts';

export default defineCommand({
  words: 'tlog export-policy',
  for: 'Operators and auditors',
  summary: 'Print the trust policy, which verifies receipts and proofs.',
  details: `It has the public keys of the log, its witnesses and their quorum, as a C2SP tlog-policy. Publish it where teams
find it, outside this service. The exit code is 1 if the log has a receipt key that its checkpoint keys did not sign.`,
  examples: [
    ['tlog export-policy -o tlog.policy', 'write it to a file'],
    ['tlog export-policy --stack AiLogUpload-prod', 'print it'],
    ['tlog export-policy --keep tlog.policy -o new.policy', 'after a rotation of the checkpoint key'],
  ],
  options: {
    output: { flags: '-o, --output <file>', help: 'write to a new file instead of stdout' },
    keep: {
      flags: '--keep <policy>',
      help: 'keep the log keys of this earlier policy: they verify what was signed before a rotation',
    },
  },
  on: onTarget,
  async run({ output, keep }, { target, terminal, remark }) {
    const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
    if (path !== undefined) requireNoFile([path]);
    const { checkpoint } = await requireOwnLog(target);
    const earlier = keep === undefined ? undefined : readPolicy(terminal, keep).policy;
    const { policyText, keyProblems } = await ownPolicy(target, earlier);
    for (const problem of keyProblems) remark(problem);
    if (keyProblems.length > 0) terminal.reportNegative();
    if (path === undefined) return { origin: checkpoint.origin, policy: policyText };
    writeNew([{ path, text: policyText }]);
    remark(`Written to ${output}. Compare the keys with an earlier policy before you publish a new one.`);
    return { origin: checkpoint.origin, file: output };
  },
  shows: ({ policy }) => (policy === undefined ? [] : policy.trimEnd().split('\n')),
});
