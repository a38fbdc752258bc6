import { inPlace } from '../target.ts';
import { uids } from '../terminal/arguments.ts';
import { placedCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readAllowlistEntries, requireListed, showChanges, writeChanges } from './changeAllowlist.ts';

export const allowlistDisqualify = (terminal: Terminal) =>
  placedCommand('disqualify', {
    summary: 'Reject the uploads of UIDs for good. What they uploaded stays.',
    examples: [['allowlist disqualify 1001 --reason "no AI behind its orders"', 'asks first']],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .requiredOption('--reason <text>', 'why; kept as the note of the entry')
    .option('-y, --yes', 'do not ask')
    .action(async (wanted, { reason, yes, json, ...where }) =>
      inPlace(terminal, where, async (place) => {
        const entries = await readAllowlistEntries(place, wanted);
        requireListed(entries);
        await terminal.confirm(`Disqualify UID ${wanted.join(', ')}?`, yes);
        const changes = entries.map(({ uid, entry }) => ({
          uid,
          before: entry,
          after: { ...entry, uid, status: 'disqualified' as const, note: reason },
        }));
        await showChanges(terminal, json, await writeChanges(place, changes));
        terminal.note('Entries that were uploaded stay, and can still be shown, verified and exported.');
      }),
    );
