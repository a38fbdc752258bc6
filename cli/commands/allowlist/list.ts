import { Option } from '@commander-js/extra-typings';
import { STATUSES } from '../../../functions/allowlist/allowlist.ts';
import { printCsv } from '../../shell/files/csv.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { contains } from '../../shell/text/find.ts';
import { byUid } from '../../shell/text/uid.ts';
import { allowlistEditor, describeAllowlistEntry } from '../../store/tables/allowlistEditor.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('list', {
    summary: 'Show the allowlist.',
    examples: [
      ['allowlist list', 'all UIDs except removed ones'],
      ['allowlist list --status removed', 'those that were removed'],
      ['allowlist list --status disqualified --json', 'one status, as JSON'],
      ['allowlist list --team alpha --csv', 'teams with this text in their names, as CSV'],
    ],
  })
    .addOption(new Option('--status <status>', 'show only UIDs with this status').choices(STATUSES))
    .option('--team <text>', 'show only teams with this text in their names')
    .option('--csv', 'print CSV')
    .action(({ status, team: part, csv, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const all = await Array.fromAsync(allowlistEditor(target).all());
        const entries = all
          .filter(
            (entry) => (status ? entry.status === status : entry.status !== 'removed') && contains(entry.team, part),
          )
          .sort(byUid);
        if (json) return terminal.json(entries.map(describeAllowlistEntry));
        if (csv) return printCsv(terminal, entries.map(describeAllowlistEntry));
        if (entries.length === 0) {
          if (part !== undefined) return terminal.note('No team matches.');
          if (status) return terminal.note(`No UID is ${status}.`);
          return terminal.note('The allowlist is empty. To approve a team: ailog allowlist add UID');
        }
        const rows = entries.map((entry) => {
          const { uid, status, team, reason, note, updatedAt: updated, updatedBy: by } = entry;
          return { uid, status, team, reason, note, updated, by };
        });
        await terminal.table(rows);
      }),
    );
