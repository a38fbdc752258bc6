import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { command } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';
import { type Capacity, estimateCapacity, limitsIn } from '../../store/cost/capacity.ts';
import { assumptions, billedMs, estimateCost, logCostPerMillion } from '../../store/cost/estimateCost.ts';
import prices from '../../store/cost/prices.json' with { type: 'json' };

const UPLOADS_PER_DAY = 200;
const MINUTES_PER_DAY = 1440;

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1e9)) throw new InvalidArgumentError('It must be a number above 0, at most 1000000000.');
  return value;
}

function atLeastOne(text: string): number {
  const value = positive(text);
  if (value < 1) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

/** Returns a number with at most three digits after the point, as few as it needs: `1,167`, `11.7`, `0.23`. */
const amountOf = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 2 : value < 100 ? 1 : 0 });

async function showCapacity(terminal: Terminal, capacity: Capacity): Promise<void> {
  const { uploadsPerSecond, uploadsPerSecondOfTeam, executionsCold, executionsWarm, coldStarts, unitsPerUpload } =
    capacity;
  await terminal.print(`
The busiest minute: ${amountOf(uploadsPerSecond)} uploads per second, ${amountOf(uploadsPerSecondOfTeam)} of one team, ${unitsPerUpload} write units each.
Executions at the same time: ${amountOf(executionsCold)} if all start cold, then ${amountOf(executionsWarm)}. Cold starts: ${amountOf(coldStarts)}, in the first second.
`);
  await terminal.table(
    capacity.lines.map(({ limitOf, need, limit, share, above, action }) => ({
      limit: limitOf,
      need: amountOf(need),
      'at most': amountOf(limit),
      share: `${amountOf(100 * share)} %`,
      above,
      'what to do': action ?? '',
    })),
    { wraps: true },
  );
  await terminal.print(`
There is something to do about a need above half of its limit, and about new tables above their limit.
"above" is the HTTP status of uploads beyond the limit: after 429 and 503, clients send the identical request again.
docs/capacity.md explains the lines.`);
}

function region(text: string): string {
  if (!/^[a-z]{2}(-[a-z]+)+-\d$/.test(text)) {
    throw new InvalidArgumentError('It must be the name of a region, such as eu-south-1.');
  }
  return text;
}

function addSetting(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('A setting is NAME=VALUE, such as waf=false.');
  }
  return { ...before, [name]: value };
}

/** Loads the module that reads the template. It needs CDK, a development package that no other command loads. */
async function loadFixedCosts() {
  try {
    return await import('../../store/cost/fixedCosts.ts');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new Failure('usage', 'ailog ops cost needs the development packages, which are not installed.', {
      cause,
      advice: 'Run npm ci without --omit=dev.',
    });
  }
}

export default (terminal: Terminal) =>
  command('cost', {
    summary: 'Estimate what a deployment costs in a month, in dollars.',
    examples: [
      ['ops cost', '100 teams, 200 uploads a day each, 10 KB a log'],
      ['ops cost --teams 20 --uploads 50 --log-kb 4', 'a smaller competition'],
      ['ops cost --teams 500 --per-minute 7 --peak 20', 'the limits that the busiest minute meets, and what to do'],
      ['ops cost --months 12 -c waf=false', 'in the twelfth month, without the firewall'],
    ],
  })
    .option('--teams <n>', 'teams that upload', positive, 100)
    .option('--uploads <n>', 'uploads of one team in a day (default: 200)', positive)
    .addOption(
      new Option('--per-minute <n>', 'uploads of one team in a minute, day and night')
        .argParser(positive)
        .conflicts('uploads'),
    )
    .option('--peak <n>', 'the busiest minute, as a multiple of the average: shows which limits it meets', atLeastOne)
    .option('--teams-per-ip <n>', 'with --peak: teams that share an IP address (default: 1)', atLeastOne)
    .option('--region <name>', 'with --peak: the region, because some have smaller quotas (default: us-east-1)', region)
    .option('--log-kb <n>', 'size of one log in KB', positive, 10)
    .option('--months <n>', 'months for which logs have been stored', positive, 1)
    .addOption(
      new Option('-c, --context <name=value>', 'a setting of the deployment, as for cdk deploy; can be repeated')
        .argParser(addSetting)
        .default({ stage: 'prod' }, 'stage=prod'),
    )
    .action(async ({ teams, uploads, perMinute, peak, teamsPerIp, region, logKb, months, context, json }) => {
      if (teamsPerIp !== undefined && peak === undefined)
        throw new Failure('usage', '--teams-per-ip belongs to --peak N.');
      if (region !== undefined && peak === undefined) throw new Failure('usage', '--region belongs to --peak N.');
      const { countFixedCosts, settingsOf } = await loadFixedCosts();
      const uploadsPerDay = perMinute === undefined ? (uploads ?? UPLOADS_PER_DAY) : perMinute * MINUTES_PER_DAY;
      const usage = { teams, uploadsPerDay, logBytes: logKb * 1024, months };
      const demand = { ...usage, perMinute: uploadsPerDay / MINUTES_PER_DAY, teamsPerIp: teamsPerIp ?? 1 };
      const limits = limitsIn(region ?? prices.region);
      const capacity =
        peak === undefined ? undefined : estimateCapacity({ ...demand, peak }, settingsOf(context), limits);
      const lines = estimateCost(usage, countFixedCosts(context));
      const total = lines.reduce((sum, { dollars }) => sum + dollars, 0);
      const logPerMillion = logCostPerMillion(usage, lines);
      if (json) {
        const { region, asOf: pricesOf } = prices;
        return terminal.json({ ...usage, region, pricesOf, lines, total, logPerMillion, capacity });
      }

      const rate = perMinute === undefined ? `${uploadsPerDay} uploads a day` : `${perMinute} uploads a minute`;
      await terminal.print(`${teams} teams, ${rate} each of ${logKb} KB, month ${months}:\n`);
      await terminal.table(
        [...lines, { of: 'total', amount: `${teams} teams, ${rate} of ${logKb} KB`, dollars: total }].map(
          ({ of, amount, dollars }) => ({
            service: of,
            amount,
            '$ a month': dollars.toFixed(2).padStart('$ a month'.length),
          }),
        ),
      );
      const { loggedBytes, requestsPerDecrypt } = assumptions;
      await terminal.print(`
At this rate, the transparency log costs $${logPerMillion.toFixed(2)} for a million uploads: the lines that begin with "log,".
List prices of ${prices.asOf}, ${prices.region}, without free tier and tax.
Assumed: ${billedMs(usage.logBytes)} ms billed for an upload, ${loggedBytes} bytes of log lines for each, a key decrypted once in ${requestsPerDecrypt} uploads, no server errors.`);
      if (capacity) await showCapacity(terminal, capacity);
      else terminal.note('--peak N adds the limits that the busiest minute meets, and what to do about them.');
    });
