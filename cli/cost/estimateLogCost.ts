import { TILE_WIDTH } from '../../functions/c2sp/tiles.ts';
import { type CostLine, count, gigabytes, priceOf, SECONDS_PER_MONTH } from './costLine.ts';
import prices from './prices.json' with { type: 'json' };

interface LogUsage {
  /** Uploads, each of which is a leaf. */
  readonly entries: number;
  /** Months for which entries have been stored, this one included. */
  readonly months: number;
  /** The size of one stored entry, in bytes. */
  readonly entryBytes: number;
}

/** Values that cannot be derived and are assumed. */
const assumptions = {
  /** A run of the sequencer: billed milliseconds, and its memory. */
  runMs: 500,
  memoryGigabytes: 1,
  /** Read units of the queries of a run without entries: two minutes of eight partitions, and the head. */
  readUnitsPerRun: 10,
  /** Files that a run reads: the checkpoint, twice, and the partial tiles. */
  getsPerRun: 6,
  /**
   * Files that a batch of entries writes besides full tiles: staged entries, a partial bundle, partial tiles of four
   * levels, two checkpoints. Their bytes: partial tiles are half full on average.
   */
  filesPerBatch: 8,
  bytesPerBatch: 18_000,
  /** Bytes of an entry in the index, and bytes of a leaf in staged entries, bundle and tile. */
  indexBytes: 300,
  leafBytes: 98,
  /** The hours of entries that the hourly reconciliation reads. */
  hoursRead: 4,
} as const;

/** Returns the files that a month's entries make in a number of batches: a bundle and a tile for every 256 entries. */
export const filesOf = (entries: number, batches: number): number =>
  batches * assumptions.filesPerBatch + (2 * entries) / TILE_WIDTH;

/** Estimates what the transparency log costs in a month, part by part. */
export function estimateLogCost({ entries, months, entryBytes }: LogUsage): CostLine[] {
  const { lambda, dynamodb, kms, s3 } = prices;
  const runs = SECONDS_PER_MONTH / 60;
  const [days, hours] = [SECONDS_PER_MONTH / 86_400, SECONDS_PER_MONTH / 3600];
  const batches = Math.min(runs, entries);
  const files = filesOf(entries, batches);
  const stored = (months * (entries * assumptions.leafBytes + batches * assumptions.bytesPerBatch)) / 2 ** 30;
  const all = entries * months;

  // An eventually consistent read of 4 KB takes half a unit, and so does every query, if it finds nothing.
  const readUnits = (bytes: number) => bytes / 4096 / 2;
  const runUnits = runs * assumptions.readUnitsPerRun + readUnits(entries * assumptions.indexBytes);
  const hourlyUnits = hours * assumptions.hoursRead * 60 * 8 * 0.5 + readUnits(4 * entries * assumptions.indexBytes);
  // A scan consumes the units of whole items, bodies included.
  const dailyUnits = days * readUnits(all * entryBytes);
  const bundles = (days * all + assumptions.hoursRead * entries) / TILE_WIDTH;

  const line = (of: string, amount: string, ...dollars: number[]): CostLine => ({
    of: `log, ${of}`,
    amount,
    dollars: dollars.reduce((sum, one) => sum + one, 0),
  });
  return [
    line('index', count(entries, 'write units'), priceOf(entries, dynamodb.writes)),
    line(
      'sequencer',
      `${count(runs, 'runs')}, ${assumptions.runMs} ms each`,
      priceOf(runs * (assumptions.runMs / 1000) * assumptions.memoryGigabytes, lambda.compute),
      priceOf(runs, lambda.requests),
      priceOf(runUnits, dynamodb.reads),
      priceOf(runs * assumptions.getsPerRun, s3.gets),
    ),
    line('head', count(runs + batches, 'write units'), priceOf(runs + batches, dynamodb.writes)),
    line('files written', count(files, 'files'), priceOf(files, s3.puts)),
    line('signatures', count(batches, 'checkpoints'), priceOf(batches, kms.asymmetricRequests)),
    line(
      'reconciliation',
      `${count(hourlyUnits + dailyUnits, 'read units')}, ${count(bundles, 'files')}`,
      priceOf(hourlyUnits + dailyUnits, dynamodb.reads),
      priceOf(bundles, s3.gets),
    ),
    line('files stored', gigabytes(stored), priceOf(stored, s3.stored)),
  ];
}
