import { inPlace } from '../target.ts';
import { uids } from '../terminal/arguments.ts';
import { placedCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readListings, showChanges, writeChanges } from './changeAllowlist.ts';

export const addListings = (terminal: Terminal) =>
  placedCommand('add', {
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
      inPlace(terminal, where, async (place) => {
        const listings = await readListings(place, wanted);
        const barred = listings.flatMap(({ listing }) =>
          listing?.status === 'suspended' || listing?.status === 'disqualified' ? [listing] : [],
        );
        if (barred.length > 0) {
          const named = barred.map(({ uid, status, note }) => `UID ${uid} is ${status}${note ? ` (${note})` : ''}`);
          await terminal.confirm(`${named.join('; ')}. Approve again?`, yes);
        }
        const changes = listings.map(({ uid, listing }) => ({
          uid,
          before: listing,
          after: { ...listing, uid, status: 'approved' as const, ...(team && { team }), ...(note && { note }) },
        }));
        await showChanges(terminal, json, await writeChanges(place, changes));
      }),
    );
