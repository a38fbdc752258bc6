import { type CostLine, costLine, count, gigabytes, SECONDS_PER_MONTH } from './costLine.ts';
import type { Entries } from './estimateLogCost.ts';
import prices from './prices.json' with { type: 'json' };

/** Values that cannot be derived and are assumed. */
const assumptions = {
  memoryGigabytes: 2.94,
  /** Billed milliseconds of a batch, of each of its rows when it is stored, and again when its day is compacted. */
  batchMs: 200,
  rowMs: 1,
  compactedRowMs: 0.5,
  /** Partitions of the table, each of which has a stream. A new table has four. */
  streams: 4,
  batchRows: 1000,
  /** Bytes that a row and its text take in the files. */
  storedBytes: 223,
} as const;

/** Estimates what feature rows cost in a month, part by part. Reads of a stream by Lambda are free. */
export function estimateAnalyticsCost({ entries, months }: Entries): CostLine[] {
  const { lambda, s3 } = prices;
  const { streams, batchRows, batchMs, rowMs, compactedRowMs, memoryGigabytes, storedBytes } = assumptions;
  const batches = Math.max(Math.min(entries, (streams * SECONDS_PER_MONTH) / 60), entries / batchRows);
  const seconds = (batches * batchMs + entries * (rowMs + compactedRowMs)) / 1000;
  const stored = (months * entries * storedBytes) / 2 ** 30;
  return [
    costLine(
      'analytics, indexer',
      count(batches, 'batches'),
      [batches, lambda.requests],
      [seconds * memoryGigabytes, lambda.compute],
    ),
    // One file of rows and one of texts, each read once when its day is compacted.
    costLine('analytics, files written', count(2 * batches, 'files'), [2 * batches, s3.puts], [2 * batches, s3.gets]),
    costLine('analytics, files stored', gigabytes(stored), [stored, s3.stored]),
  ];
}
