import { Option } from '@commander-js/extra-typings';
import { STATUSES } from '../../functions/allowlist/allowlist.ts';
import { allowlistEditor } from '../../functions/allowlist/editAllowlist.ts';
import { placedCommand } from '../command.ts';
import { byUid } from '../format.ts';
import { inPlace } from '../place.ts';
import type { Terminal } from '../terminal.ts';
import { describeListing } from './describeListing.ts';

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
