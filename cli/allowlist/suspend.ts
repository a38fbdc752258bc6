import { withTarget } from '../target.ts';
import { uids } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readAllowlistEntries, requireListed, showChanges, writeChanges } from './changeAllowlist.ts';

export const allowlistSuspend = (terminal: Terminal) =>
  targetCommand('suspend', {
    summary: 'Reject the uploads of UIDs until they are added again.',
    examples: [['allowlist suspend 1001 --note "key leaked"', 'reject its uploads from the next request']],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('--note <text>', 'the reason, for other admins')
    .action(async (wanted, { note, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entries = await readAllowlistEntries(target, wanted);
        requireListed(entries);
        const changes = entries.map(({ uid, entry }) => ({
          uid,
          before: entry,
          after: { ...entry, uid, status: 'suspended' as const, ...(note && { note }) },
        }));
        await showChanges(terminal, json, await writeChanges(target, changes));
      }),
    );
