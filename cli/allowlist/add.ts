import { withTarget } from '../target.ts';
import { uids } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readAllowlistEntries, showChanges, writeChanges } from './changeAllowlist.ts';

export const allowlistAdd = (terminal: Terminal) =>
  targetCommand('add', {
    summary: 'Approve UIDs. They can upload from the next request.',
    examples: [
      ['allowlist add 1001 --team "Alpha"', 'approve one team, with its name'],
      ['allowlist add 1001 1002 1003', 'approve several teams'],
    ],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('--team <name>', 'the name of the team (default: unchanged)')
    .option('--note <text>', 'a note for other admins (default: unchanged)')
    .option('-y, --yes', 'approve suspended and disqualified UIDs again without asking')
    .action(async (wanted, { team, note, yes, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entries = await readAllowlistEntries(target, wanted);
        const barred = entries.flatMap(({ entry }) =>
          entry?.status === 'suspended' || entry?.status === 'disqualified' ? [entry] : [],
        );
        if (barred.length > 0) {
          const named = barred.map(({ uid, status, note }) => `UID ${uid} is ${status}${note ? ` (${note})` : ''}`);
          await terminal.confirm(`${named.join('; ')}. Approve again?`, yes);
        }
        const changes = entries.map(({ uid, entry }) => ({
          uid,
          before: entry,
          after: { ...entry, uid, status: 'approved' as const, ...(team && { team }), ...(note && { note }) },
        }));
        await showChanges(terminal, json, await writeChanges(target, changes));
      }),
    );
