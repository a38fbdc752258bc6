import { resolve } from 'node:path';
import { requirePublishedLog } from '../../proof/inclusion/publishedLog.ts';
import { askAboutKey, laterReceiptKeys } from '../../proof/inclusion/trustedKeys.ts';
import { requireNoFile, writeNew } from '../../shell/files/write.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('export-policy', {
    summary:
      'Print the policy that verifies receipts and proofs: the public keys of the log, its witnesses and their quorum, as a C2SP tlog-policy. Publish it where teams find it, outside this service. The exit code is 1 if the head has a key that is not one of the log.',
    examples: [
      ['tlog export-policy -o tlog.policy', 'write it to a file'],
      ['tlog export-policy --stack AiLogUpload-prod', 'print it'],
    ],
  })
    .option('-o, --output <file>', 'write to a new file instead of stdout')
    .action(async ({ output, json, ...where }) => {
      const path = output === undefined ? undefined : resolve(terminal.cwd(), output);
      if (path !== undefined) requireNoFile([path]);
      await withTarget(terminal, where, async (target) => {
        const { origin, policyText: text, policy, trusted, files, keyProblems } = await requirePublishedLog(target);
        const later = await laterReceiptKeys(trusted, files, policy);
        for (const sentence of [...later.map(askAboutKey), ...keyProblems]) terminal.note(sentence);
        if (keyProblems.length > 0) terminal.reportNegative();
        if (path !== undefined) writeNew([{ path, text }]);
        if (json) {
          const written = output === undefined ? { policy: text } : { file: output };
          return terminal.json({ origin, ...written, laterReceiptKeys: later });
        }
        if (output === undefined) return terminal.write(text);
        terminal.note(`Written to ${output}. Compare the keys with an earlier policy before you publish a new one.`);
      });
    });
