import { Option } from '@commander-js/extra-typings';
import { STATUSES } from '../../functions/allowlist/allowlist.ts';
import { allowlistEditor } from '../data/allowlistEditor.ts';
import { inPlace } from '../target.ts';
import { placedCommand } from '../terminal/command.ts';
import { byUid } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeListing } from './describeAllowlistEntry.ts';

export const listListings = (terminal: Terminal) =>
  placedCommand('list', {
    summary: 'Show who is on the allowlist.',
    examples: [
      ['allowlist list', 'all but who was removed'],
      ['allowlist list --status disqualified --json', 'some, for a program'],
    ],
  })
    .addOption(new Option('--status <status>', 'only those').choices(STATUSES))
    .action(async ({ status, json, ...where }) =>
      inPlace(terminal, where, async (place) => {
        const all = await Array.fromAsync(allowlistEditor(place.db, place.tables.allowlist).all());
        const listings = all
          .filter((listing) => (status ? listing.status === status : listing.status !== 'removed'))
          .sort(byUid);
        if (json) return terminal.json(listings.map(describeListing));
        if (listings.length === 0) {
          return terminal.note(
            status
              ? `No UID is ${status}.`
              : 'Nobody is on the allowlist yet. To approve a team: ailog allowlist add UID',
          );
        }
        await terminal.table(
          listings.map(({ uid, status, team, note, updatedAt, updatedBy }) => ({
            uid,
            status,
            team,
            note,
            updated: updatedAt,
            by: updatedBy,
          })),
        );
      }),
    );
