import { type CostLine, count, gigabytes, SECONDS_PER_MONTH } from './costLine.ts';
import { estimateLogCost } from './estimateLogCost.ts';
import prices from './prices.json' with { type: 'json' };
import { storedBytes } from './storedBytes.ts';

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
  readonly alarmMetrics: number;
  readonly metrics: number;
  readonly dashboards: number;
  readonly firewalls: number;
  readonly firewallRules: number;
}

const MILLION = 1e6;
const GIGABYTE = 2 ** 30;

/** Values that cannot be derived and are assumed. */
export const assumptions = {
  /** The duration that Lambda bills for a warm upload of up to 10 KB, in milliseconds, and the memory that it bills. */
  billedMs: 30,
  /**
   * The addition of each further KB, in milliseconds. docs/performance.md measures 3.1 ms from 10 to 100 KB on a whole core, and
   * 1 GB of memory comes with 0.58 of a core.
   */
  billedMsPerKb: 0.06,
  memoryGigabytes: 1,
  /** Bytes in both log groups for one request: the function's line and metrics, the platform's lines, the gateway's line. */
  logBytes: 3000,
  /** One in this many requests meets an execution environment that has not decrypted its key yet. */
  requestsPerDecrypt: 50,
  /** X-Ray's default rule traces one request per second, and this share of the others. */
  tracedShare: 0.05,
} as const;

/** Returns the duration that Lambda bills for a warm upload, in milliseconds. @param logBytes size of the log as sent */
export const billedMs = (logBytes: number): number =>
  Math.round(assumptions.billedMs + assumptions.billedMsPerKb * Math.max(0, logBytes / 1024 - 10));

/** Returns what the transparency log costs for a million uploads, if they come at the rate of an estimate, in dollars. */
export function logCostPerMillion({ teams, uploadsPerDay }: Usage, lines: readonly CostLine[]): number {
  const ofLog = lines.filter(({ of }) => of.startsWith('log, ')).reduce((sum, { dollars }) => sum + dollars, 0);
  return (ofLog * MILLION) / (teams * uploadsPerDay * (SECONDS_PER_MONTH / 86_400));
}

/** Estimates the cost of a month, in the order in which a request passes the services. The free tier is not deducted. */
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
  const stored = (requests * usage.months * entryBytes) / GIGABYTE;
  const logged = (requests * assumptions.logBytes) / GIGABYTE;
  const untraced = Math.max(0, requests - SECONDS_PER_MONTH);
  const traces = Math.min(requests, SECONDS_PER_MONTH + untraced * assumptions.tracedShare);

  const line = (of: string, amount: string, dollars: number): CostLine => ({ of, amount, dollars });
  const { gateway, lambda, dynamodb, kms, cloudwatch, xray, waf } = prices;
  return [
    line(
      'firewall',
      `${fixedCosts.firewalls} with ${fixedCosts.firewallRules} rules`,
      fixedCosts.firewalls * waf.aclMonth +
        fixedCosts.firewallRules * waf.ruleMonth +
        (fixedCosts.firewalls * requests * waf.millionRequests) / MILLION,
    ),
    line('gateway', count(requests, 'requests'), (requests * gateway.millionRequests) / MILLION),
    line(
      'function',
      `${duration} ms each`,
      (requests * lambda.millionRequests) / MILLION +
        requests * (duration / 1000) * assumptions.memoryGigabytes * lambda.armGigabyteSecond,
    ),
    line(
      'tables, writes',
      `${count(writeUnits, 'units')}, ${unitsPerUpload} each`,
      (writeUnits * dynamodb.millionWriteUnits) / MILLION,
    ),
    line('tables, reads', count(readUnits, 'units'), (readUnits * dynamodb.millionReadUnits) / MILLION),
    line(
      'tables, stored and recoverable',
      gigabytes(stored),
      stored * (dynamodb.gigabyteMonthStored + dynamodb.gigabyteMonthRecoverable),
    ),
    line(
      'key',
      `${fixedCosts.keys}, decrypted ${count(requests / assumptions.requestsPerDecrypt, 'times')}`,
      fixedCosts.keys * kms.keyMonth + ((requests / assumptions.requestsPerDecrypt) * kms.tenThousandRequests) / 10_000,
    ),
    ...estimateLogCost({ entries: requests, months: usage.months, entryBytes }),
    line(
      'logs',
      gigabytes(logged),
      logged * (cloudwatch.gigabyteLogged + usage.months * cloudwatch.gigabyteMonthLogsKept),
    ),
    line('metrics', String(fixedCosts.metrics), fixedCosts.metrics * cloudwatch.metricMonth),
    line(
      'alarms and dashboard',
      `${fixedCosts.alarmMetrics} metrics watched`,
      fixedCosts.alarmMetrics * cloudwatch.alarmMetricMonth + fixedCosts.dashboards * cloudwatch.dashboardMonth,
    ),
    line('traces', count(traces, 'traces'), (traces * xray.millionTraces) / MILLION),
  ];
}
