#!/usr/bin/env node
/**
 * The `ailog` command line.
 *
 * To add a command:
 * - Write one file for it, and list it here. `ailog keys list` is in keys/list.ts; a command without a group, such as
 *   `ailog report`, is in the folder of its help group. The file exports a function that takes the terminal and returns
 *   `command(…)`, or `targetCommand(…)` if the command works on tables. `withTarget` opens and closes the tables. The file
 *   is loaded only when the command runs, so that every other command starts as fast as before.
 * - Print through the terminal. The answer goes to stdout: `table` and `facts` for people, `json` with `--json`. Everything
 *   else goes to stderr through `note`. `progress`, `confirm` and `secret` check whether a person is at the terminal.
 * - Never exit. Return, call `terminal.reportNegative()`, or throw a `Failure` with an outcome, one sentence and advice.
 *   Do not catch errors of files, network and AWS: `failureOf` turns them into failures.
 * - Read arguments with the parsers in `arguments.ts`. They say what is wrong and what would be right.
 * - Use the names that other commands use: the options `--uid`, `--order`, `--format`, `--output` and `--yes`, and the JSON
 *   keys `entryId`, `bodySha256` and `status`.
 * - Read secrets from files, prompts or the environment (`credentialsFile.ts`), never from arguments.
 */
import packageJson from '../package.json' with { type: 'json' };
import { teamCommands } from './teamCommands.ts';
import { type CommandList, commandsFor, group, lazyCommand, runProcess } from './terminal/program.ts';

/** All commands of `ailog`. */
export const commands: CommandList = {
  version: packageJson.version,
  ...group('ailog', 'The command line of AI log upload, for admins, reviewers and teams.', [
    ...commandsFor('Admins:', [
      group('allowlist', 'The UIDs that may upload.', [
        lazyCommand('add', 'Approve a UID.', async () => (await import('./allowlist/add.ts')).allowlistAdd),
        lazyCommand('suspend', 'Suspend a UID.', async () => (await import('./allowlist/suspend.ts')).allowlistSuspend),
        lazyCommand(
          'disqualify',
          'Disqualify a UID, with a reason.',
          async () => (await import('./allowlist/disqualify.ts')).allowlistDisqualify,
        ),
        lazyCommand('remove', 'Remove a UID.', async () => (await import('./allowlist/remove.ts')).allowlistRemove),
        lazyCommand('list', 'Show the allowlist.', async () => (await import('./allowlist/list.ts')).allowlistList),
        lazyCommand(
          'show',
          'Show a UID and its history.',
          async () => (await import('./allowlist/show.ts')).allowlistShow,
        ),
        lazyCommand(
          'import',
          'Approve the UIDs of a CSV file.',
          async () => (await import('./allowlist/import.ts')).allowlistImport,
        ),
      ]),
      group('keys', 'The API keys of teams.', [
        lazyCommand('issue', 'Issue an API key to a UID.', async () => (await import('./keys/issue.ts')).issueKeys),
        lazyCommand('import', 'Store an existing API key.', async () => (await import('./keys/import.ts')).importKeys),
        lazyCommand('rotate', 'Give a key new credentials.', async () => (await import('./keys/rotate.ts')).rotateKeys),
        lazyCommand('revoke', 'Revoke a key.', async () => (await import('./keys/revoke.ts')).revokeKeys),
        lazyCommand('list', 'Show API keys.', async () => (await import('./keys/list.ts')).listKeys),
        lazyCommand('show', 'Show a key and its history.', async () => (await import('./keys/show.ts')).showKey),
      ]),
    ]),
    ...commandsFor('Reviewers:', [
      group('logs', 'Stored AI logs.', [
        lazyCommand('list', 'Show entries.', async () => (await import('./logs/list.ts')).listEntries),
        lazyCommand('show', 'Show one entry.', async () => (await import('./logs/show.ts')).showEntry),
        lazyCommand('search', 'Find entries by a text.', async () => (await import('./logs/search.ts')).searchEntries),
        lazyCommand(
          'around',
          'Show what a team did around an order or entry.',
          async () => (await import('./logs/around.ts')).showAround,
        ),
        lazyCommand('diff', 'Compare two entries.', async () => (await import('./logs/diff.ts')).diffEntries),
        lazyCommand(
          'verify',
          'Check the proof of entries.',
          async () => (await import('./logs/verify.ts')).verifyEntries,
        ),
        lazyCommand(
          'export',
          'Export entries with their bodies.',
          async () => (await import('./logs/export.ts')).exportEntries,
        ),
      ]),
      lazyCommand('report', 'Report on each team.', async () => (await import('./report/report.ts')).reportTeams),
      lazyCommand(
        'statement',
        'Write everything to judge a team offline.',
        async () => (await import('./report/statement.ts')).writeStatement,
      ),
    ]),
    ...commandsFor('Operators:', [
      group('ops', 'Health, cost and recovery of deployments.', [
        lazyCommand('check', 'Check the health of a stage.', async () => (await import('./ops/check.ts')).checkHealth),
        lazyCommand('cost', 'Estimate a month.', async () => (await import('./ops/cost.ts')).estimateDeployment),
        lazyCommand(
          'restore',
          'Copy restored items back.',
          async () => (await import('./ops/restore.ts')).restoreItems,
        ),
      ]),
    ]),
    ...commandsFor('Operators and auditors:', [
      group('tlog', 'The transparency log.', [
        lazyCommand('status', 'Show the state of the log.', async () => (await import('./tlog/status.ts')).showStatus),
        lazyCommand(
          'export-policy',
          'Print the keys that verify proofs.',
          async () => (await import('./tlog/exportPolicy.ts')).exportPolicy,
        ),
        lazyCommand(
          'audit',
          'Check the log, and the tables against it.',
          async () => (await import('./tlog/audit.ts')).auditLog,
        ),
        lazyCommand(
          'rotate-receipt-key',
          'Replace the key of receipts.',
          async () => (await import('./tlog/rotateReceiptKey.ts')).rotateReceiptKey,
        ),
      ]),
      lazyCommand(
        'prove',
        'Prove that an entry is in the transparency log.',
        async () => (await import('./tlog/prove.ts')).proveEntry,
      ),
    ]),
    ...commandsFor('Teams:', teamCommands),
  ]),
};

if (import.meta.main) await runProcess(commands);
