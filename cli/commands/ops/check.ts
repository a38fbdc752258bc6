import { hash } from 'node:crypto';
import pMap from 'p-map';
import { blockOf, readStage, textsOf, WrongSettings } from '../../../infra/readSettings.ts';
import { readWitnesses } from '../../../infra/settings.ts';
import { span } from '../../shell/terminal/arguments.ts';
import { defineCommand } from '../../shell/terminal/defineCommand.ts';
import { entriesReader } from '../../store/entries/entriesReader.ts';
import { apiKeysEditor } from '../../store/tables/apiKeysEditor.ts';
import { type Health, judgeKeys, judgeLastUpload, judgeSettings, readStackHealth } from '../../store/targets/health.ts';
import { clientSettings } from '../../store/targets/openedTarget.ts';
import { onTarget, type Target } from '../../store/targets/target.ts';

const DAY_MS = 86_400_000;

async function readNewestEntry(target: Target) {
  const reader = entriesReader(target);
  const newest = (await pMap(reader.uids(), reader.newestOf, { concurrency: 8 })).filter((one) => one !== undefined);
  return newest.sort((a, b) => b.receivedAt - a.receivedAt)[0];
}

/** Returns settings with what tells one policy of witnesses from another, instead of its file alone. */
const withPolicy = (settings: Readonly<Record<string, string>>, policy: string | undefined) =>
  policy ? { ...settings, witnesses: `${settings.witnesses} (${hash('sha256', policy).slice(0, 8)})` } : settings;

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

export default defineCommand({
  words: 'ops check',
  for: 'Operators',
  summary: 'Check whether a deployment is healthy. The exit code is 1 if a check is failing.',
  details: '--json prints its settings too, as cdk.json needs them.',
  examples: [
    ['ops check --stack AiLogUpload-prod', 'stack, alarms, errors, canary, settings, last upload and keys'],
    ['ops check --local', 'last upload and keys of the local data'],
    ['ops check --stack AiLogUpload-prod --quiet 10m', 'warn after 10 minutes without an upload'],
  ],
  options: {
    quiet: { flags: '--quiet <span>', help: 'the time without an upload that is normal', read: span, default: DAY_MS },
    within: {
      flags: '--expiring <span>',
      help: 'warn of keys that expire within this time',
      read: span,
      default: 7 * DAY_MS,
    },
  },
  on: onTarget,
  forms: ['wide'],
  async run({ quiet, within }, { target, where, terminal, remark }) {
    const now = Date.now();
    const keys = await Array.fromAsync(apiKeysEditor(target).all());
    const checks: Health[] = [
      ...(where.stack ? await readStackHealth(where.stack, clientSettings(where), now) : []),
      ...checkSettings(target),
      judgeLastUpload(await readNewestEntry(target), { now, quiet }),
      ...judgeKeys(keys, { now, within }),
    ];
    const namesOf = (status: Health['status']) =>
      [...new Set(checks.filter((one) => one.status === status).map(({ check }) => check))].join(', ');
    const [failing, warnings] = [namesOf('failing'), namesOf('warning')];
    if (failing) terminal.reportNegative();
    remark(failing ? `Not healthy: ${failing}.` : `Healthy${warnings && `, with warnings: ${warnings}`}.`);
    const { stage, ...others } = target.deployed?.settings ?? {};
    return { checks, ...(stage !== undefined && { stages: { [stage]: blockOf({ stage, ...others }) } }) };
  },
  shows: ({ checks }) => [{ table: checks.map((one) => ({ ...one })), wraps: true }],
});
