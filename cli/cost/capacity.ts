import { SHARDS } from '../../functions/tlog/arrival.ts';
import { EVALUATION_SECONDS, floodLimit } from '../../infra/api/firewall.ts';
import { type Settings, settings as settingShapes } from '../../infra/settings.ts';
import {
  READ_UNITS_TAKEN,
  TABLE_QUOTA_WRITE_UNITS,
  uploadsToWarm,
  writesTaken,
} from '../../infra/storage/warmThroughput.ts';
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
  /** Teams that share an IP address. */
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
  /** Write units of a table and its indexes. */
  tableWrites: TABLE_QUOTA_WRITE_UNITS,
  /**
   * Execution environments that one function starts at once. After that, 1000 more in 10 s.
   * @see https://docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html
   */
  startedAtOnce: 1000,
  /**
   * Requests of each concurrent execution.
   * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
   */
  requestsPerExecution: 10,
  /**
   * Requests to all APIs of the account in most regions, and those in one burst. `limitsIn` has them for each region.
   */
  gatewayRequests: gatewayQuotas.usual.perSecond,
  gatewayBurst: gatewayQuotas.usual.burst,
  /**
   * Decryptions with symmetric keys, in the regions with the least.
   * @see https://docs.aws.amazon.com/kms/latest/developerguide/requests-per-second.html
   */
  decryptions: 10_000,
} as const;

/** Returns the limits of AWS in a region, such as `eu-south-1`. */
export function limitsIn(region: string): Readonly<Record<keyof typeof LIMITS, number>> {
  const { usual, small, smallRegions } = gatewayQuotas;
  const { perSecond, burst } = smallRegions.includes(region) ? small : usual;
  return { ...LIMITS, gatewayRequests: perSecond, gatewayBurst: burst };
}

/**
 * The time in which a new execution environment is not ready, in milliseconds. On a development machine, the first
 * upload of a process is accepted after about 0.1 s. Lambda has 0.58 of a core for 1 GB of memory, and starts the
 * environment too.
 */
const COLD_MS = 1000;

/**
 * The shards of the index by arrival that one partition holds at worst. A new index has four partitions of 1000 units,
 * and the keys of a minute get into them at random: more than six of eight in one partition happen in one of 650
 * minutes.
 */
const SHARDS_TOGETHER = 6;

/** A plan leaves as much again: a need above this share of its limit asks for more. */
const PLANNED_SHARE = 0.5;

/** A limit that uploads meet, in the order in which a request meets it. */
interface CapacityLine {
  readonly limitOf: string;
  readonly need: number;
  readonly limit: number;
  /** The need, divided by the limit. */
  readonly share: number;
  /** The HTTP status of uploads above the limit. Those with 429 or 503 say when to send them again. */
  readonly above: 403 | 429 | 503;
  /** The advice, if the need is more than half of the limit. */
  readonly action?: string;
}

/** The load of the busiest minute, and the limits that it meets. */
export interface Capacity {
  /** Uploads per second, of all teams and of one team. */
  readonly uploadsPerSecond: number;
  readonly uploadsPerSecondOfTeam: number;
  /** Executions at the same time: if the first ones all start cold, and later. */
  readonly executionsCold: number;
  readonly executionsWarm: number;
  /** Environments that start in the first second of the minute. */
  readonly coldStarts: number;
  /** The write units of one upload: the entry, its two index rows and its two counters. */
  readonly entryUnits: number;
  readonly unitsPerUpload: number;
  readonly lines: readonly CapacityLine[];
}

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
  limits: Readonly<Record<keyof typeof LIMITS, number>> = LIMITS,
): Capacity {
  const {
    uidQuota,
    ipQuota,
    windowSeconds,
    apiRateLimit,
    apiBurstLimit,
    accountConcurrency,
    reservedConcurrency,
    warmThroughput,
  } = settings;
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

  const line = (
    limitOf: string,
    [need, limit]: readonly [number, number],
    above: CapacityLine['above'],
    action: string,
  ): CapacityLine => {
    const share = need / limit;
    return { limitOf, need, limit, share, above, ...(share > PLANNED_SHARE && { action }) };
  };
  // A table is not asked for twice the need: it grows with its load, and warm throughput is paid.
  const newTable = (limitOf: string, amounts: readonly [number, number]) => {
    const { action: _, ...rest } = line(`new table ${limitOf} units/s`, amounts, 429, '');
    return rest.share > 1 ? { ...rest, action: warm } : rest;
  };
  const partition = (limitOf: string, need: number, action: string) =>
    line(`partition: ${limitOf}, units/s`, [need, limits.partitionWrites], 429, action);

  const lines = [
    ...(settings.waf
      ? [
          line(
            'firewall: one IP address, requests/min',
            [ofAddress * EVALUATION_SECONDS, floodLimit(settings)],
            403,
            twice('ipQuota', ofAddress * windowSeconds),
          ),
        ]
      : []),
    line('gateway: the stage, requests/s', [ofAll, apiRateLimit], 429, twice('apiRateLimit', ofAll)),
    line(
      'gateway: the account, requests/s',
      [ofAll, limits.gatewayRequests],
      429,
      `request the quota "Throttle rate": ${roundUp(2 * ofAll)}`,
    ),
    line(
      'gateway: one burst, requests',
      // Bots that act at the same moment send the uploads of a second at once.
      [ofAll, Math.min(apiBurstLimit, limits.gatewayBurst)],
      429,
      ofAll / PLANNED_SHARE <= limits.gatewayBurst
        ? twice('apiBurstLimit', ofAll)
        : 'cannot be raised: spread the uploads, or choose a region with larger bursts',
    ),
    line(
      'function: executions, all cold',
      [executionsCold, concurrency],
      503,
      `request the quota L-B99A9384: ${roundUp(2 * executionsCold)}, then ${twice(concurrencySetting, executionsCold)}`,
    ),
    line(
      'function: executions, warm',
      [executionsWarm, concurrency],
      503,
      `request the quota L-B99A9384: ${roundUp(2 * executionsWarm)}`,
    ),
    line(
      'function: started at once',
      [coldStarts, limits.startedAtOnce],
      503,
      'cannot be raised: let teams upload in the minute before',
    ),
    line(
      'function: requests/s',
      [ofAll, limits.requestsPerExecution * concurrency],
      503,
      `request the quota L-B99A9384: ${roundUp((2 * ofAll) / limits.requestsPerExecution)}`,
    ),
    line(
      'KMS: decryptions/s, all cold',
      // A new environment decrypts its receipt key, and the credentials of the team that it serves.
      [coldStarts * 2, limits.decryptions],
      503,
      'request the quota "Cryptographic operations (symmetric)"',
    ),
    newTable('ApiKeys: read', [ofAll, READ_UNITS_TAKEN]),
    newTable('Weights: write', [2 * ofAll, writesTaken('weights', warmThroughput)]),
    newTable('AiLogs: write', [entryUnits * ofAll, writesTaken('aiLogs', warmThroughput)]),
    line(
      'AiLogs and its indexes: write units/s',
      [(entryUnits + 2) * ofAll, limits.tableWrites],
      503,
      `request the quota "Table-level write throughput limit": ${roundUp(2 * (entryUnits + 2) * ofAll)}`,
    ),
    partition('entries of one UID', ofTeam * entryUnits, 'smaller logs, or fewer in a second'),
    partition('entries of one UID, its whole quota', (uidQuota / windowSeconds) * entryUnits, quotaToFit),
    partition('counter of one UID', ofTeam, 'a smaller uidQuota'),
    partition('counter of one IP address', ofAddress, 'ask teams for addresses of their own'),
    partition('index by order, one order', ofTeam, 'a smaller uidQuota'),
    partition(
      `index by arrival, one of ${SHARDS} shards`,
      ofAll / SHARDS,
      'more shards: SHARDS in functions/tlog/arrival.ts',
    ),
    partition(
      `index by arrival, ${SHARDS_TOGETHER} shards together`,
      (ofAll / SHARDS) * SHARDS_TOGETHER,
      'nothing: clients send again, and DynamoDB splits the partition',
    ),
    line(
      'quota: one UID, uploads per window',
      [ofTeam * windowSeconds, uidQuota],
      429,
      twice('uidQuota', ofTeam * windowSeconds),
    ),
    line(
      'quota: one IP address, uploads per window',
      [ofAddress * windowSeconds, ipQuota],
      429,
      twice('ipQuota', ofAddress * windowSeconds),
    ),
  ];
  return {
    uploadsPerSecond: ofAll,
    uploadsPerSecondOfTeam: ofTeam,
    executionsCold,
    executionsWarm,
    coldStarts,
    entryUnits,
    unitsPerUpload: entryUnits + 4,
    lines,
  };
}
