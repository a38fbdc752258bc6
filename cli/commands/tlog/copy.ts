import { resolve } from 'node:path';
import { readPolicy } from '../../proof/evidence/readPolicy.ts';
import { copyLog } from '../../proof/inclusion/copyLog.ts';
import { command } from '../../shell/terminal/command.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';

export default (terminal: Terminal) =>
  command('copy', {
    summary: `Copy a public transparency log into a folder: the newest checkpoint, and all entries and hashes under it. "tlog audit --log" audits the copy.
A later run copies what is new, and an interrupted one goes on. No file of the log is overwritten, and the checkpoint only by one that continues it.`,
    examples: [
      ['tlog copy https://tlog.example.org log-copy', 'copy the log, or what it has gained since the last copy'],
    ],
  })
    .argument('<url>', 'the URL of the log')
    .argument('<folder>', 'the folder of the copy, which is created')
    .option('--policy <file>', 'the trust policy: the keys of the log, and its witnesses (default: tlog.policy)')
    .action(async (url, folder, { policy: policyFile, json }) => {
      const { policy } = readPolicy(terminal, policyFile);
      const copy = await copyLog(terminal, url, resolve(terminal.cwd(), folder), policy);
      if (json) return await terminal.json({ ...copy, folder });
      const { size, before, copied, kept } = copy;
      const grown = before === undefined ? '' : `, ${size - before} more than in the copy before`;
      await terminal.print(
        `${copy.url} has ${size} entries${grown}. Copied ${copied} files to ${folder}; ${kept} were there already.`,
      );
    });
