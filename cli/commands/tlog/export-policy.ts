import { resolve } from 'node:path';
import { requirePublishedLog } from '../../proof/inclusion/publishedLog.ts';
import { askAboutKey, laterReceiptKeys } from '../../proof/inclusion/trustedKeys.ts';
import { requireNoFile, writeNew } from '../../shell/files/write.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { onTarget } from '../../store/targets/target.ts';

export default defineCommand({
  words: 'tlog export-policy',
  for: 'Operators and auditors',
  summary: 'Print the policy that verifies receipts and proofs.',
  details:
    'It has the public keys of the log, its witnesses and their quorum, as a C2SP tlog-policy. Publish it where teams find it, outside this service. The exit code is 1 if the head has a key that is not one of the log.',
  examples: [
    ['tlog export-policy -o tlog.policy', 'write it to a file'],
    ['tlog export-policy --stack AiLogUpload-prod', 'print it'],
  ],
  options: { output: { flags: '-o, --output <file>', help: 'write to a new file instead of stdout' } },
  on: onTarget,
  async run({ output }, { target, terminal }) {
    const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
    if (path !== undefined) requireNoFile([path]);
    const { origin, policyText: text, policy, trusted, files, keyProblems } = await requirePublishedLog(target);
    const later = await laterReceiptKeys(trusted, files, policy);
    for (const sentence of [...later.map(askAboutKey), ...keyProblems]) terminal.note(sentence);
    if (keyProblems.length > 0) terminal.reportNegative();
    if (path !== undefined) writeNew([{ path, text }]);
    const written = output === undefined ? { policy: text } : { file: output };
    return { text, described: { origin, ...written, laterReceiptKeys: later } };
  },
  json: ({ described }) => described,
  shows: ({ text }, { output }) => [
    output === undefined
      ? { text }
      : { note: `Written to ${output}. Compare the keys with an earlier policy before you publish a new one.` },
  ],
});
