import { rmSync } from 'node:fs';
import { HASH_BYTES } from '../../functions/c2sp/hashing.ts';
import { MINUTE_MS } from '../setup/time.ts';
import { LAG, openBenchLog } from './benchLog.ts';
import { median, quantile, sideBySide } from './measure.ts';
import { peakMemory } from './memory.ts';

/** `BENCH_LEAVES=10000000 npm run bench log` takes ten minutes and 1.5 GB of disk. */
const LEAVES = Number(process.env.BENCH_LEAVES ?? 1_000_000);
/** Uploads in the busy minute: 1000 a second. */
const BUSY = 60_000;
const ROUNDS = 3;
const PROOFS = 200;

/** Times from a minute on, evenly distributed over it. */
const minuteOf = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + Math.floor((index * MINUTE_MS) / count));

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Compares appends of a busy minute to a large log with those to a small log, and measures the large log. */
async function measureScale(): Promise<string[]> {
  const [small, large] = [await openBenchLog(), await openBenchLog()];
  for (const log of [small, large]) await log.run();
  await large.generate(LEAVES);
  let [peak, files] = [0, 0];
  const append = (log: typeof large) => async () => {
    const begin = log.now() - LAG;
    await log.upload(minuteOf(begin, BUSY));
    log.set(begin + MINUTE_MS + LAG);
    const measured = await peakMemory(log.run);
    const { outcome, milliseconds } = measured.result;
    if (outcome.appended !== BUSY) throw new Error(`${outcome.appended} entries were appended.`);
    [peak, files] = [measured.peak, measured.result.files];
    return milliseconds;
  };
  const times = await sideBySide(ROUNDS, { small: append(small), large: append(large) });
  const [before, after] = [median(times.small), median(times.large)];
  rmSync(small.folder, { recursive: true });
  const rows = [
    `| ${BUSY} entries to a log of at most ${ROUNDS * BUSY} | ${seconds(before)} | | |`,
    `| ${BUSY} entries to this log | ${seconds(after)} | ${peak.toFixed(0)} MiB | ${files} files |`,
    `| ratio | ${(after / before).toFixed(2)} | | |`,
  ];

  // An hour later the hourly reconciliation is due, a day later the daily one as well.
  for (const [name, hours] of [
    ['hourly reconciliation', 1],
    ['hourly and daily reconciliation', 23],
  ] as const) {
    await large.skip(hours);
    const { result, peak: reached } = await peakMemory(large.run);
    if (Object.values(result.outcome.found).some((found) => found !== 0)) throw new Error('A leaf was missing.');
    rows.push(`| ${name} | ${seconds(result.milliseconds)} | ${reached.toFixed(0)} MiB | |`);
  }

  const size = LEAVES + ROUNDS * BUSY;
  const proofTimes: number[] = [];
  let [tiles, hashes] = [0, 0];
  for (let round = 0; round < PROOFS; round += 1) {
    const reader = large.reader(size);
    const start = performance.now();
    const proof = await reader.inclusionProof(Math.floor((round / PROOFS) * size));
    proofTimes.push(performance.now() - start);
    tiles = Math.max(tiles, reader.tiles());
    hashes = Math.max(hashes, proof.length);
  }
  rmSync(large.folder, { recursive: true });
  return [
    `### Transparency log of ${LEAVES} leaves`,
    '',
    '| | time | memory at its peak | |',
    '|---|---|---|---|',
    ...rows,
    `| inclusion proof, median of ${PROOFS} | ${median(proofTimes).toFixed(1)} ms | | ${tiles} tiles, ${hashes} hashes of ${HASH_BYTES} bytes |`,
  ];
}

/**
 * Runs the sequencer on its schedule for some minutes, one of which is busy, and measures the time from the receipt of
 * each entry to the checkpoint that includes it. The clock is simulated between runs and real within them.
 */
async function measureInclusion(): Promise<string[]> {
  const log = await openBenchLog();
  await log.run();
  const start = log.now();
  const perMinute = [1200, 1200, BUSY, 1200, 1200];
  const waiting: number[] = [];
  const delays: number[] = [];
  const runs: number[] = [];
  // An arbitrary moment within the minutes of the entries.
  const phase = 17_000;
  for (let minute = 0; minute < perMinute.length + 2; minute += 1) {
    const received = minuteOf(start + minute * MINUTE_MS, perMinute[minute] ?? 0);
    await log.upload(received);
    waiting.push(...received);
    log.set(Math.max(log.now(), start + minute * MINUTE_MS + phase + MINUTE_MS));
    const began = log.now();
    const { outcome, milliseconds } = await log.run();
    runs.push(milliseconds);
    // The run took exactly the entries that were received before its start less the lag.
    const taken = waiting.filter((time) => time < began - LAG).length;
    if (outcome.appended < taken) throw new Error(`${outcome.appended} of ${taken} entries were appended.`);
    for (const time of waiting.splice(0, outcome.appended)) delays.push(log.now() - time);
  }
  if (waiting.length > 0) throw new Error(`${waiting.length} entries were not appended.`);
  rmSync(log.folder, { recursive: true });
  const shares = [0.5, 0.9, 0.99, 1] as const;
  return [
    `### From receipt to inclusion: ${delays.length} entries, of which ${BUSY} came in one minute`,
    '',
    '| | p50 | p90 | p99 | longest |',
    '|---|---|---|---|---|',
    `| delay | ${shares.map((share) => seconds(quantile(delays, share))).join(' | ')} |`,
    `| run of the sequencer | ${shares.map((share) => seconds(quantile(runs, share))).join(' | ')} |`,
  ];
}

/** Measures the transparency log: a busy minute, a large log, and the delay of inclusion. */
export const measureLog = async (): Promise<string[]> => [...(await measureScale()), '', ...(await measureInclusion())];
