import { Option } from '@commander-js/extra-typings';
import { STATUSES } from '../../functions/allowlist/allowlist.ts';
import { allowlistEditor } from '../data/allowlistEditor.ts';
import { inPlace } from '../target.ts';
import { placedCommand } from '../terminal/command.ts';
import { byUid } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeAllowlistEntry } from './describeAllowlistEntry.ts';

export const allowlistList = (terminal: Terminal) =>
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
        const entries = all
          .filter((entry) => (status ? entry.status === status : entry.status !== 'removed'))
          .sort(byUid);
        if (json) return terminal.json(entries.map(describeAllowlistEntry));
        if (entries.length === 0) {
          return terminal.note(
            status
              ? `No UID is ${status}.`
              : 'Nobody is on the allowlist yet. To approve a team: ailog allowlist add UID',
          );
        }
        await terminal.table(
          entries.map(({ uid, status, team, note, updatedAt, updatedBy }) => ({
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
