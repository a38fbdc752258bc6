import pLimit from 'p-limit';
import { isUsable } from '../../functions/auth/apiKeys.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import { allowlistEditor } from '../tables/allowlistEditor.ts';
import { isListed } from '../tables/allowlistEntries.ts';
import { apiKeysEditor } from '../tables/apiKeysEditor.ts';
import { printCsv } from '../tables/printCsv.ts';
import { withTarget } from '../target/target.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { byUid } from '../text/uid.ts';

/** The number of UIDs whose entries are counted at the same time. */
const CONCURRENCY = 8;

/** Returns the time in an entry id, ISO 8601. */
const signedAt = (entryId: string | undefined) =>
  entryId === undefined ? undefined : new Date(Number(entryId.slice(0, 13))).toISOString();

export default (terminal: Terminal) =>
  targetCommand('status', {
    summary:
      'Show how far each team is: its usable keys, and the signed times of its first and last entry. Each entry was answered with a receipt. Reads all entries.',
    examples: [
      ['allowlist status', 'one line per team'],
      ['allowlist status --csv', 'the same, as CSV'],
    ],
  })
    .option('--csv', 'print CSV')
    .action(async ({ csv, json, ...where }) =>
      withTarget(terminal, where, async (target) => {
        const { db, tables } = target;
        const listed = await Array.fromAsync(allowlistEditor(db, tables.allowlist).all());
        const keys = await Array.fromAsync(apiKeysEditor(db, tables.apiKeys).all());
        const reader = entriesReader(db, tables.aiLogs);
        const [now, inTurn] = [await target.now(), pLimit(CONCURRENCY)];
        const rows = await Promise.all(
          listed
            .filter(isListed)
            .sort(byUid)
            .map(({ uid, team, status }) =>
              inTurn(async () => {
                terminal.signal.throwIfAborted();
                const { count, first, last } = await reader.rangeOf(uid);
                const usable = keys.filter((key) => key.uid === uid && isUsable(key, now)).length;
                return {
                  uid,
                  team,
                  status,
                  keys: usable,
                  first: signedAt(first),
                  last: signedAt(last),
                  receipts: count,
                };
              }),
            ),
        );
        if (json) return terminal.json(rows);
        if (csv) return printCsv(terminal, rows);
        await terminal.table(rows);
        terminal.note(
          'receipts: the entries of the team. The service answered each with a receipt, a resend with another.',
        );
      }),
    );
