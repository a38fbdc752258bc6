import { parseArgs } from 'node:util';
import { WrongSettings } from '../../infra/settings.ts';
import { assumptions, estimateCost, type Usage } from './estimateCost.ts';
import { fixedCostsOf } from './fixedCosts.ts';
import prices from './prices.json' with { type: 'json' };

const HELP = `What a deployment costs in a month, in dollars.

  npm run cost -- [--teams 100] [--uploads 200] [--log-kb 10] [--months 1] [-c stage=prod]

  --teams N     teams that upload
  --uploads N   logs that each of them uploads a day
  --log-kb N    size of one log in KB
  --months N    for how many months logs have been coming in
  -c NAME=V     a setting of the deployment, as for cdk deploy; stage is prod unless it says otherwise`;

/** A positive number. @throws WrongSettings */
function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1e9)) throw new WrongSettings(`--${name} is "${text}": it must be a number above 0.`);
  return value;
}

function print(usage: Usage, context: Record<string, string>): void {
  const lines = estimateCost(usage, fixedCostsOf({ stage: 'prod', ...context }));
  const total = lines.reduce((sum, { dollars }) => sum + dollars, 0);
  const { teams, uploadsPerDay, logBytes, months } = usage;
  console.log(`${teams} teams, ${uploadsPerDay} uploads a day each of ${logBytes / 1024} KB, month ${months}:\n`);
  for (const { of, amount, dollars } of [...lines, { of: 'in all', amount: '', dollars: total }]) {
    console.log(`${of.padEnd(32)}${amount.padEnd(36)}${dollars.toFixed(2).padStart(10)}`);
  }
  const { billedMs, logBytes: logged, requestsPerDecrypt } = assumptions;
  console.log(`
List prices of ${prices.asOf}, ${prices.region}, without free tier and tax. Assumed: ${billedMs} ms billed for an upload,
${logged} bytes of our own logs for each, a key opened once in ${requestsPerDecrypt} uploads, no errors.`);
}

try {
  const { values } = parseArgs({
    options: {
      teams: { type: 'string', default: '100' },
      uploads: { type: 'string', default: '200' },
      'log-kb': { type: 'string', default: '10' },
      months: { type: 'string', default: '1' },
      context: { type: 'string', short: 'c', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) console.log(HELP);
  else {
    const usage = {
      teams: positive('teams', values.teams),
      uploadsPerDay: positive('uploads', values.uploads),
      logBytes: positive('log-kb', values['log-kb']) * 1024,
      months: positive('months', values.months),
    };
    print(usage, Object.fromEntries(values.context.map((setting) => setting.split(/=(.*)/s, 2) as [string, string])));
  }
} catch (error) {
  const isUsage = error instanceof WrongSettings || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!isUsage) throw error;
  console.error(`${(error as Error).message}\n\n${HELP}`);
  process.exitCode = 2;
}
