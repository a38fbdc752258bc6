import { withTarget } from '../target.ts';
import { uids } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readAllowlistEntries, showChanges, writeChanges } from './changeAllowlist.ts';

export const allowlistAdd = (terminal: Terminal) =>
  targetCommand('add', {
    summary: 'Approve UIDs: from the next request on they may upload.',
    examples: [
      ['allowlist add 1001 --team "Alpha"', 'one team with its name'],
      ['allowlist add 1001 1002 1003', 'several'],
    ],
  })
    .argument('<uid...>', 'UIDs of teams', uids)
    .option('--team <name>', 'the name of the team; unless given, it stays as it is')
    .option('--note <text>', 'a word for other admins; unless given, it stays as it is')
    .option('-y, --yes', 'approve again, without asking, who was suspended or disqualified')
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
