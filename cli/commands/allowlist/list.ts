import { Option } from '@commander-js/extra-typings';
import pMap from 'p-map';
import { type AllowlistEntry, STATUSES } from '../../../functions/allowlist/allowlist.ts';
import { isUsable } from '../../../functions/auth/apiKeys.ts';
import { printCsv } from '../../shell/files/csv.ts';
import { span } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { contains } from '../../shell/text/contains.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { byUid } from '../../shell/text/uid.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { allowlistEditor, describeAllowlistEntry } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

/**
 * Finds the teams without a log in a time, in milliseconds: those without any first, then the longest silent. The work
 * does not grow with the number of logs: one small read for each team.
 */
async function findSilent(terminal: Terminal, target: Target, entries: readonly AllowlistEntry[], silent: number) {
  const allKeys = await Array.fromAsync(apiKeysEditor(target).all());
  const reader = entriesReader(target);
  const now = await target.now();
  const describe = async ({ uid, team }: AllowlistEntry) => {
    const newest = await reader.newestOf(uid);
    const last = newest && Number(newest.entryId.slice(0, 13));
    return { uid, team, keys: allKeys.filter((key) => key.uid === uid && isUsable(key, now)).length, last };
  };
  return (await pMap(entries, describe, { concurrency: 8, signal: terminal.signal }))
    .filter(({ last }) => last === undefined || now - last > silent)
    .sort(({ last: a = 0 }, { last: b = 0 }) => a - b)
    .map(({ last, ...team }) => ({
      ...team,
      last: last && new Date(last).toISOString(),
      silentFor: last && now - last,
    }));
}

export default (terminal: Terminal) =>
  targetCommand('list', {
    summary: 'Show the allowlist, or the approved teams that are silent.',
    examples: [
      ['allowlist list', 'all UIDs except removed ones'],
      ['allowlist list --status removed', 'those that were removed'],
      ['allowlist list --status disqualified --json', 'one status, as JSON'],
      ['allowlist list --team alpha --csv', 'teams with this text in their names, as CSV'],
      ['allowlist list --silent 10m', 'who is silent: approved teams without a log in the last 10 minutes'],
    ],
  })
    .addOption(new Option('--status <status>', 'show only UIDs with this status').choices(STATUSES))
    .option('--team <text>', 'show only teams with this text in their names')
    .option('--silent <span>', 'show only approved teams without a log in this time, with their usable keys', span)
    .option('--csv', 'print CSV')
    .action(({ status, team: part, silent, csv, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        if (silent !== undefined && status !== undefined) {
          throw new Failure('usage', 'Give either --status or --silent, which shows approved teams.');
        }
        const wanted = silent === undefined ? status : 'approved';
        const all = await Array.fromAsync(allowlistEditor(target).all());
        const entries = all
          .filter(
            (entry) => (wanted ? entry.status === wanted : entry.status !== 'removed') && contains(entry.team, part),
          )
          .sort(byUid);
        if (silent !== undefined) {
          const teams = await findSilent(terminal, target, entries, silent);
          const rows = teams.map(({ silentFor, ...team }) => ({
            ...team,
            ...(json || csv
              ? { silentSeconds: silentFor && Math.floor(silentFor / 1000) }
              : { silent: silentFor && formatDuration(silentFor) }),
          }));
          if (json) return terminal.json(rows);
          if (csv) return printCsv(terminal, rows);
          await terminal.table(rows);
          return terminal.note(`Silent: ${teams.length} of ${entries.length} approved teams.`);
        }
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
