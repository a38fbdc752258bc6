import prices from './prices.json' with { type: 'json' };
import { storedBytes } from './storedBytes.ts';

/** How a service is used. */
export interface Usage {
  readonly teams: number;
  /** Of each team. */
  readonly uploadsPerDay: number;
  /** Of one log as it is sent. */
  readonly logBytes: number;
  /** For how many months logs have been coming in: what they have piled up is paid for too. */
  readonly months: number;
}

/** What of a stack costs without being used. */
export interface FixedCosts {
  readonly keys: number;
  readonly alarmMetrics: number;
  readonly metrics: number;
  readonly dashboards: number;
  readonly firewalls: number;
  readonly firewallRules: number;
}

/** One line of an estimate: what it is for, how much of it, and dollars a month. */
export interface CostLine {
  readonly of: string;
  readonly amount: string;
  readonly dollars: number;
}

const DAYS = 365.25 / 12;
const MILLION = 1e6;
const GIGABYTE = 2 ** 30;

/** What cannot be derived, and is assumed. */
export const assumptions = {
  /** Duration that Lambda bills for a warm upload, in milliseconds, and the memory it bills it for. */
  billedMs: 30,
  memoryGigabytes: 1,
  /** Of both logs together, of one request: the function's line and metrics, the platform's lines, the gateway's line. */
  logBytes: 3000,
  /** One in so many requests meets an execution that has not opened its key yet. */
  requestsPerDecrypt: 50,
  /** X-Ray's default rule: one request each second, and this share of the others. */
  tracedShare: 0.05,
} as const;

/** What a month of such a use costs, in the order in which a request meets the services. No free tier is deducted. */
export function estimateCost(usage: Usage, fixedCosts: FixedCosts): CostLine[] {
  const requests = usage.teams * usage.uploadsPerDay * DAYS;
  const entryBytes = storedBytes(usage.logBytes);
  const entryUnits = Math.ceil(entryBytes / 1024);
  // Two counters, the entry, and its row in the index by order id; each of them rounds up to a unit of 1 KB.
  const writeUnits = requests * (2 + entryUnits + 1);
  // Key and allowlist entry, strongly consistent, each below 4 KB.
  const readUnits = requests * 2;
  const stored = (requests * usage.months * entryBytes) / GIGABYTE;
  const logged = (requests * assumptions.logBytes) / GIGABYTE;
  const seconds = DAYS * 86_400;
  const traces = Math.min(requests, seconds + Math.max(0, requests - seconds) * assumptions.tracedShare);

  const count = (number: number, unit: string) => `${Math.round(number).toLocaleString('en-US')} ${unit}`;
  const gigabytes = (number: number) => `${number.toFixed(1)} GB`;
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
      `${assumptions.billedMs} ms each`,
      (requests * lambda.millionRequests) / MILLION +
        requests * (assumptions.billedMs / 1000) * assumptions.memoryGigabytes * lambda.armGigabyteSecond,
    ),
    line(
      'tables, writes',
      `${count(writeUnits, 'units')}, ${2 + entryUnits + 1} each`,
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
      `${fixedCosts.keys}, opened ${count(requests / assumptions.requestsPerDecrypt, 'times')}`,
      fixedCosts.keys * kms.keyMonth + ((requests / assumptions.requestsPerDecrypt) * kms.tenThousandRequests) / 10_000,
    ),
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
