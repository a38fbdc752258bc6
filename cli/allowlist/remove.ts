import { withTarget } from '../target.ts';
import { uids } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readAllowlistEntries, requireListed, showChanges, writeChanges } from './changeAllowlist.ts';

export const allowlistRemove = (terminal: Terminal) =>
  targetCommand('remove', {
    summary: 'Take UIDs off the allowlist. Who did it, and when, is kept; so are their entries.',
    examples: [['allowlist remove 1001', 'asks first']],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('-y, --yes', 'do not ask')
    .action(async (wanted, { yes, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const entries = await readAllowlistEntries(target, wanted);
        requireListed(entries);
        await terminal.confirm(`Take UID ${wanted.join(', ')} off the allowlist?`, yes);
        const changes = entries.map(({ uid, entry }) => ({
          uid,
          before: entry,
          after: { ...entry, uid, status: 'removed' as const },
        }));
        await showChanges(terminal, json, await writeChanges(target, changes));
      }),
    );
