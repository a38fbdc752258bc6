import { formatStanding, readStandingsIfAllowed } from '../../review/verdicts/standing.ts';
import { uid } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { describeAllowlistEntry, readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import { targetCommand, withTarget } from '../../store/targets/target.ts';

export default (terminal: Terminal) =>
  targetCommand('show', {
    summary: 'Show the allowlist entry of a UID and its history: who changed it, when and why.',
    examples: [
      ['allowlist show 1001', 'the entry and its history'],
      ['allowlist show 1001 --json', 'the same, as JSON'],
    ],
  })
    .argument('<uid>', 'the UID of the team', uid)
    .action(async (wanted, { json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const [{ entry } = {}] = await readAllowlistEntries(target, [wanted]);
        if (!entry) {
          throw new Failure('negative', `UID ${wanted} is not on the allowlist, and never was.`, {
            advice: 'ailog allowlist list shows the allowlist.',
          });
        }
        const { history = [] } = entry;
        const standings = await readStandingsIfAllowed(terminal, target);
        const described = { ...describeAllowlistEntry(entry), verdicts: formatStanding(standings.get(wanted)) };
        if (json) return terminal.json({ ...described, history });
        await terminal.facts(described);
        if (history.length === 0) return;
        await terminal.print('');
        await terminal.table(
          history.map(({ at: when, by, from = 'not listed', to, team, why }) => ({ when, by, from, to, team, why })),
          { wraps: true },
        );
      }),
    );
