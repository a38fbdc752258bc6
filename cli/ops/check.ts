import pLimit from 'p-limit';
import type { Entry } from '../../functions/ailog/entry.ts';
import { entriesReader } from '../entries/entriesReader.ts';
import { apiKeysEditor } from '../tables/apiKeysEditor.ts';
import { type Health, judgeKeys, judgeLastUpload } from '../target/health.ts';
import { readStackHealth } from '../target/readStack.ts';
import { type Target, withTarget } from '../target/target.ts';
import { span } from '../terminal/arguments.ts';
import { targetCommand } from '../terminal/command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The number of UIDs that are read at the same time. */
const CONCURRENCY = 8;

const DAY_MS = 86_400_000;

/** Reads the newest entry of all teams, with one small read for each. */
async function readNewestEntry({ db, tables }: Target): Promise<Entry | undefined> {
  const reader = entriesReader(db, tables.aiLogs);
  const inTurn = pLimit(CONCURRENCY);
  const reads: Promise<Entry | undefined>[] = [];
  for await (const uid of reader.uids()) {
    reads.push(inTurn(async () => (await reader.page({ uids: [uid] }, { newestFirst: true, limit: 1 })).entries[0]));
  }
  const entries = (await Promise.all(reads)).filter((entry) => entry !== undefined);
  return entries.reduce<Entry | undefined>(
    (last, one) => (last && last.receivedAt > one.receivedAt ? last : one),
    undefined,
  );
}

export default (terminal: Terminal) =>
  targetCommand('check', {
    summary: 'Check whether a deployment is healthy. The exit code is 1 if a check is failing.',
    examples: [
      ['ops check --stack AiLogUpload-prod', 'stack, alarms, errors, canary, last upload and keys'],
      ['ops check --local', 'last upload and keys of the local data'],
      ['ops check --stack AiLogUpload-prod --quiet 10m', 'warn after 10 minutes without an upload'],
    ],
  })
    .option('--quiet <span>', 'the time without an upload that is normal', span, DAY_MS)
    .option('--expiring <span>', 'warn of keys that expire within this time', span, 7 * DAY_MS)
    .action(async ({ quiet, expiring, json, ...where }) => {
      const { stack, region, profile } = where;
      await withTarget(terminal, where, async (target) => {
        const now = Date.now();
        const settings = { ...(region && { region }), ...(profile && { profile }) };
        const keys = await Array.fromAsync(apiKeysEditor(target.db, target.tables.apiKeys).all());
        const findings: Health[] = [
          ...(stack ? await readStackHealth(stack, settings, now) : []),
          judgeLastUpload(await readNewestEntry(target), { now, quiet }),
          ...judgeKeys(keys, { now, within: expiring }),
        ];
        if (json) await terminal.json(findings);
        else await terminal.table(findings.map(({ check, status, says }) => ({ check, status, says })));
        const namesOf = (status: Health['status']) =>
          [...new Set(findings.filter((one) => one.status === status).map(({ check }) => check))].join(', ');
        const [failing, warnings] = [namesOf('failing'), namesOf('warning')];
        if (failing) terminal.reportNegative();
        if (failing) terminal.note(`Not healthy: ${failing}.`);
        else terminal.note(warnings ? `Healthy, with warnings: ${warnings}.` : 'Healthy.');
      });
    });
