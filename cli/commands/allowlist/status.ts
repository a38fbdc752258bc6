import pMap from 'p-map';
import { isUsable } from '../../../functions/auth/apiKeys.ts';
import { withRows } from '../../review/rows/openRows.ts';
import { printCsv } from '../../shell/files/csv.ts';
import { span } from '../../shell/terminal/arguments.ts';
import type { OptionsOf } from '../../shell/terminal/command.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { formatDuration } from '../../shell/text/time.ts';
import { byUid } from '../../shell/text/uid.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { allowlistEditor, isListed } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

const statusCommand = () =>
  targetCommand('status', {
    summary: `Show how far each team is: its usable keys, when it signed its last log, and how long it has been silent since. The work does not grow with the number of logs: one small read for each team.`,
    examples: [
      ['allowlist status', 'one line per team'],
      ['allowlist status --silent 10m', 'who is silent now: approved teams without a log in the last 10 minutes'],
      ['allowlist status --count --csv', 'with the number of their entries, as CSV'],
    ],
  })
    .option('--silent <span>', 'only approved teams without a log in this time, those without any first', span)
    .option(
      '--count',
      'count the entries of each team too, by their feature rows, of which the new ones are read first',
    )
    .option('--csv', 'print CSV');

/** Counts the entries of each UID by the feature rows on this machine. */
async function countEntries(terminal: Terminal, target: Target): Promise<ReadonlyMap<string, number>> {
  const query = 'SELECT uid, count(*) AS n FROM entries GROUP BY uid';
  return withRows(terminal, target, { sync: true }, async ({ engine }) => {
    const counts = await Array.fromAsync(engine.read<{ uid: string; n: number }>(query));
    return new Map(counts.map(({ uid, n }) => [uid, n]));
  });
}

async function statusRun(
  terminal: Terminal,
  target: Target,
  { silent, count, csv, json }: OptionsOf<typeof statusCommand>,
): Promise<void> {
  const listed = await Array.fromAsync(allowlistEditor(target).all());
  const allKeys = await Array.fromAsync(apiKeysEditor(target).all());
  const counts = count && (await countEntries(terminal, target));
  const reader = entriesReader(target);
  const now = await target.now();
  const describe = async ({ uid, team, status }: (typeof listed)[number]) => {
    const newest = await reader.newestOf(uid);
    const last = newest && Number(newest.entryId.slice(0, 13));
    const keys = allKeys.filter((key) => key.uid === uid && isUsable(key, now)).length;
    return { uid, team, status, keys, last, ...(counts && { entries: counts.get(uid) ?? 0 }) };
  };
  const wanted = listed.filter((one) => (silent === undefined ? isListed(one) : one.status === 'approved')).sort(byUid);
  const all = await pMap(wanted, describe, { concurrency: 8, signal: terminal.signal });
  const teams =
    silent === undefined
      ? all
      : all
          .filter(({ last }) => last === undefined || now - last > silent)
          .sort(({ last: a = 0 }, { last: b = 0 }) => a - b);
  const rows = teams.map(({ last, entries, ...team }) => {
    const ago = last === undefined ? undefined : Math.max(0, now - last);
    const silent =
      json || csv
        ? { silentSeconds: ago && Math.floor(ago / 1000) }
        : { silent: ago === undefined ? undefined : formatDuration(ago) };
    return { ...team, last: last && new Date(last).toISOString(), ...silent, ...(counts && { entries }) };
  });
  if (json) return terminal.json(rows);
  if (csv) return printCsv(terminal, rows);
  await terminal.table(rows);
  if (silent !== undefined) terminal.note(`Silent: ${teams.length} of ${all.length} approved teams.`);
}

export default (terminal: Terminal) =>
  statusCommand().action((options) => withTarget(terminal, options, (target) => statusRun(terminal, target, options)));
