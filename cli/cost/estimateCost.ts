import { type CostLine, count, gigabytes, priceOf, SECONDS_PER_MONTH } from './costLine.ts';
import { estimateLogCost } from './estimateLogCost.ts';
import prices from './prices.json' with { type: 'json' };
import { ITEM_OVERHEAD_BYTES, indexedBytes, storedBytes } from './storedBytes.ts';

/** The use of a deployment. */
export interface Usage {
  readonly teams: number;
  /** Uploads of one team in a day. */
  readonly uploadsPerDay: number;
  /** Size of one log as sent, in bytes. */
  readonly logBytes: number;
  /** Months for which logs have been stored: their storage is billed too. */
  readonly months: number;
}

/** The parts of a deployment that cost money without being used, by their number. */
export interface FixedCosts {
  readonly keys: number;
  /** The keys among them whose material is replaced every year. */
  readonly rotatingKeys: number;
  readonly alarmMetrics: number;
  /** The metrics of a deployment without uploads: those of a run of the sequencer. */
  readonly idleMetrics: number;
  /** The metrics that uploads add, with every error that a team can cause. */
  readonly uploadMetrics: number;
  readonly dashboards: number;
  readonly firewalls: number;
  readonly firewallRules: number;
}

const GIGABYTE = 2 ** 30;

/** KMS charges for the first two rotations of a key. */
const CHARGED_ROTATIONS = 2;

/** Values that cannot be derived and are assumed. */
export const assumptions = {
  /** The duration that Lambda bills for a warm upload of up to 10 KB, in milliseconds, and the memory that it bills. */
  billedMs: 30,
  /**
   * The addition of each further KB, in milliseconds. docs/performance.md measures 3.1 ms from 10 to 100 KB on a whole
   * core, and 1 GB of memory comes with 0.58 of a core.
   */
  billedMsPerKb: 0.06,
  memoryGigabytes: 1,
  /** Bytes in both log groups for one request: the function's line with its metrics, and the gateway's line. */
  loggedBytes: 1400,
  /** Bytes that a run of the sequencer logs. */
  loggedBytesPerRun: 800,
  /** CloudWatch stores log lines compressed. */
  keptShare: 0.2,
  /** Bytes of a response with its headers, those of the gateway included. */
  responseBytes: 1100,
  /** One in this many requests meets an execution environment that has not decrypted its key yet. */
  requestsPerDecrypt: 50,
  /** X-Ray's default rule traces one request per second, and this share of the others. */
  tracedShare: 0.05,
} as const;

/**
 * Returns the duration that Lambda bills for a warm upload, in milliseconds.
 * @param logBytes size of the log as sent
 */
export const billedMs = (logBytes: number): number =>
  Math.round(assumptions.billedMs + assumptions.billedMsPerKb * Math.max(0, logBytes / 1024 - 10));

/**
 * Returns what the transparency log costs for a million uploads, if they come at the rate of an estimate, in dollars.
 */
export function logCostPerMillion({ teams, uploadsPerDay }: Usage, lines: readonly CostLine[]): number {
  const ofLog = lines.filter(({ of }) => of.startsWith('log, ')).reduce((sum, { dollars }) => sum + dollars, 0);
  return (ofLog * 1e6) / (teams * uploadsPerDay * (SECONDS_PER_MONTH / 86_400));
}

/**
 * Estimates the cost of a month, in the order in which a request passes the services. The free tier is not deducted.
 */
export function estimateCost(usage: Usage, fixedCosts: FixedCosts): CostLine[] {
  const requests = usage.teams * usage.uploadsPerDay * (SECONDS_PER_MONTH / 86_400);
  const duration = billedMs(usage.logBytes);
  const entryBytes = storedBytes(usage.logBytes);
  const entryUnits = Math.ceil(entryBytes / 1024);
  // Two counters, the entry, and its row in the index by order id; each of them rounds up to a unit of 1 KB.
  const unitsPerUpload = 2 + entryUnits + 1;
  const writeUnits = requests * unitsPerUpload;
  // API key and allowlist entry, read strongly consistent, each below 4 KB.
  const readUnits = requests * 2;
  const stored = (requests * usage.months * (entryBytes + ITEM_OVERHEAD_BYTES)) / GIGABYTE;
  const indexed = (requests * usage.months * indexedBytes()) / GIGABYTE;
  const sent = (requests * assumptions.responseBytes) / GIGABYTE;
  const runs = SECONDS_PER_MONTH / 60;
  const logged = (requests * assumptions.loggedBytes + runs * assumptions.loggedBytesPerRun) / GIGABYTE;
  const kept = logged * usage.months * assumptions.keptShare;
  const untraced = Math.max(0, requests - SECONDS_PER_MONTH);
  const traces = runs + Math.min(requests, SECONDS_PER_MONTH + untraced * assumptions.tracedShare);
  const decryptions = requests / assumptions.requestsPerDecrypt;
  const yearsBefore = Math.floor((usage.months - 1) / 12);
  const rotations = fixedCosts.rotatingKeys * Math.min(CHARGED_ROTATIONS, yearsBefore);
  const metrics = fixedCosts.idleMetrics + (requests >= 1 ? fixedCosts.uploadMetrics : 0);

  const line = (of: string, amount: string, ...dollars: number[]): CostLine => ({
    of,
    amount,
    dollars: dollars.reduce((sum, one) => sum + one, 0),
  });
  const { gateway, transfer, lambda, dynamodb, kms, cloudwatch, xray, waf } = prices;
  const { firewalls, firewallRules, keys, alarmMetrics, dashboards } = fixedCosts;
  return [
    line(
      'firewall',
      `${firewalls} with ${firewallRules} rules`,
      priceOf(firewalls, waf.acls),
      priceOf(firewallRules, waf.rules),
      priceOf(firewalls * requests, waf.requests),
    ),
    line('gateway', count(requests, 'requests'), priceOf(requests, gateway.requests)),
    line('transfer', `${gigabytes(sent)} of responses`, priceOf(sent, transfer.out)),
    line(
      'function',
      `${duration} ms each`,
      priceOf(requests, lambda.requests),
      priceOf(requests * (duration / 1000) * assumptions.memoryGigabytes, lambda.compute),
    ),
    line(
      'tables, writes',
      `${count(writeUnits, 'units')}, ${unitsPerUpload} each`,
      priceOf(writeUnits, dynamodb.writes),
    ),
    line('tables, reads', count(readUnits, 'units'), priceOf(readUnits, dynamodb.reads)),
    line(
      'tables, stored and recoverable',
      gigabytes(stored),
      priceOf(stored, dynamodb.stored),
      priceOf(stored, dynamodb.recoverable),
    ),
    line('indexes, stored', gigabytes(indexed), priceOf(indexed, dynamodb.stored)),
    line(
      'keys',
      `${keys}, decrypted ${count(decryptions, 'times')}`,
      priceOf(keys, kms.keys),
      priceOf(decryptions, kms.requests),
    ),
    line('key rotation', count(rotations, 'rotations so far'), priceOf(rotations, kms.rotations)),
    ...estimateLogCost({ entries: requests, months: usage.months, entryBytes }),
    line('log lines', gigabytes(logged), priceOf(logged, cloudwatch.logged), priceOf(kept, cloudwatch.logsKept)),
    line('metrics', String(metrics), priceOf(metrics, cloudwatch.metrics)),
    line(
      'alarms and dashboard',
      `${alarmMetrics} metrics watched`,
      priceOf(alarmMetrics, cloudwatch.alarmMetrics),
      priceOf(dashboards, cloudwatch.dashboards),
    ),
    line('traces', count(traces, 'traces'), priceOf(traces, xray.traces)),
  ];
}
