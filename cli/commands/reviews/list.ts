import { timeOf } from '../../review/verdicts/record.ts';
import { noteHidden, readStandings } from '../../review/verdicts/standing.ts';
import { printCsv } from '../../shell/files/csv.ts';
import { uids } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatTime } from '../../shell/text/time.ts';
import { byUid } from '../../shell/text/uid.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('list', {
    summary: `Show the verdict of each reviewer about each team. The verdicts of others about a team are shown after you have given
yours, or when two people have agreed to disqualify it.`,
    examples: [
      ['reviews list', 'all teams with a verdict'],
      ['reviews list --uid 1001 --json', 'one team, as JSON'],
    ],
  })
    .option('--uid <uid>', 'show only this team (repeatable)', uids)
    .option('--reveal', 'show the verdicts of others in any case')
    .option('--csv', 'print CSV')
    .action(async ({ uid: wanted, reveal, csv, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const { of } = await readStandings(terminal, target, reveal);
        const teams = [...of]
          .map(([uid, standing]) => ({ uid, ...standing }))
          .filter(({ uid, verdicts, hidden }) => verdicts.length + hidden > 0 && (wanted?.includes(uid) ?? true))
          .sort(byUid);
        if (json)
          return terminal.json(
            teams.map(({ uid, isAgreed, agreement, hidden, verdicts }) => {
              const takenBack = agreement?.withdrew.length ? { takenBack: agreement.withdrew } : {};
              return { uid, agreed: isAgreed, hidden, verdicts, ...takenBack };
            }),
          );
        const rows = teams
          .flatMap(({ verdicts }) => verdicts)
          .map(({ id, uid, verdict, reason, arn, text }) => {
            const written = { "written (author's clock)": formatTime(timeOf({ id })) };
            return { uid, verdict, reason, by: arn.split('/').at(-1), ...written, text };
          });
        if (csv) return printCsv(terminal, rows);
        if (rows.length > 0) await terminal.table(rows, { wraps: true });
        if (teams.length === 0) terminal.note('There are no verdicts.');
        const left = teams.reduce((sum, { hidden }) => sum + hidden, 0);
        noteHidden(terminal, left);
      }),
    );
