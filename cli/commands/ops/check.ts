import { hash } from 'node:crypto';
import pMap from 'p-map';
import { readStage, textsOf, WrongSettings } from '../../../infra/readSettings.ts';
import { readWitnesses } from '../../../infra/settings.ts';
import { span } from '../../shell/terminal/arguments.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { type Health, judgeKeys, judgeLastUpload, judgeSettings, readStackHealth } from '../../store/targets/health.ts';
import { clientSettings, timeouts } from '../../store/targets/openedTarget.ts';
import { type Target, targetCommand, withTarget } from '../../store/targets/target.ts';

const DAY_MS = 86_400_000;

/** Reads the newest entry of all teams, with one small read for each. */
async function readNewestEntry(target: Target) {
  const reader = entriesReader(target);
  const newest = (await pMap(reader.uids(), reader.newestOf, { concurrency: 8 })).filter((one) => one !== undefined);
  return newest.sort((a, b) => b.receivedAt - a.receivedAt)[0];
}

/** Returns settings with what tells one policy of witnesses from another, instead of its file alone. */
const withPolicy = (settings: Readonly<Record<string, string>>, policy: string | undefined) =>
  policy ? { ...settings, witnesses: `${settings.witnesses} (${hash('sha256', policy).slice(0, 8)})` } : settings;

/** Compares the settings of a deployment with those that cdk.json has for its stage. */
function checkSettings({ deployed }: Target): Health[] {
  if (!deployed) return [];
  try {
    const file = readStage(deployed.settings.stage ?? 'dev');
    const policy = file.witnesses && readWitnesses(file.witnesses);
    return judgeSettings(withPolicy(deployed.settings, deployed.witnesses), withPolicy(textsOf(file), policy));
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    return error.message.split('\n').map((says) => ({ check: 'cdk.json', status: 'warning', says }));
  }
}

export default (terminal: Terminal) =>
  targetCommand('check', {
    summary: 'Check whether a deployment is healthy. The exit code is 1 if a check is failing.',
    examples: [
      ['ops check --stack AiLogUpload-prod', 'stack, alarms, errors, canary, settings, last upload and keys'],
      ['ops check --local', 'last upload and keys of the local data'],
      ['ops check --before prod', 'before the first deployment: whether the account and region are ready'],
      ['ops check --stack AiLogUpload-prod --quiet 10m', 'warn after 10 minutes without an upload'],
    ],
  })
    .option('--quiet <span>', 'the time without an upload that is normal', span, DAY_MS)
    .option('--expiring <span>', 'warn of keys that expire within this time', span, 7 * DAY_MS)
    .option('--before <stage>', 'check an account that has no deployment yet, and the settings of the stage')
    .action(async ({ quiet, expiring, json, before, ...where }) => {
      const { stack } = where;
      const show = async (findings: readonly Health[]) => {
        const rows = findings.map((one) => ({ ...one }));
        await (json ? terminal.json(findings) : terminal.table(rows, { wraps: true }));
        const namesOf = (status: Health['status']) =>
          [...new Set(findings.filter((one) => one.status === status).map(({ check }) => check))].join(', ');
        const [failing, warnings] = [namesOf('failing'), namesOf('warning')];
        if (failing) terminal.reportNegative();
        const is = before === undefined ? 'healthy' : 'ready';
        if (failing) return terminal.note(`Not ${is}: ${failing}.`);
        terminal.note(`${is === 'ready' ? 'Ready' : 'Healthy'}${warnings && `, with warnings: ${warnings}`}.`);
      };
      if (before !== undefined) {
        if (stack || where.local) throw new Failure('usage', '--before is for an account without a deployment.');
        const { readAccount } = await import('../../store/targets/readAccount.ts');
        try {
          return await show(await readAccount(readStage(before), { ...clientSettings(where), ...timeouts }));
        } catch (error) {
          if (error instanceof WrongSettings) throw new Failure('usage', error.message.split('\n'));
          throw error;
        }
      }
      await withTarget(terminal, where, async (target) => {
        const now = Date.now();
        const keys = await Array.fromAsync(apiKeysEditor(target).all());
        const findings: Health[] = [
          ...(stack ? await readStackHealth(stack, clientSettings(where), now) : []),
          ...checkSettings(target),
          judgeLastUpload(await readNewestEntry(target), { now, quiet }),
          ...judgeKeys(keys, { now, within: expiring }),
        ];
        await show(findings);
      });
    });
