import { resolve } from 'node:path';
import { policyOption, readPolicy } from '../../proof/evidence/readPolicy.ts';
import { follow, type Look } from '../../proof/log/follow.ts';
import { onPublicLog, publicFiles } from '../../proof/log/publicFiles.ts';
import { span } from '../../shell/terminal/arguments.ts';
import { defineTerminalCommand } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { pause } from '../../shell/terminal/signals.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatTime } from '../../shell/text/time.ts';

const LEAST_PAUSE_MS = 10_000;

async function showLook(terminal: Terminal, look: Look, json: boolean): Promise<void> {
  const { url, size, added, problems } = look;
  const at = new Date().toISOString();
  const ok = problems.length === 0;
  if (!ok) terminal.reportUnchecked();
  if (json) return terminal.write(`${JSON.stringify({ at, ok, ...look })}\n`);
  await terminal.print(`${formatTime(Date.parse(at))} ${ok ? 'ok' : 'NOT NEW'} ${url}: ${size} entries, ${added} new`);
  for (const problem of problems) terminal.note(`${url}: ${problem}.`);
}

export default defineTerminalCommand({
  words: 'tlog follow',
  for: 'Operators and auditors',
  summary: 'Copy a public transparency log, and check that it continues the copy.',
  details: `It needs no AWS. "tlog audit --log" checks the copy, "verify --log" looks entries up in it. A
later run copies what is new. The exit code is 1 if the log contradicts the copy, 5 if it is old or cosigned by too few
witnesses, and 4 if the URL does not answer as a log.`,
  examples: [
    ['tlog follow https://tlog.example.org/ailog copy', 'look once, as a cron job does'],
    ['tlog follow https://tlog.example.org/ailog copy --every 10m', 'look until Ctrl-C, or a contradiction'],
  ],
  args: {
    url: { name: '<url>', help: 'the URL of the log' },
    folder: { name: '<folder>', help: 'the folder of the copy, which is created' },
  },
  options: {
    policyFile: policyOption,
    every: { flags: '--every <span>', help: 'repeat, with this time in between: 10m', read: span },
  },
  on: onPublicLog,
  async run({ url, folder, policyFile, every, json }, { terminal }) {
    if (every !== undefined && every < LEAST_PAUSE_MS) {
      throw new Failure('usage', `--every must be at least ${LEAST_PAUSE_MS / 1000}s.`, { advice: 'Give 10m.' });
    }
    const source = publicFiles(url, terminal.signal);
    const { policy } = readPolicy(terminal, policyFile);
    for (;;) {
      try {
        await showLook(terminal, await follow(terminal, source, resolve(terminal.cwd(), folder), policy), json);
      } catch (error) {
        // The log may answer at the next look.
        if (every === undefined || !(error instanceof Failure && error.outcome === 'unreachable')) throw error;
        terminal.note(`${formatTime(Date.now())} ${error.message}`);
      }
      if (every === undefined) return;
      await pause(terminal.signal, every);
    }
  },
});
