import { type CostLine, costLine, count, gigabytes, SECONDS_PER_MONTH } from './costLine.ts';
import { estimateAnalyticsCost } from './estimateAnalyticsCost.ts';
import { estimateLogCost, estimateReaderCost } from './estimateLogCost.ts';
import type { FixedCosts } from './fixedCosts.ts';
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

const GIGABYTE = 2 ** 30;

/** KMS charges for the first two rotations of a key. */
const CHARGED_ROTATIONS = 2;

/** Values that cannot be derived and are assumed. */
export const assumptions = {
  /** The duration that Lambda bills for a warm upload of up to 10 KB, in milliseconds, and the memory that it bills. */
  billedMs: 30,
  /** The addition of each further KB: docs/performance.md has 3.1 ms from 10 to 100 KB, on a whole core, not 0.58. */
  billedMsPerKb: 0.06,
  memoryGigabytes: 1,
  /** Bytes in both log groups for one request: the function's line with its metrics, and the gateway's line. */
  loggedBytes: 1400,
  /** Bytes that a run of the sequencer logs. */
  loggedBytesPerRun: 800,
  /** CloudWatch stores log lines compressed. */
  keptShare: 0.2,
  /** Bytes of a response with its headers, those of the gateway included. */
  responseBytes: 1200,
  /** One in this many requests meets an execution environment that has not decrypted its key yet. */
  requestsPerDecrypt: 50,
  /** X-Ray's default rule traces one request per second, and this share of the others. */
  tracedShare: 0.05,
} as const;

/** Returns the duration that Lambda bills for a warm upload of a log of this size, in milliseconds. */
export const billedMs = (logBytes: number): number =>
  Math.round(assumptions.billedMs + assumptions.billedMsPerKb * Math.max(0, logBytes / 1024 - 10));

/** Returns the cost of the transparency log for a million uploads at the rate of an estimate, in dollars. */
export function logCostPerMillion({ teams, uploadsPerDay }: Usage, lines: readonly CostLine[]): number {
  const ofLog = lines.filter(({ of }) => of.startsWith('log, ')).reduce((sum, { dollars }) => sum + dollars, 0);
  return (ofLog * 1e6) / (teams * uploadsPerDay * (SECONDS_PER_MONTH / 86_400));
}

/** Estimates the cost of a month, in the order in which a request passes the services, without the free tier. */
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

  const { gateway, transfer, lambda, dynamodb, kms, cloudwatch, xray, waf } = prices;
  const { firewalls, firewallRules, keys, alarmMetrics, dashboards, indexers, distributions } = fixedCosts;
  const entries = { entries: requests, months: usage.months };
  return [
    costLine(
      'firewall',
      `${firewalls} with ${firewallRules} rules`,
      [firewalls, waf.acls],
      [firewallRules, waf.rules],
      [firewalls * requests, waf.requests],
    ),
    costLine('gateway', count(requests, 'requests'), [requests, gateway.requests]),
    costLine('transfer', `${gigabytes(sent)} of responses`, [sent, transfer.out]),
    costLine(
      'function',
      `${duration} ms each`,
      [requests, lambda.requests],
      [requests * (duration / 1000) * assumptions.memoryGigabytes, lambda.compute],
    ),
    costLine('tables, writes', `${count(writeUnits, 'units')}, ${unitsPerUpload} each`, [writeUnits, dynamodb.writes]),
    costLine('tables, reads', count(readUnits, 'units'), [readUnits, dynamodb.reads]),
    costLine(
      'tables, stored and recoverable',
      gigabytes(stored),
      [stored, dynamodb.stored],
      [stored, dynamodb.recoverable],
    ),
    costLine('indexes, stored', gigabytes(indexed), [indexed, dynamodb.stored]),
    costLine(
      'keys',
      `${keys}, decrypted ${count(decryptions, 'times')}`,
      [keys, kms.keys],
      [decryptions, kms.requests],
    ),
    costLine('key rotation', count(rotations, 'rotations so far'), [rotations, kms.rotations]),
    ...estimateLogCost(entries),
    ...(distributions > 0 ? [estimateReaderCost(usage.teams)] : []),
    ...(indexers > 0 ? estimateAnalyticsCost(entries) : []),
    costLine('log lines', gigabytes(logged), [logged, cloudwatch.logged], [kept, cloudwatch.logsKept]),
    costLine('metrics', String(metrics), [metrics, cloudwatch.metrics]),
    costLine(
      'alarms and dashboard',
      `${alarmMetrics} metrics watched`,
      [alarmMetrics, cloudwatch.alarmMetrics],
      [dashboards, cloudwatch.dashboards],
    ),
    costLine('traces', count(traces, 'traces'), [traces, xray.traces]),
  ];
}
