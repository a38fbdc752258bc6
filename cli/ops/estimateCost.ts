import { TILE_WIDTH } from '../../functions/tlog/tiles.ts';
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

/** One line of an estimate: the service, the amount of use, and dollars a month. */
export interface CostLine {
  readonly of: string;
  readonly amount: string;
  readonly dollars: number;
}

const DAYS = 365.25 / 12;
const MILLION = 1e6;
const GIGABYTE = 2 ** 30;

/** Values that cannot be derived and are assumed. */
export const assumptions = {
  /** The duration that Lambda bills for a warm upload, in milliseconds, and the memory that it bills. */
  billedMs: 30,
  memoryGigabytes: 1,
  /** Bytes in both log groups for one request: the function's line and metrics, the platform's lines, the gateway's line. */
  logBytes: 3000,
  /** One in this many requests meets an execution environment that has not decrypted its key yet. */
  requestsPerDecrypt: 50,
  /** A run of the sequencer, which is every minute: billed milliseconds, read units of its queries, and files that it reads. */
  runMs: 500,
  readUnitsPerRun: 10,
  getsPerRun: 6,
  /** Files that a batch of entries writes besides full tiles: staged entries, partial tiles of four levels, two checkpoints. */
  putsPerBatch: 8,
  /** X-Ray's default rule traces one request per second, and this share of the others. */
  tracedShare: 0.05,
} as const;

/** Estimates the cost of a month, in the order in which a request passes the services. The free tier is not deducted. */
export function estimateCost(usage: Usage, fixedCosts: FixedCosts): CostLine[] {
  const requests = usage.teams * usage.uploadsPerDay * DAYS;
  const entryBytes = storedBytes(usage.logBytes);
  const entryUnits = Math.ceil(entryBytes / 1024);
  // Two counters, the entry, and its rows in the indexes by order id and by arrival; each of them rounds up to a unit of 1 KB.
  const writeUnits = requests * (2 + entryUnits + 2);
  // API key and allowlist entry, read strongly consistent, each below 4 KB.
  const readUnits = requests * 2;
  const stored = (requests * usage.months * entryBytes) / GIGABYTE;
  const logged = (requests * assumptions.logBytes) / GIGABYTE;
  const seconds = DAYS * 86_400;
  const traces = Math.min(requests, seconds + Math.max(0, requests - seconds) * assumptions.tracedShare);

  // A run without new entries reads the checkpoint and the head, queries the index, and writes the head.
  const runs = seconds / 60;
  const batches = Math.min(runs, requests);
  const puts = batches * (assumptions.putsPerBatch + requests / batches / TILE_WIDTH);
  const logUnits = runs * assumptions.readUnitsPerRun * prices.dynamodb.millionReadUnits;

  const count = (number: number, unit: string) => `${Math.round(number).toLocaleString('en-US')} ${unit}`;
  const gigabytes = (number: number) => `${number.toFixed(1)} GB`;
  const line = (of: string, amount: string, dollars: number): CostLine => ({ of, amount, dollars });
  const { gateway, lambda, dynamodb, kms, s3, cloudwatch, xray, waf } = prices;
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
      `${count(writeUnits, 'units')}, ${2 + entryUnits + 2} each`,
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
    line(
      'transparency log',
      `${count(runs, 'runs')}, ${count(puts, 'files')}`,
      runs * (assumptions.runMs / 1000) * assumptions.memoryGigabytes * lambda.armGigabyteSecond +
        (runs * lambda.millionRequests) / MILLION +
        (logUnits + (runs + batches) * dynamodb.millionWriteUnits) / MILLION +
        (puts * s3.thousandPuts + runs * assumptions.getsPerRun * s3.thousandGets) / 1000 +
        (batches * kms.tenThousandAsymmetricRequests) / 10_000,
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
