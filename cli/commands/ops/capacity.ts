import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { SHARDS } from '../../../functions/tlog/arrival.ts';
import { EVALUATION_SECONDS, floodLimit } from '../../../infra/api/floodLimit.ts';
import { readSettings, WrongSettings } from '../../../infra/readSettings.ts';
import { type Settings, settings as settingShapes } from '../../../infra/settings.ts';
import { uploadsToWarm, writesTaken } from '../../../infra/storage/warmThroughput.ts';
import { count } from '../../shell/terminal/arguments.ts';
import { command } from '../../shell/terminal/command.ts';
import { Failure } from '../../shell/terminal/failure.ts';
import type { Terminal } from '../../shell/terminal/terminal.ts';

/** The busiest minute. `peak`: a multiple of `perMinute`, the average of a team; `logKb`: the size of a log as sent. */
type Demand = Readonly<Record<'teams' | 'perMinute' | 'peak' | 'teamsPerIp' | 'logKb', number>>;

/** The limits of AWS, per second if nothing else is said. Quotas are the defaults of an account. */
const LIMITS = {
  /** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html */
  partitionWrites: 1000,
  /** Of a table and its indexes. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
  tableWrites: 40_000,
  /** Environments started at once. https://docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html */
  startedAtOnce: 1000,
  /** Of all APIs of the account, and in one burst. https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html */
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

/**
 * Computes the load of the busiest minute and the share of each limit that it takes. Uploads are spread evenly over the
 * minute and over the teams. If bots act in the same second, give that second's rate as the peak.
 */
function estimateCapacity(demand: Demand, settings: Settings, limits: typeof LIMITS) {
  const { teams, perMinute, peak, teamsPerIp, logKb } = demand;
  const { windowSeconds, uidQuota, apiRateLimit, warmThroughput, accountConcurrency, reservedConcurrency } = settings;
  const ofTeam = (perMinute * peak) / 60;
  const ofAll = teams * ofTeam;
  const ofAddress = Math.min(teamsPerIp, teams) * ofTeam;
  // The write units of an entry, which is stored compressed: `npm run bench capacity` measures them.
  const entryUnits = Math.ceil(0.7 + 0.31 * logKb);
  const unitsOfAll = (entryUnits + 2) * ofAll;
  // Until the first environment is ready, about a second later, each upload starts one of its own.
  const coldStarts = Math.ceil(ofAll);
  const concurrency = reservedConcurrency ?? accountConcurrency;
  const concurrencySetting = reservedConcurrency === undefined ? 'accountConcurrency' : 'reservedConcurrency';
  // Bots that act at the same moment send the uploads of a second at once.
  const burst = Math.min(settings.apiBurstLimit, limits.gatewayBurst);
  const twice = (need: number) => roundUp(need / PLANNED_SHARE);
  // One number warms both tables: in the table Weights, an upload takes two units.
  const forCounters = 2 * ofAll > writesTaken('weights') ? ofAll : 0;
  const toWarm = roundUp(Math.max(uploadsToWarm('aiLogs', ofAll * entryUnits), forCounters));
  const rate = ofAll > PLANNED_SHARE * apiRateLimit ? twice(ofAll) : apiRateLimit;
  const warm = `warmThroughput=${toWarm}${toWarm > rate ? ` apiRateLimit=${toWarm}` : ''}`;
  const canWarm = settingShapes.warmThroughput.parse(String(toWarm)) !== undefined;
  const advice = {
    executions: `request the quota L-B99A9384: ${twice(coldStarts)}, then ${concurrencySetting}=${twice(coldStarts)}`,
    startEarlier: 'cannot be raised: let teams upload in the minute before',
    smallerBurst: 'cannot be raised: spread the uploads, or choose a region with larger bursts',
    decryptions: 'request the quota "Cryptographic operations (symmetric)"',
    tableWrites: `request the quota "Table-level write throughput limit": ${twice(unitsOfAll)}`,
    warm: canWarm ? warm : 'more than warmThroughput can be: spread the uploads, or send smaller logs',
    uidQuota: `uidQuota=${Math.floor((PLANNED_SHARE * limits.partitionWrites * windowSeconds) / entryUnits)}`,
    ipQuota: `ipQuota=${twice(ofAddress * windowSeconds)}`,
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
  const quota = (of: string, setting: 'uidQuota' | 'ipQuota', perSecond: number) => {
    const need = perSecond * windowSeconds;
    return line(`quota: ${of}, uploads per window`, need, settings[setting], 429, `${setting}=${twice(need)}`);
  };
  const flood = ofAddress * EVALUATION_SECONDS;
  const largerBurst = twice(ofAll) <= limits.gatewayBurst ? `apiBurstLimit=${twice(ofAll)}` : advice.smallerBurst;
  const throttleRate = `request the quota "Throttle rate": ${twice(ofAll)}`;
  return {
    uploadsPerSecond: ofAll,
    /** Environments that start in the first second of the minute, if all are cold. */
    coldStarts,
    /** The write units of the entry, its two index rows and its two counters. */
    unitsPerUpload: entryUnits + 4,
    /** In the order in which a request meets the limits. */
    lines: [
      ...(settings.waf
        ? [line('firewall: one IP address, requests/min', flood, floodLimit(settings), 403, advice.ipQuota)]
        : []),
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
      partition('entries of one UID', ofTeam * entryUnits, 'smaller logs, or fewer in a second'),
      partition('entries of one UID, its whole quota', (uidQuota / windowSeconds) * entryUnits, advice.uidQuota),
      partition('counter of one IP address', ofAddress, 'ask teams for addresses of their own'),
      partition(
        `index by arrival, one of ${SHARDS} shards`,
        ofAll / SHARDS,
        'more SHARDS in functions/tlog/arrival.ts',
      ),
      quota('one UID', 'uidQuota', ofTeam),
      quota('one IP address', 'ipQuota', ofAddress),
    ],
  };
}

function positive(text: string): number {
  if (Number(text) > 0 && Number(text) <= 1e9) return Number(text);
  throw new InvalidArgumentError('It must be a number above 0, at most 1000000000.');
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

/** Returns the settings of a deployment: those of cdk.json, and those that are given. @throws Failure if one is wrong */
function settingsOf(given: Readonly<Record<string, string>>): Settings {
  const cdkJson = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'));
  try {
    return readSettings({ ...cdkJson.context, ...given });
  } catch (cause) {
    if (!(cause instanceof WrongSettings)) throw cause;
    throw new Failure('usage', cause.message, { cause });
  }
}

/** Returns a number with few digits after the point: `1,167`, `11.7`, `0.23`. */
const amountOf = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 2 : value < 100 ? 1 : 0 });

export default (terminal: Terminal) =>
  command('capacity', {
    summary: 'Show which limits the busiest minute meets, and which quotas to request from AWS.',
    examples: [
      ['ops capacity --teams 500 --per-minute 1 --peak 7', '500 teams, a log a minute, seven at the peak'],
      ['ops capacity --teams 500 --per-minute 7 --peak 60 --log-kb 100', 'seven large logs of each in one second'],
    ],
  })
    .requiredOption('--teams <n>', 'teams that upload', count)
    .requiredOption('--per-minute <n>', 'uploads of one team in a minute, on average', positive)
    .requiredOption('--peak <n>', 'the busiest minute, as a multiple of the average', count)
    .option('--teams-per-ip <n>', 'teams that share an IP address', count, 1)
    .option('--log-kb <n>', 'size of one log in KB', positive, 10)
    .option('--region <name>', 'the region, because some have smaller quotas', region, 'us-east-1')
    .option('-c, --context <name=value>', 'a setting, as for cdk deploy; can be repeated', addSetting, {
      stage: 'prod',
    })
    .action(async ({ region, context, json, ...demand }) => {
      const capacity = estimateCapacity(demand, settingsOf(context), limitsIn(region));
      if (json) return terminal.json({ ...demand, region, ...capacity });
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
      terminal.note('docs/capacity.md explains the lines. "above" is the HTTP status of uploads beyond the limit.');
    });
