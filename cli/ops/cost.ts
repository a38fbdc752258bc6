import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { command } from '../terminal/command.ts';
import { Failure } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { assumptions, estimateCost, logCostPerMillion } from './estimateCost.ts';
import prices from './prices.json' with { type: 'json' };

/** Reads a number above 0. */
function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1e9)) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}

/** Adds a setting, `NAME=VALUE`, to those before it. */
function addSetting(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('A setting is NAME=VALUE, such as waf=false.');
  }
  return { ...before, [name]: value };
}

/** Loads the module that reads the stack's template. It needs CDK, a development package that no other command loads. */
async function loadFixedCosts() {
  try {
    return await import('./fixedCosts.ts');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Failure('usage', 'ailog ops cost needs the development packages, which are not installed.', {
      cause,
      advice: 'Run npm ci without --omit=dev.',
    });
  }
}

export const estimateDeployment = (terminal: Terminal) =>
  command('cost', {
    summary: 'Estimate what a deployment costs in a month, in dollars.',
    examples: [
      ['ops cost', '100 teams, 200 uploads a day each, 10 KB a log'],
      ['ops cost --teams 20 --uploads 50 --log-kb 4', 'a smaller competition'],
      ['ops cost --months 12 -c waf=false', 'in the twelfth month, without the firewall'],
    ],
  })
    .option('--teams <n>', 'teams that upload', positive, 100)
    .option('--uploads <n>', 'uploads of one team in a day', positive, 200)
    .option('--log-kb <n>', 'size of one log in KB', positive, 10)
    .option('--months <n>', 'months for which logs have been stored', positive, 1)
    .addOption(
      new Option('-c, --context <name=value>', 'a setting of the deployment, as for cdk deploy; can be repeated')
        .argParser(addSetting)
        .default({ stage: 'prod' }, 'stage=prod'),
    )
    .action(async ({ teams, uploads, logKb, months, context, json }) => {
      const { countFixedCosts } = await loadFixedCosts();
      const usage = { teams, uploadsPerDay: uploads, logBytes: logKb * 1024, months };
      const lines = estimateCost(usage, countFixedCosts(context));
      const total = lines.reduce((sum, { dollars }) => sum + dollars, 0);
      const logPerMillion = logCostPerMillion(usage, lines);
      if (json) {
        return terminal.json({ ...usage, region: prices.region, pricesOf: prices.asOf, lines, total, logPerMillion });
      }

      await terminal.print(`${teams} teams, ${uploads} uploads a day each of ${logKb} KB, month ${months}:\n`);
      await terminal.table(
        [...lines, { of: 'total', amount: '', dollars: total }].map(({ of, amount, dollars }) => ({
          service: of,
          amount,
          '$ a month': dollars.toFixed(2).padStart('$ a month'.length),
        })),
      );
      const { billedMs, logBytes, requestsPerDecrypt } = assumptions;
      await terminal.print(`
At this rate, the transparency log costs $${logPerMillion.toFixed(2)} for a million uploads: the lines that begin with "log".
List prices of ${prices.asOf}, ${prices.region}, without free tier and tax. Assumed: ${billedMs} ms billed for an upload,
${logBytes} bytes of our own logs for each, a key decrypted once in ${requestsPerDecrypt} uploads, no errors.`);
    });
