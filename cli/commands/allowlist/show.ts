import { uid } from '../../shell/terminal/arguments.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { describeAllowlistEntry, readAllowlistEntries } from '../../store/tables/allowlistEditor.ts';
import { onTarget } from '../../store/targets/target.ts';

export default defineCommand({
  words: 'allowlist show',
  for: 'Admins',
  summary: 'Show the allowlist entry of a UID and its history: who changed it, when and why.',
  examples: [
    ['allowlist show 1001', 'the entry and its history'],
    ['allowlist show 1001 --json', 'the same, as JSON'],
  ],
  args: { owner: { name: '<uid>', help: 'the UID of the team', read: uid } },
  on: onTarget,
  forms: ['wide'],
  async run({ owner }, { target, terminal }) {
    const [{ entry } = {}] = await readAllowlistEntries(target, [owner]);
    if (!entry) {
      throw new Failure('negative', `UID ${owner} is not on the allowlist, and never was.`, {
        advice: 'ailog allowlist list shows the allowlist.',
      });
    }
    const { formatStanding, readStandingsIfAllowed } = await import('../../review/verdicts/standing.ts');
    const standings = await readStandingsIfAllowed(terminal, target);
    const history = (entry.history ?? []).map(({ id, at, by, from, to, team, why }) => ({
      id,
      at,
      by,
      from,
      to,
      team,
      why,
    }));
    return { ...describeAllowlistEntry(entry), verdicts: formatStanding(standings.get(owner)), history };
  },
  *shows({ history, ...described }) {
    yield { facts: described };
    if (history.length === 0) return;
    yield '';
    const table = history.map(({ at, by, from = 'not listed', to, team, why }) => ({
      when: at,
      by,
      from,
      to,
      team,
      why,
    }));
    yield { table, wraps: true };
  },
});
