import pMap from 'p-map';
import type { AllowlistEntry } from '../../../functions/allowlist/allowlist.ts';
import { isUsable } from '../../../functions/auth/apiKeys.ts';
import { printCsv } from '../../shell/files/csv.ts';
import type { OptionsOf } from '../../shell/terminal/command.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { byUid } from '../../shell/text/uid.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { allowlistEditor, isListed } from '../../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

const signedAt = (entryId: string | undefined) =>
  entryId === undefined ? undefined : new Date(Number(entryId.slice(0, 13))).toISOString();

const statusCommand = () =>
  targetCommand('status', {
    summary:
      'Show how far each team is: its usable keys, and the signed times of its first and last entry. Each entry was answered with a receipt. Reads all entries.',
    examples: [
      ['allowlist status', 'one line per team'],
      ['allowlist status --csv', 'the same, as CSV'],
    ],
  }).option('--csv', 'print CSV');

async function statusRun(
  terminal: Terminal,
  target: Target,
  { csv, json }: OptionsOf<typeof statusCommand>,
): Promise<void> {
  const listed = await Array.fromAsync(allowlistEditor(target).all());
  const allKeys = await Array.fromAsync(apiKeysEditor(target).all());
  const reader = entriesReader(target);
  const now = await target.now();
  const describe = async ({ uid, team, status }: AllowlistEntry) => {
    const { count, first, last } = await reader.rangeOf(uid);
    const keys = allKeys.filter((key) => key.uid === uid && isUsable(key, now)).length;
    return { uid, team, status, keys, first: signedAt(first), last: signedAt(last), receipts: count };
  };
  const teams = listed.filter(isListed).sort(byUid);
  const rows = await pMap(teams, describe, { concurrency: 8, signal: terminal.signal });
  if (json) return terminal.json(rows);
  if (csv) return printCsv(terminal, rows);
  await terminal.table(rows);
  terminal.note('receipts: the entries of the team, each of which was answered with a receipt.');
}

export default (terminal: Terminal) =>
  statusCommand().action((options) => withTarget(terminal, options, (target) => statusRun(terminal, target, options)));
