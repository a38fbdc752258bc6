/**
 * A reviewer in a process of its own. `node verdictRacer.ts FOLDER ROUNDS UID` waits for `FOLDER/go`, and then gives
 * that many verdicts about a team. AILOG_REVIEWER names the reviewer.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../../setup/commandLine.ts';

const [folder = '', rounds, uid = ''] = process.argv.slice(2);
console.log('ready');
while (!existsSync(join(folder, 'go')));
for (let round = 0; round < Number(rounds); round += 1) {
  const args = ['reviews', 'add', uid, 'looked-at', '--text', `round ${round}`, '--json'];
  const { stdout, stderr } = await runCommand(args, { cwd: folder, env: process.env });
  console.log(stdout.replaceAll('\n', '') || stderr);
}
