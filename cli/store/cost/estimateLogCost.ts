import { TILE_WIDTH } from '../../../functions/c2sp/tiles.ts';
import { type CostLine, costLine, count, gigabytes, SECONDS_PER_MONTH } from './costLine.ts';
import prices from './prices.json' with { type: 'json' };

/** The entries of a deployment. */
export interface Entries {
  /** Uploads in a month, each of which is an entry. */
  readonly entries: number;
  /** Months for which entries have been stored, this one included. */
  readonly months: number;
}

/** Values that cannot be derived and are assumed. */
export const assumptions = {
  /** A run of the sequencer: billed milliseconds, and its memory. */
  runMs: 500,
  memoryGigabytes: 1,
  /**
   * Queries of a run, half a read unit each: eight shards of each minute of the window and after it, and of both ends.
   */
  queriesPerRun: 8 * (11 + 2),
  /** Read units of the head, and write units of its write: it has 432 marks of 26 bytes. */
  headReadUnits: 4,
  headWriteUnits: 12,
  /** Files that a run reads: the checkpoint, twice, and the partial tiles. */
  getsPerRun: 6,
  /** Files of a batch besides full tiles: staged entries, a partial bundle, a partial tile, two checkpoints. */
  filesPerBatch: 5,
  /** Partial tiles are half full on average. */
  bytesPerBatch: 14_000,
  /** The minutes whose entry hashes a run compares with the index: the window, and up to a mark before it. */
  minutesCompared: 16,
  /** Bytes of an entry in the index, and bytes of an entry hash in staged entries, bundle and tile. */
  indexBytes: 300,
  entryHashBytes: 98,
  /** Every ten minutes, each team reads the checkpoint and five tiles of a consistency proof. */
  readsPerReader: (6 * SECONDS_PER_MONTH) / 600,
  bytesPerRead: 7000,
} as const;

/** Returns the files of entries: for every 256, a bundle, a tile and, once a batch at most, a tile of level 1. */
export const filesOf = (entries: number, batches: number): number =>
  batches * assumptions.filesPerBatch + (2 * entries) / TILE_WIDTH + Math.min(batches, entries / TILE_WIDTH);

/** Estimates what the public path to the transparency log costs in a month, if S3 is asked for every file. */
export function estimateReaderCost(readers: number): CostLine {
  const reads = readers * assumptions.readsPerReader;
  const sent = (reads * assumptions.bytesPerRead) / 2 ** 30;
  return costLine(
    'public log, readers',
    `${readers}, ${count(reads, 'files')}, ${gigabytes(sent)}`,
    [reads, prices.cloudfront.requests],
    [reads, prices.s3.gets],
    [sent, prices.cloudfront.out],
  );
}

/** Estimates what the transparency log costs in a month, part by part. */
export function estimateLogCost({ entries, months }: Entries): CostLine[] {
  const { lambda, dynamodb, kms, s3 } = prices;
  const runs = SECONDS_PER_MONTH / 60;
  const hours = SECONDS_PER_MONTH / 3600;
  const batches = Math.min(runs, entries);
  // Hints, six times an hour.
  const files = filesOf(entries, batches) + 6 * hours;
  const stored = (months * (entries * assumptions.entryHashBytes + batches * assumptions.bytesPerBatch)) / 2 ** 30;

  // An eventually consistent read of 4 KB takes half a unit, and so does every query, if it finds nothing. A run reads
  // the entries of eleven minutes; the second look reads each hour once.
  const indexUnits = (minutes: number) => (minutes * (entries / runs) * assumptions.indexBytes) / 4096 / 2;
  const runUnits = runs * (assumptions.queriesPerRun / 2 + assumptions.headReadUnits + indexUnits(11));
  const lookUnits = hours * (480 / 2 + indexUnits(60));
  const compared = (runs * assumptions.minutesCompared + hours * 80) * (entries / runs / TILE_WIDTH) + 2 * runs;

  const headUnits = runs * assumptions.headWriteUnits;
  return [
    costLine('log, index', count(entries, 'write units'), [entries, dynamodb.writes]),
    costLine(
      'log, sequencer',
      `${count(runs, 'runs')}, ${assumptions.runMs} ms each`,
      [runs * (assumptions.runMs / 1000) * assumptions.memoryGigabytes, lambda.compute],
      [runs, lambda.requests],
      [runUnits, dynamodb.reads],
      [runs * assumptions.getsPerRun, s3.gets],
    ),
    costLine('log, head', count(headUnits, 'write units'), [headUnits, dynamodb.writes]),
    costLine('log, files written', count(files, 'files'), [files, s3.puts]),
    costLine('log, signatures', count(batches, 'checkpoints'), [batches, kms.asymmetricRequests]),
    costLine(
      'log, late entries',
      `${count(lookUnits, 'read units')}, ${count(compared, 'files')}`,
      [lookUnits, dynamodb.reads],
      [compared, s3.gets],
    ),
    costLine('log, files stored', gigabytes(stored), [stored, s3.stored]),
  ];
}
