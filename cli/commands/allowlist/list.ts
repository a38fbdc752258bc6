import pMap from 'p-map';
import { type AllowlistEntry, STATUSES } from '../../../functions/allowlist/allowlist.ts';
import { isUsable } from '../../../functions/auth/apiKeys.ts';
import { span } from '../../shell/terminal/arguments.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import { contains } from '../../shell/text/contains.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { byUid } from '../../shell/text/uid.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { allowlistEditor, describeAllowlistEntry } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

/** Finds the teams without a log in a time (ms), the longest silent first, with one small read for each team. */
async function findSilent(target: Target, entries: readonly AllowlistEntry[], silent: number, signal: AbortSignal) {
  const allKeys = await Array.fromAsync(apiKeysEditor(target).all());
  const reader = entriesReader(target);
  const now = await target.now();
  const describe = async ({ uid, team }: AllowlistEntry) => {
    const newest = await reader.newestOf(uid);
    const last = newest && Number(newest.entryId.slice(0, 13));
    return { uid, team, keys: allKeys.filter((key) => key.uid === uid && isUsable(key, now)).length, last };
  };
  return (await pMap(entries, describe, { concurrency: 8, signal }))
    .filter(({ last }) => last === undefined || now - last > silent)
    .sort(({ last: a = 0 }, { last: b = 0 }) => a - b)
    .map(({ last, ...team }) => ({
      ...team,
      last: last && new Date(last).toISOString(),
      silentSeconds: last && Math.floor((now - last) / 1000),
    }));
}

export default defineCommand({
  words: 'allowlist list',
  for: 'Admins',
  summary: 'Show the allowlist, or the approved teams that are silent.',
  examples: [
    ['allowlist list', 'all UIDs except removed ones'],
    ['allowlist list --status removed', 'removed UIDs'],
    ['allowlist list --status disqualified --json', 'one status, as JSON'],
    ['allowlist list --team alpha --csv', 'teams with this text in their names, as CSV'],
    ['allowlist list --silent 10m', 'who is silent: approved teams without a log in the last 10 minutes'],
  ],
  options: {
    status: { flags: '--status <status>', help: 'show only UIDs with this status', choices: STATUSES },
    part: { flags: '--team <text>', help: 'show only teams with this text in their names' },
    silent: {
      flags: '--silent <span>',
      help: 'show only approved teams without a log in this time, with their usable keys',
      read: span,
    },
  },
  on: onTarget,
  forms: ['wide', 'csv'],
  async run({ status, part, silent }, { target, terminal, remark }) {
    if (silent !== undefined && status !== undefined) {
      throw new Failure('usage', 'Give either --status or --silent, which shows approved teams.');
    }
    const wanted = silent === undefined ? status : 'approved';
    const entries = (await Array.fromAsync(allowlistEditor(target).all()))
      .filter((entry) => (wanted ? entry.status === wanted : entry.status !== 'removed') && contains(entry.team, part))
      .sort(byUid);
    if (silent === undefined) return { entries: entries.map(describeAllowlistEntry) };
    const teams = await findSilent(target, entries, silent, terminal.signal);
    remark(`Silent: ${teams.length} of ${entries.length} approved teams.`);
    return { teams };
  },
  json: ({ entries, teams }) => entries ?? teams,
  *shows({ entries, teams = [] }, { status, part }) {
    if (entries === undefined) {
      yield {
        table: teams.map(({ silentSeconds, ...team }) => ({
          ...team,
          silent: silentSeconds && formatDuration(silentSeconds * 1000),
        })),
      };
    } else if (entries.length > 0) {
      yield {
        table: entries.map(({ uid, status, team, reason, note, updatedAt: updated, updatedBy: by }) => {
          return { uid, status, team, reason, note, updated, by };
        }),
      };
    } else if (part !== undefined) yield { note: 'No team matches.' };
    else if (status) yield { note: `No UID is ${status}.` };
    else yield { note: 'The allowlist is empty. To approve a team: ailog allowlist add UID' };
  },
});
