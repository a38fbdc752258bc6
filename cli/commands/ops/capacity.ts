import { InvalidArgumentError } from '@commander-js/extra-typings';
import { BODY_LIMIT_BYTES } from '../../../functions/ailog/limits.ts';
import { SHARDS } from '../../../functions/tlog/arrival.ts';
import { EVALUATION_SECONDS, floodLimit } from '../../../infra/api/floodLimit.ts';
import { readStage, WrongSettings } from '../../../infra/readSettings.ts';
import { type Settings, settings as settingShapes } from '../../../infra/settings.ts';
import { uploadsToWarm, writesTaken } from '../../../infra/storage/warmThroughput.ts';
import { count, upTo } from '../../shell/terminal/arguments.ts';
import { command } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';

/** The busiest minute is `peak` times `perMinute`, within `seconds`. `logKb`: the size of a log as sent. */
type Demand = Readonly<Record<'teams' | 'perMinute' | 'peak' | 'seconds' | 'teamsPerIp' | 'logKb', number>>;

/** The limits of AWS, per second if nothing else is said. Quotas are the defaults of an account. */
const LIMITS = {
  /** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
  partitionWrites: 1000,
  /** Of a table and its indexes. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
  tableWrites: 40_000,
  /** Environments started at once. https://docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html */
  startedAtOnce: 1000,
  /** Of all APIs, and in one burst. https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
  gatewayRequests: 10_000,
  gatewayBurst: 5000,
  /** In the regions with the least. https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html */
  decryptions: 10_000,
};

/** The regions with a quarter of the usual quotas at the gateway. */
const SMALL_REGIONS =
  'af-south-1 ap-south-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-7 ca-west-1 eu-central-2 eu-south-1 eu-south-2 il-central-1 me-central-1 mx-central-1';

/** Returns the limits of AWS in a region, such as `eu-south-1`. */
const limitsIn = (region: string): typeof LIMITS =>
  SMALL_REGIONS.split(' ').includes(region) ? { ...LIMITS, gatewayRequests: 2500, gatewayBurst: 1250 } : LIMITS;

/** A plan leaves as much again: a need above this share of its limit asks for twice the need. */
const PLANNED_SHARE = 0.5;

/** Rounds up to two digits, such as 2334 to 2400. */
function roundUp(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / step) * step;
}

/** Computes the load of the busiest minute, spread evenly over the teams, and the share of each limit that it takes. */
function estimateCapacity(demand: Demand, settings: Settings, limits: typeof LIMITS) {
  const { teams, perMinute, peak, seconds, teamsPerIp, logKb } = demand;
  const { windowSeconds, uidQuota, apiRateLimit, warmThroughput, accountConcurrency, reservedConcurrency } = settings;
  const ofTeam = (perMinute * peak) / seconds;
  const ofAll = teams * ofTeam;
  const ofAddress = Math.min(teamsPerIp, teams) * ofTeam;
  // The write units of an entry, which is stored compressed: `npm run bench capacity` measures them.
  const entryUnits = Math.ceil(0.7 + 0.31 * logKb);
  const unitsOfAll = (entryUnits + 2) * ofAll;
  // Until the first environment is ready, about a second later, each upload starts one of its own.
  const coldStarts = Math.ceil(ofAll);
  const concurrency = reservedConcurrency ?? accountConcurrency;
  // Bots that act at the same moment send the uploads of a second at once.
  const burst = limits.gatewayBurst;
  const twice = (need: number) => roundUp(need / PLANNED_SHARE);
  const executions = Math.max(twice(coldStarts), accountConcurrency);
  const unreserved = reservedConcurrency === undefined ? '' : ', and leave reservedConcurrency unset';
  const inWindow = Math.min(seconds, windowSeconds);
  const uidQuotaAtMost = Math.floor((PLANNED_SHARE * limits.partitionWrites * windowSeconds) / entryUnits);
  // One number warms both tables: in the table Weights, an upload takes two units.
  const forCounters = 2 * ofAll > writesTaken('weights') ? ofAll : 0;
  const toWarm = roundUp(Math.max(uploadsToWarm('aiLogs', ofAll * entryUnits), forCounters));
  const rate = ofAll > PLANNED_SHARE * apiRateLimit ? twice(ofAll) : apiRateLimit;
  const warm = `warmThroughput=${toWarm}${toWarm > rate ? ` apiRateLimit=${toWarm}` : ''}`;
  const canWarm = settingShapes.warmThroughput.parse(String(toWarm)) !== undefined;
  const advice = {
    executions: `request the quota L-B99A9384: ${executions}, then accountConcurrency=${executions}${unreserved}`,
    startEarlier: 'cannot be raised: let teams upload in the minute before',
    smallerBurst: 'cannot be raised: spread the uploads, or choose a region with larger bursts',
    decryptions: 'request the quota "Cryptographic operations (symmetric)"',
    tableWrites: `request the quota "Table-level write throughput limit": ${twice(unitsOfAll)}`,
    warm: canWarm ? warm : 'more than warmThroughput can be: spread the uploads, or send smaller logs',
    shards: 'more SHARDS in functions/tlog/arrival.ts',
    smallerLogs: 'smaller logs, or fewer in a second',
    uidQuota: `uidQuota=${twice(ofTeam * inWindow)}`,
    ipQuota: `ipQuota=${twice(ofAddress * inWindow)}`,
  };
  /** Returns a limit. `above`: the HTTP status beyond it; `action`: the advice for a need above a share of the limit. */
  const line = (limitOf: string, need: number, limit: number, above: number, action: string, most = PLANNED_SHARE) => {
    const share = need / limit;
    return { limitOf, need, limit, share, above, ...(share > most && { action }) };
  };
  // A table is not asked for twice the need: it grows with its load, and warm throughput is paid.
  const newTable = (of: string, need: number, limit: number) =>
    line(`new table ${of} units/s`, need, limit, 429, advice.warm, 1);
  const partition = (of: string, need: number, action: string) =>
    line(`partition: ${of}, units/s`, need, limits.partitionWrites, 429, action);
  // A quota below twice the need of a team would have to be raised again.
  const smallerQuota = uidQuotaAtMost < twice(ofTeam * inWindow) ? advice.smallerLogs : `uidQuota=${uidQuotaAtMost}`;
  const inMinute = ofAddress * Math.min(seconds, EVALUATION_SECONDS);
  const firewall = line('firewall: one IP address, requests/min', inMinute, floodLimit(settings), 403, advice.ipQuota);
  const largerBurst = advice.smallerBurst;
  const throttleRate = `request the quota "Throttle rate": ${twice(ofAll)}`;
  return {
    uploadsPerSecond: ofAll,
    coldStarts,
    /** The write units of the entry, its two index rows and its two counters. */
    unitsPerUpload: entryUnits + 4,
    /** In the order in which a request meets the limits. */
    lines: [
      ...(settings.waf ? [firewall] : []),
      line('gateway: the stage, requests/s', ofAll, apiRateLimit, 429, `apiRateLimit=${twice(ofAll)}`),
      line('gateway: the account, requests/s', ofAll, limits.gatewayRequests, 429, throttleRate),
      line('gateway: one burst, requests', ofAll, burst, 429, largerBurst),
      line('function: executions, all cold', coldStarts, concurrency, 503, advice.executions),
      line('function: started at once', coldStarts, limits.startedAtOnce, 503, advice.startEarlier),
      // A new environment decrypts its receipt key, and the credentials of the team that it serves.
      line('KMS: decryptions/s, all cold', coldStarts * 2, limits.decryptions, 503, advice.decryptions),
      newTable('Weights: write', 2 * ofAll, writesTaken('weights', warmThroughput)),
      newTable('AiLogs: write', entryUnits * ofAll, writesTaken('aiLogs', warmThroughput)),
      line('AiLogs and its indexes: write units/s', unitsOfAll, limits.tableWrites, 503, advice.tableWrites),
      partition('entries of one UID', ofTeam * entryUnits, advice.smallerLogs),
      partition('entries of one UID, its whole quota', (uidQuota / windowSeconds) * entryUnits, smallerQuota),
      partition('counter of one IP address', ofAddress, 'ask teams for addresses of their own'),
      partition(`index by arrival, one of ${SHARDS} shards`, ofAll / SHARDS, advice.shards),
      line('quota: one UID, uploads per window', ofTeam * inWindow, uidQuota, 429, advice.uidQuota),
      line('quota: one IP address, uploads per window', ofAddress * inWindow, settings.ipQuota, 429, advice.ipQuota),
    ],
  };
}

function region(text: string): string {
  if (/^[a-z]{2}(-[a-z]+)+-\d$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the name of a region, such as eu-south-1.');
}

function addSetting(text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { ...before, [name]: value };
  throw new InvalidArgumentError('A setting is NAME=VALUE, such as waf=false.');
}

/** Returns the settings of a deployment, those of cdk.json and those that are given, or why they do not go together. */
function readGiven({ stage = 'prod', ...given }: Readonly<Record<string, string>>): Settings | string[] {
  try {
    return readStage(stage, given);
  } catch (error) {
    if (error instanceof WrongSettings) return error.message.split('\n');
    throw error;
  }
}

/** Returns a number with few digits after the point: `1,167`, `11.7`, `0.23`. */
const amountOf = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 2 : value < 100 ? 1 : 0 });

export default (terminal: Terminal) =>
  command('capacity', {
    summary: 'Show which limits the busiest minute meets, and which quotas to request from AWS.',
    examples: [
      ['ops capacity --teams 500 --per-minute 1 --peak 7 --in-one-second', '500 teams send seven logs in one second'],
    ],
  })
    .requiredOption('--teams <n>', 'teams that upload', count)
    .requiredOption('--per-minute <n>', 'uploads of one team in a minute, on average', upTo(1e9))
    .requiredOption('--peak <n>', 'the busiest minute, as a multiple of the average', count)
    .option('--in-one-second', 'all uploads of the busiest minute come in one second')
    .option('--teams-per-ip <n>', 'teams that share an IP address', count, 1)
    .option('--log-kb <n>', 'size of one log in KB', upTo(BODY_LIMIT_BYTES / 1024), 10)
    .option('--region <name>', 'the region, because some have smaller quotas', region, 'us-east-1')
    .option('-c, --context <name=value>', 'a setting to try; can be repeated', addSetting, {})
    .action(async ({ region, context, json, inOneSecond, ...options }) => {
      const settings = readGiven(context);
      if (Array.isArray(settings)) throw new Failure('usage', settings);
      const demand = { ...options, seconds: inOneSecond ? 1 : 60 };
      const capacity = estimateCapacity(demand, settings, limitsIn(region));
      const suggested = capacity.lines.flatMap(({ action = '' }) => [...action.matchAll(/(\w+)=(\d+)/g)]);
      const added = Object.fromEntries(suggested.map(([, name, value]) => [name, value]));
      const changed = readGiven({ ...context, ...added });
      const problems = Array.isArray(changed) ? changed : [];
      if (json) return terminal.json({ ...demand, region, ...capacity, problems });
      const load = `${amountOf(capacity.uploadsPerSecond)} uploads per second, ${capacity.unitsPerUpload} write units each`;
      await terminal.print(`The busiest minute: ${load}.\n`);
      const rows = capacity.lines.map(({ limitOf, need, limit, share, above, action = '' }) => ({
        limit: limitOf,
        need: amountOf(need),
        'at most': amountOf(limit),
        share: `${amountOf(100 * share)} %`,
        above,
        'what to do': action,
      }));
      await terminal.table(rows, { wraps: true });
      if (problems.length > 0) await terminal.print(['', 'These settings do not go together:', ...problems].join('\n'));
      terminal.note('docs/capacity.md explains the lines. "above" is the HTTP status of uploads beyond the limit.');
    });
