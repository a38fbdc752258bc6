import pMap from 'p-map';
import { span } from '../../shell/terminal/arguments.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { type Health, judgeKeys, judgeLastUpload, readStackHealth } from '../../store/targets/health.ts';
import { clientSettings } from '../../store/targets/openedTarget.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

const DAY_MS = 86_400_000;

/** Reads the newest entry of all teams, with one small read for each. */
async function readNewestEntry(target: Target) {
  const reader = entriesReader(target);
  const newest = (await pMap(reader.uids(), reader.newestOf, { concurrency: 8 })).filter((one) => one !== undefined);
  return newest.sort((a, b) => b.receivedAt - a.receivedAt)[0];
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
      const { stack } = where;
      await withTarget(terminal, where, async (target) => {
        const now = Date.now();
        const keys = await Array.fromAsync(apiKeysEditor(target).all());
        const findings: Health[] = [
          ...(stack ? await readStackHealth(stack, clientSettings(where), now) : []),
          judgeLastUpload(await readNewestEntry(target), { now, quiet }),
          ...judgeKeys(keys, { now, within: expiring }),
        ];
        const rows = findings.map((one) => ({ ...one }));
        await (json ? terminal.json(findings) : terminal.table(rows, { wraps: true }));
        const namesOf = (status: Health['status']) =>
          [...new Set(findings.filter((one) => one.status === status).map(({ check }) => check))].join(', ');
        const failing = namesOf('failing');
        const warnings = namesOf('warning');
        if (failing) terminal.reportNegative();
        if (failing) terminal.note(`Not healthy: ${failing}.`);
        else terminal.note(warnings ? `Healthy, with warnings: ${warnings}.` : 'Healthy.');
      });
    });
