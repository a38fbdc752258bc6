import { resolve } from 'node:path';
import { policyOption, readPolicy } from '../../proof/evidence/readPolicy.ts';
import { copyLog } from '../../proof/inclusion/copyLog.ts';
import { onPublicLog } from '../../proof/inclusion/publicFiles.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';

export default defineCommand({
  words: 'tlog copy',
  for: 'Operators and auditors',
  summary: 'Copy a public transparency log into a folder.',
  details:
    'The copy has the newest checkpoint, and all entries and hashes under it; "tlog audit --log" audits it. A later run copies what is new, and an interrupted one goes on. No file of the log is overwritten, and the checkpoint only by one that continues it.',
  examples: [
    ['tlog copy https://tlog.example.org log-copy', 'copy the log, or what it has gained since the last copy'],
  ],
  args: {
    url: { name: '<url>', help: 'the URL of the log' },
    folder: { name: '<folder>', help: 'the folder of the copy, which is created' },
  },
  options: { policyFile: policyOption },
  on: onPublicLog,
  async run({ url, folder, policyFile }, { terminal }) {
    const { policy } = readPolicy(terminal, policyFile);
    return { ...(await copyLog(terminal, url, resolve(terminal.cwd(), folder), policy)), folder };
  },
  shows: ({ url, size, before, copied, kept, folder }) => {
    const grown = before === undefined ? '' : `, ${size - before} more than in the copy before`;
    return [`${url} has ${size} entries${grown}. Copied ${copied} files to ${folder}; ${kept} were there already.`];
  },
});
