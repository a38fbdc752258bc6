#!/usr/bin/env node
/**
 * The `ailog` command line.
 *
 * To add a command:
 * - Write one file for it in the folder of its group, and list it in `createProgram`. The file exports a function that
 *   takes the terminal and returns `command(…)`, or `targetCommand(…)` if the command works on tables. `withTarget` opens
 *   and closes the tables.
 * - Print through the terminal. The answer goes to stdout: `table` and `facts` for people, `json` with `--json`. Everything
 *   else goes to stderr through `note`. `progress`, `confirm` and `secret` check whether a person is at the terminal.
 * - Never exit. Return, call `terminal.reportNegative()`, or throw a `Failure` with an outcome, one sentence and advice.
 *   Do not catch errors of files, network and AWS: `failureOf` turns them into failures.
 * - Read arguments with the parsers in `arguments.ts`. They say what is wrong and what would be right.
 * - Read secrets from files, prompts or the environment (`credentialsFile.ts`), never from arguments.
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
import { estimateDeployment } from './ops/cost.ts';
import { restoreItems } from './ops/restore.ts';
import { reportTeams } from './report/report.ts';
import { examineUploads } from './team/doctor.ts';
import { signLog } from './team/sign.ts';
import { uploadLogs } from './team/upload.ts';
import { group } from './terminal/command.ts';
import { exitCodes, failureOf } from './terminal/failure.ts';
import { createTerminal, type Host, type Terminal } from './terminal/terminal.ts';

/** Creates the program with all its commands. */
export function createProgram(terminal: Terminal): Command {
  return group('ailog', 'The command line of AI log upload, for admins, reviewers and teams.', [
    group('allowlist', 'The UIDs that may upload (admins).', [
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
    group('ops', 'Cost and recovery of deployments (operators).', [
      estimateDeployment(terminal),
      restoreItems(terminal),
    ]),
    reportTeams(terminal),
    uploadLogs(terminal),
    signLog(terminal),
    examineUploads(terminal),
  ]);
}

/** Connects a command and its subcommands to the host's streams, and makes them throw instead of exit. */
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
    .showHelpAfterError('--help shows the usage.');
  for (const child of command.commands) attach(child as Command, { stdout, stderr } as Host);
}

/**
 * Runs one command line.
 * @param args the arguments, without `node` and the script
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
  // The reader of the output may stop early: `ailog logs list | head`.
  stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.internal),
  );
  const code = await run(process.argv.slice(2), { env, stdin, stdout, stderr, cwd: process.cwd, signal: stop.signal });
  process.exitCode = code;
  // An interrupted command may have left timers and sockets open.
  if (code === exitCodes.interrupted) process.exit();
}
