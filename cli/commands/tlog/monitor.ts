import { resolve } from 'node:path';
import type { Policy } from '../../../functions/c2sp/policy.ts';
import { policyOption, readPolicy } from '../../proof/evidence/readPolicy.ts';
import { type Look, lookAtLog } from '../../proof/inclusion/followLog.ts';
import { onPublicLog, type PublicFiles } from '../../proof/inclusion/publicFiles.ts';
import { span, texts } from '../../shell/terminal/arguments.ts';
import { defineTerminalCommand } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { pause } from '../../shell/terminal/signals.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatTime } from '../../shell/text/time.ts';

const LEAST_PAUSE_MS = 10_000;

/** @returns what a look found, and a line about it for people */
function describeLook({ url, size, before, publishedAt, problems, late, contradiction, evidence }: Look) {
  if (contradiction !== undefined) {
    const kept = `Both checkpoints are kept: ${evidence.join(', ')}`;
    return ['wrong', `CONTRADICTION ${url}: ${contradiction}. ${kept}`] as const;
  }
  if (problems.length > 0) return ['wrong', `PROBLEM ${url}: ${problems.join('; ')}`] as const;
  if (late.length > 0) {
    const more = late.length > 1 ? `, and ${late.length - 1} more times` : '';
    const list = 'late.txt in --state lists what it promised with receipts and kept late';
    return ['late', `LATE ${url}: ${late.at(-1)}${more}, as its hints say. ${list}`] as const;
  }
  const grown = before === undefined ? 'first look' : `${size - before} new`;
  const published = formatTime(Date.parse(publishedAt as string));
  return ['ok', `ok ${url}: ${size} entries, ${grown}, published ${published}`] as const;
}

async function showLook(terminal: Terminal, look: Look, json: boolean): Promise<void> {
  const [found, text] = describeLook(look);
  const line = `${formatTime(Date.now())} ${text}`;
  const ok = found === 'ok';
  if (json) await terminal.write(`${JSON.stringify({ at: new Date().toISOString(), ok, ...look })}\n`);
  else if (ok) await terminal.print(line);
  if (ok) return;
  if (found === 'late') terminal.reportBroken();
  else terminal.reportNegative();
  terminal.note(line);
}

/** A public log, and the folder that keeps what was seen of it. */
type Followed = Readonly<{ files: PublicFiles; state: string }>;

interface MonitorOptions {
  readonly policy: Policy;
  /** The time between two looks in milliseconds; undefined: one look. */
  readonly every: number | undefined;
  readonly json: boolean;
}

/** Looks at each log once. @returns whether one contradicts what was seen, and why others do not answer */
async function lookAtAll(terminal: Terminal, logs: readonly Followed[], { policy, json }: MonitorOptions) {
  const unreachable: Failure[] = [];
  let isContradicted = false;
  for (const { files, state } of logs) {
    try {
      const look = await lookAtLog(files, { policy, state, signal: terminal.signal });
      await showLook(terminal, look, json);
      isContradicted ||= look.contradiction !== undefined;
    } catch (error) {
      if (!(error instanceof Failure && error.outcome === 'unreachable')) throw error;
      unreachable.push(error);
    }
  }
  return { isContradicted, unreachable };
}

async function monitor(terminal: Terminal, logs: readonly Followed[], options: MonitorOptions): Promise<void> {
  const { every } = options;
  for (;;) {
    const { isContradicted, unreachable } = await lookAtAll(terminal, logs, options);
    // If nothing is wrong with the others, this is the result of the only look.
    const [last] = every === undefined && terminal.exitCode === 0 ? unreachable.splice(-1) : [];
    for (const { message } of unreachable) terminal.note(`${formatTime(Date.now())} UNREACHABLE ${message}`);
    if (last) throw last;
    // A fork stays one, and somebody must see it.
    if (isContradicted || every === undefined) return;
    // The others may answer at the next look.
    await pause(terminal.signal, every);
  }
}

export default defineTerminalCommand({
  words: 'tlog monitor',
  for: 'Operators and auditors',
  summary: 'Follow a public transparency log, without AWS and the project.',
  details:
    'It says whether the log only grows, is signed and cosigned, and does not stand still. An ordinary line goes to stdout, a problem to stderr. The exit code is 0 if all is well, 1 if something is wrong with the log, 6 if entries came into it late, and 4 if it does not answer.',
  examples: [
    ['tlog monitor https://tlog.example.org --state seen', 'look once, as a cron job does'],
    ['tlog monitor https://tlog.example.org --state seen --every 10m', 'look until Ctrl-C, or a fork'],
    ['tlog monitor https://one.example https://two.example --state one --state two', 'the logs of two regions'],
  ],
  args: { given: { name: '<url...>', help: 'the URLs of the logs' } },
  options: {
    state: {
      flags: '--state <folder>',
      help: 'where every checkpoint is kept that was seen; created at the first look; one for each URL, in their order',
      read: texts,
      required: true,
    },
    policyFile: policyOption,
    every: { flags: '--every <span>', help: 'look again and again, with this time in between: 10m', read: span },
  },
  on: onPublicLog,
  async run({ given, state, policyFile, every, json }, { openLog, terminal }) {
    if (every !== undefined && every < LEAST_PAUSE_MS) {
      throw new Failure('usage', `--every must be at least ${LEAST_PAUSE_MS / 1000}s.`, { advice: 'Give 10m.' });
    }
    const states = new Set(state.map((folder) => resolve(terminal.cwd(), folder)));
    if (states.size !== given.length) {
      const advice = 'Give each log a folder of its own, in the order of the URLs: --state one --state two.';
      throw new Failure('usage', `${given.length} URLs need as many folders, and --state names ${states.size}.`, {
        advice,
      });
    }
    const sources = given.map(openLog);
    const { policy } = readPolicy(terminal, policyFile);
    const logs = [...states].map((folder, at) => ({ files: sources[at] as PublicFiles, state: folder }));
    await monitor(terminal, logs, { policy, every, json });
  },
});
