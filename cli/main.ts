#!/usr/bin/env node
/**
 * `ailog`, the command line for people.
 *
 * How it is built, for whoever adds a command:
 * - One file for each command, in the folder of its group. It exports a function that takes the terminal and returns
 *   the command: `command(…)`, or `targetCommand(…)` where it works on tables (then `withTarget` opens and closes them).
 * - A command prints through the terminal: `table` or, with `--json`, `json` for the answer on stdout; `note` for
 *   everything else, on stderr. `progress`, `confirm` and `secret` know by themselves whether a person is there.
 * - It never exits. It returns, calls `terminal.reportNegative()`, or throws a `Failure` with the outcome, one sentence and
 *   what to do. Errors of files, network and AWS it lets pass: `failureOf` puts them into words.
 * - What it is given is read by the parsers in `arguments.ts`, which say what is wrong and what would be right.
 * - Secrets come from files, prompts or the environment (`credentials.ts`), never from arguments.
 */
import { inspect } from 'node:util';
import { type Command, CommanderError } from '@commander-js/extra-typings';
import { allowlistAdd } from './allowlist/add.ts';
import { allowlistDisqualify } from './allowlist/disqualify.ts';
import { allowlistImport } from './allowlist/import.ts';
import { allowlistList } from './allowlist/list.ts';
import { allowlistRemove } from './allowlist/remove.ts';
import { allowlistSuspend } from './allowlist/suspend.ts';
import { importKeys } from './keys/import.ts';
import { issueKeys } from './keys/issue.ts';
import { listKeys } from './keys/list.ts';
import { revokeKeys } from './keys/revoke.ts';
import { rotateKeys } from './keys/rotate.ts';
import { exportEntries } from './logs/export.ts';
import { listEntries } from './logs/list.ts';
import { showEntry } from './logs/show.ts';
import { verifyEntries } from './logs/verify.ts';
import { reportTeams } from './report/report.ts';
import { examineUploads } from './team/doctor.ts';
import { signLog } from './team/sign.ts';
import { uploadLogs } from './team/upload.ts';
import { group } from './terminal/command.ts';
import { exitCodes, failureOf } from './terminal/failure.ts';
import { createTerminal, type Host, type Terminal } from './terminal/terminal.ts';

/** The whole tree of commands. */
export function createProgram(terminal: Terminal): Command {
  return group('ailog', 'The command line of AI log upload: for admins, reviewers and teams.', [
    group('allowlist', 'Who may upload (admins).', [
      allowlistAdd(terminal),
      allowlistSuspend(terminal),
      allowlistDisqualify(terminal),
      allowlistRemove(terminal),
      allowlistList(terminal),
      allowlistImport(terminal),
    ]),
    group('keys', 'The API keys of teams (admins).', [
      issueKeys(terminal),
      importKeys(terminal),
      rotateKeys(terminal),
      revokeKeys(terminal),
      listKeys(terminal),
    ]),
    group('logs', 'Stored AI logs (reviewers).', [
      listEntries(terminal),
      showEntry(terminal),
      verifyEntries(terminal),
      exportEntries(terminal),
    ]),
    reportTeams(terminal),
    uploadLogs(terminal),
    signLog(terminal),
    examineUploads(terminal),
  ]);
}

/** Has a command, and all below it, write where the host says, and throw instead of exiting. */
function attach(command: Command, { stdout, stderr }: Host): void {
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: (.)/, (_match, first: string) => first.toUpperCase())),
      getOutHasColors: () => stdout.isTTY === true,
      getErrHasColors: () => stderr.isTTY === true,
    })
    .showHelpAfterError('--help shows how it is used.');
  for (const child of command.commands) attach(child as Command, { stdout, stderr } as Host);
}

/**
 * Runs one command line.
 * @param args without `node` and the script
 * @returns the exit code
 */
export async function run(args: readonly string[], host: Host): Promise<number> {
  const terminal = createTerminal(host);
  const program = createProgram(terminal);
  attach(program, host);
  try {
    await program.parseAsync(args, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    const failure = failureOf(error);
    terminal.fail(failure);
    if (args.includes('--debug')) {
      terminal.note(inspect(failure.cause ?? failure, { colors: false }));
    }
    return exitCodes[failure.outcome];
  }
}

if (import.meta.main) {
  const { env, stdin, stdout, stderr } = process;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
  // Whoever reads the output has read enough: `ailog logs list | head`.
  stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.internal),
  );
  const code = await run(process.argv.slice(2), { env, stdin, stdout, stderr, cwd: process.cwd, signal: stop.signal });
  process.exitCode = code;
  // What was interrupted may still wait for something.
  if (code === exitCodes.interrupted) process.exit();
}
