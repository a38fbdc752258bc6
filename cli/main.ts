#!/usr/bin/env node
/**
 * The `ailog` command line.
 *
 * To add a command:
 * - Write one file for it, and list it here, or in teamCommands.ts if teams get it. `ailog keys list` is in
 *   commands/keys/list.ts; a command without a group, such as `ailog report`, is in the folder of its help group. Its
 *   default export takes the terminal and returns `command(…)`, or `targetCommand(…)` if the command works on tables.
 *   `withTarget` opens and closes the tables. The file is loaded only when the command runs, so that every other
 *   command starts as fast as before.
 * - Print through the terminal. The answer goes to stdout: `table` and `facts` for people, `json` with `--json`.
 *   Everything else goes to stderr through `note`. `progress`, `confirm` and `secret` check whether a person is at the
 *   terminal.
 * - Never exit. Return, call `terminal.reportNegative()`, or throw a `Failure` with an outcome, one sentence and
 *   advice. Do not catch errors of files, network and AWS: `failureOf` turns them into failures.
 * - Read arguments with the parsers in `arguments.ts`. They say what is wrong and what would be right.
 * - Use the names that other commands use: the options `--uid`, `--order`, `--format`, `--output` and `--yes`, and the
 *   JSON keys `entryId`, `bodySha256` and `status`.
 * - Read secrets from files, prompts or the environment (`credentialsFile.ts`), never from arguments.
 */
import packageJson from '../package.json' with { type: 'json' };
import { type CommandList, commandsFor, group, lazyCommand, runProcess } from './shell/terminal/program.ts';
import { PROGRAM } from './shell/terminal/programName.ts';
import { publicLogCommands, teamCommands } from './teamCommands.ts';

/** All commands of `ailog`. */
export const commands: CommandList = {
  version: packageJson.version,
  ...group(PROGRAM, 'The command line of AI log upload, for admins, reviewers, operators and teams.', [
    ...commandsFor('Admins:', [
      group('allowlist', 'The UIDs that may upload.', [
        lazyCommand('add', 'Approve a UID.', () => import('./commands/allowlist/add.ts')),
        lazyCommand('suspend', 'Suspend a UID.', () => import('./commands/allowlist/suspend.ts')),
        lazyCommand('disqualify', 'Disqualify a UID.', () => import('./commands/allowlist/disqualify.ts')),
        lazyCommand('remove', 'Remove a UID.', () => import('./commands/allowlist/remove.ts')),
        lazyCommand('list', 'Show the allowlist.', () => import('./commands/allowlist/list.ts')),
        lazyCommand('show', 'Show a UID and its history.', () => import('./commands/allowlist/show.ts')),
        lazyCommand('import', 'Approve the UIDs of a CSV file.', () => import('./commands/allowlist/import.ts')),
      ]),
      group('keys', 'The API keys of teams.', [
        lazyCommand('issue', 'Issue an API key to a UID.', () => import('./commands/keys/issue.ts')),
        lazyCommand('rotate', 'Give a key new credentials.', () => import('./commands/keys/rotate.ts')),
        lazyCommand('revoke', 'Revoke a key.', () => import('./commands/keys/revoke.ts')),
        lazyCommand('list', 'Show API keys.', () => import('./commands/keys/list.ts')),
      ]),
    ]),
    ...commandsFor('Reviewers:', [
      group('logs', 'Stored AI logs.', [
        lazyCommand('list', 'Show entries.', () => import('./commands/logs/list.ts')),
        lazyCommand('show', 'Show one entry.', () => import('./commands/logs/show.ts')),
        lazyCommand('search', 'Find entries by a text.', () => import('./commands/logs/search.ts')),
        lazyCommand('verify', 'Check the proof of entries.', () => import('./commands/logs/verify.ts')),
        lazyCommand('export', 'Export entries with their bodies.', () => import('./commands/logs/export.ts')),
      ]),
      group('reviews', 'Verdicts about teams.', [
        lazyCommand('add', 'Give a verdict.', () => import('./commands/reviews/add.ts')),
        lazyCommand('list', 'Show what stands.', () => import('./commands/reviews/list.ts')),
        lazyCommand('export', 'Print all records.', () => import('./commands/reviews/export.ts')),
        lazyCommand('reasons', 'Show or replace the reason codes.', () => import('./commands/reviews/reasons.ts')),
      ]),
      group('data', 'Feature rows of entries.', [
        lazyCommand('sync', 'Read the entries that are new.', () => import('./commands/data/sync.ts')),
        lazyCommand('status', 'Check that the rows are whole.', () => import('./commands/data/status.ts')),
        lazyCommand('rebuild', 'Make all rows again.', () => import('./commands/data/rebuild.ts')),
        lazyCommand('purge', 'Delete the rows.', () => import('./commands/data/purge.ts')),
        lazyCommand('backfill', 'Add rows that a deployment lacks.', () => import('./commands/data/backfill.ts')),
      ]),
      lazyCommand('report', 'Report on each team.', () => import('./commands/report/report.ts')),
      lazyCommand('console', 'Review all teams on a local web page.', () => import('./commands/report/console.ts')),
      lazyCommand('statement', 'Write the evidence about a team.', () => import('./commands/report/statement.ts')),
    ]),
    ...commandsFor('Operators:', [
      group('ops', 'Health, capacity and recovery of deployments.', [
        lazyCommand('check', 'Check the health of a stage.', () => import('./commands/ops/check.ts')),
        lazyCommand('settings', 'Print the settings of a stage.', () => import('./commands/ops/settings.ts')),
        lazyCommand('capacity', 'Compare the peak with the limits.', () => import('./commands/ops/capacity.ts')),
        lazyCommand('rehearse', 'Rehearse the peak with made-up teams.', () => import('./commands/ops/rehearse.ts')),
        lazyCommand('restore', 'Copy restored items back.', () => import('./commands/ops/restore.ts')),
      ]),
    ]),
    ...commandsFor('Operators and auditors:', [
      group('tlog', 'The transparency log.', [
        lazyCommand('status', 'Show the state of the log.', () => import('./commands/tlog/status.ts')),
        lazyCommand('export-policy', 'Print the public keys.', () => import('./commands/tlog/exportPolicy.ts')),
        lazyCommand('audit', 'Check the log, and the tables against it.', () => import('./commands/tlog/audit.ts')),
        ...publicLogCommands,
        lazyCommand(
          'rotate-receipt-key',
          'Replace the key of receipts.',
          () => import('./commands/tlog/rotateReceiptKey.ts'),
        ),
      ]),
      lazyCommand('prove', 'Prove that an entry is in the transparency log.', () => import('./commands/tlog/prove.ts')),
    ]),
    ...commandsFor('Teams:', teamCommands),
  ]),
};

if (import.meta.main) await runProcess(commands);
