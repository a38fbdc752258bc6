import { SHARDS } from '../../../functions/tlog/arrival.ts';
import { EVALUATION_SECONDS, floodLimit } from '../../../infra/api/firewall.ts';
import { type Settings, settings as settingShapes } from '../../../infra/settings.ts';
import { READ_UNITS_TAKEN, uploadsToWarm, writesTaken } from '../../../infra/storage/warmThroughput.ts';
import { billedMs } from './estimateCost.ts';
import gatewayQuotas from './gatewayQuotas.json' with { type: 'json' };
import { storedBytes } from './storedBytes.ts';

/** The busiest minute of a competition. */
export interface Demand {
  readonly teams: number;
  /** Uploads of one team in a minute, on average. */
  readonly perMinute: number;
  /** The busiest minute, as a multiple of the average. */
  readonly peak: number;
  readonly teamsPerIp: number;
  /** Size of one log as sent, in bytes. */
  readonly logBytes: number;
}

/** The limits of AWS, per second if nothing else is said. Quotas are the defaults of an account. */
export const LIMITS = {
  /**
   * Write units of one partition of a table or an index.
   * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
   */
  partitionWrites: 1000,
  /**
   * Write units of a table and its indexes.
   * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html
   */
  tableWrites: 40_000,
  /** Environments started at once. https://docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html */
  startedAtOnce: 1000,
  /** Requests of each execution. https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html */
  requestsPerExecution: 10,
  /** Requests to all APIs of the account in most regions, and those in one burst. `limitsIn` has other regions. */
  gatewayRequests: gatewayQuotas.usual.perSecond,
  gatewayBurst: gatewayQuotas.usual.burst,
  /**
   * Decryptions with symmetric keys, in the regions with the least.
   * @see https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html
   */
  decryptions: 10_000,
} as const;

type Limits = Readonly<Record<keyof typeof LIMITS, number>>;

/** Returns the limits of AWS in a region, such as `eu-south-1`. */
export function limitsIn(region: string): Limits {
  const { usual, small, smallRegions } = gatewayQuotas;
  const { perSecond, burst } = smallRegions.includes(region) ? small : usual;
  return { ...LIMITS, gatewayRequests: perSecond, gatewayBurst: burst };
}

/**
 * The time in which a new environment is not ready. On a development machine, the first upload of a process takes about
 * 0.1 s. Lambda has 0.58 of a core for 1 GB of memory, and starts the environment too.
 */
const COLD_MS = 1000;

/**
 * The shards of the index by arrival that one partition holds at worst. A new index has four partitions, and the keys
 * of a minute get into them at random: more than six of eight in one partition happen in one of 650 minutes.
 */
const SHARDS_TOGETHER = 6;

/** A plan leaves as much again: a need above this share of its limit asks for more. */
const PLANNED_SHARE = 0.5;

/** The load of the busiest minute, and the limits that it meets. */
export type Capacity = ReturnType<typeof estimateCapacity>;

/** Rounds up to two digits, such as 2334 to 2400. */
function roundUp(value: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.ceil(value / step) * step;
}

/** Returns the values of `name=value` for twice a need, as `-c` takes them. */
const twice = (name: string, need: number) => `${name}=${roundUp(need / PLANNED_SHARE)}`;

/**
 * Computes the load of the busiest minute and the share of each limit that it takes. Uploads are spread evenly over the
 * minute and over the teams. If bots act in the same second, give that second's rate as the peak.
 * @param limits the limits of AWS; a simulation gives smaller ones
 */
export function estimateCapacity(
  { teams, perMinute, peak, teamsPerIp, logBytes }: Demand,
  settings: Settings,
  limits: Limits = LIMITS,
) {
  const { windowSeconds, apiRateLimit, apiBurstLimit, accountConcurrency, reservedConcurrency, warmThroughput } =
    settings;
  const ofTeam = (perMinute * peak) / 60;
  const ofAll = teams * ofTeam;
  const ofAddress = Math.min(teamsPerIp, teams) * ofTeam;
  const entryUnits = Math.ceil(storedBytes(logBytes) / 1024);
  const coldStarts = Math.ceil((ofAll * COLD_MS) / 1000);
  const executionsWarm = Math.ceil((ofAll * billedMs(logBytes)) / 1000);
  const executionsCold = Math.ceil((ofAll * (COLD_MS + billedMs(logBytes))) / 1000);
  const concurrency = reservedConcurrency ?? accountConcurrency;
  const concurrencySetting = reservedConcurrency === undefined ? 'accountConcurrency' : 'reservedConcurrency';
  const toWarm = roundUp(uploadsToWarm('aiLogs', ofAll * entryUnits));
  const warm =
    settingShapes.warmThroughput.parse(String(toWarm)) === undefined
      ? 'more than warmThroughput can be: spread the uploads, or send smaller logs'
      : `warmThroughput=${toWarm}${toWarm > apiRateLimit ? ` apiRateLimit=${toWarm}` : ''}`;
  const quotaToFit = `uidQuota=${Math.floor((PLANNED_SHARE * limits.partitionWrites * windowSeconds) / entryUnits)}`;

  /** Returns a limit. `above`: the HTTP status beyond it; `action`: the advice, from the planned share on. */
  const line = (limitOf: string, need: number, limit: number, above: 403 | 429 | 503, action: string) => {
    const share = need / limit;
    return { limitOf, need, limit, share, above, ...(share > PLANNED_SHARE && { action }) };
  };
  /** Returns the advice to ask AWS for a quota of twice a need. */
  const request = (quota: string, need: number) => `request the quota ${quota}: ${roundUp(2 * need)}`;
  const executions = (need: number) => request('L-B99A9384', need);
  // A table is not asked for twice the need: it grows with its load, and warm throughput is paid.
  const newTable = (limitOf: string, need: number, limit: number) => {
    const { action: _, ...rest } = line(`new table ${limitOf} units/s`, need, limit, 429, '');
    return { ...rest, ...(rest.share > 1 && { action: warm }) };
  };
  const partition = (limitOf: string, need: number, action: string) =>
    line(`partition: ${limitOf}, units/s`, need, limits.partitionWrites, 429, action);
  const quota = (limitOf: string, setting: 'uidQuota' | 'ipQuota', need: number) =>
    line(`quota: ${limitOf}, uploads per window`, need, settings[setting], 429, twice(setting, need));

  // Bots that act at the same moment send the uploads of a second at once.
  const burst = Math.min(apiBurstLimit, limits.gatewayBurst);
  const largerBurst =
    ofAll / PLANNED_SHARE <= limits.gatewayBurst
      ? twice('apiBurstLimit', ofAll)
      : 'cannot be raised: spread the uploads, or choose a region with larger bursts';
  const ofWindow = ofAddress * windowSeconds;
  const flood = ofAddress * EVALUATION_SECONDS;
  const ofFunction = limits.requestsPerExecution * concurrency;
  const asCold = `${executions(executionsCold)}, then ${twice(concurrencySetting, executionsCold)}`;
  const unitsOfAll = (entryUnits + 2) * ofAll;
  const shard = ofAll / SHARDS;
  const uploadEarlier = 'cannot be raised: let teams upload in the minute before';
  const kmsQuota = 'request the quota "Cryptographic operations (symmetric)"';
  const tableQuota = request('"Table-level write throughput limit"', unitsOfAll);
  const noAction = 'nothing: clients send again, and DynamoDB splits the partition';
  const lines = [
    ...(settings.waf
      ? [line('firewall: one IP address, requests/min', flood, floodLimit(settings), 403, twice('ipQuota', ofWindow))]
      : []),
    line('gateway: the stage, requests/s', ofAll, apiRateLimit, 429, twice('apiRateLimit', ofAll)),
    line('gateway: the account, requests/s', ofAll, limits.gatewayRequests, 429, request('"Throttle rate"', ofAll)),
    line('gateway: one burst, requests', ofAll, burst, 429, largerBurst),
    line('function: executions, all cold', executionsCold, concurrency, 503, asCold),
    line('function: executions, warm', executionsWarm, concurrency, 503, executions(executionsWarm)),
    line('function: started at once', coldStarts, limits.startedAtOnce, 503, uploadEarlier),
    line('function: requests/s', ofAll, ofFunction, 503, executions(ofAll / limits.requestsPerExecution)),
    // A new environment decrypts its receipt key, and the credentials of the team that it serves.
    line('KMS: decryptions/s, all cold', coldStarts * 2, limits.decryptions, 503, kmsQuota),
    newTable('ApiKeys: read', ofAll, READ_UNITS_TAKEN),
    newTable('Weights: write', 2 * ofAll, writesTaken('weights', warmThroughput)),
    newTable('AiLogs: write', entryUnits * ofAll, writesTaken('aiLogs', warmThroughput)),
    line('AiLogs and its indexes: write units/s', unitsOfAll, limits.tableWrites, 503, tableQuota),
    partition('entries of one UID', ofTeam * entryUnits, 'smaller logs, or fewer in a second'),
    partition('entries of one UID, its whole quota', (settings.uidQuota / windowSeconds) * entryUnits, quotaToFit),
    partition('counter of one UID', ofTeam, 'a smaller uidQuota'),
    partition('counter of one IP address', ofAddress, 'ask teams for addresses of their own'),
    partition('index by order, one order', ofTeam, 'a smaller uidQuota'),
    partition(`index by arrival, one of ${SHARDS} shards`, shard, 'more shards: SHARDS in functions/tlog/arrival.ts'),
    partition(`index by arrival, ${SHARDS_TOGETHER} shards together`, shard * SHARDS_TOGETHER, noAction),
    quota('one UID', 'uidQuota', ofTeam * windowSeconds),
    quota('one IP address', 'ipQuota', ofWindow),
  ];
  return {
    uploadsPerSecond: ofAll,
    uploadsPerSecondOfTeam: ofTeam,
    /** Executions at the same time: if the first ones all start cold, and later. */
    executionsCold,
    executionsWarm,
    /** Environments that start in the first second of the minute. */
    coldStarts,
    entryUnits,
    /** The write units of the entry, its two index rows and its two counters. */
    unitsPerUpload: entryUnits + 4,
    /** In the order in which a request meets the limits. */
    lines,
  };
}
