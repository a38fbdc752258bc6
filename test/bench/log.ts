import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { quantile } from '../../cli/shell/text/numbers.ts';
import { HASH_BYTES } from '../../functions/c2sp/hashing.ts';
import { MINUTE_MS } from '../setup/time.ts';
import { LAG, openBenchLog } from './benchLog.ts';
import { headOf, median, sideBySide } from './measure.ts';

/** The leaves of the large log. The small one has a tenth. 10 million take ten minutes and 1.5 GB of disk. */
const LEAVES = Number(process.env.BENCH_LEAVES ?? 10_000_000);
/** Uploads in the busy minute: 1000 a second. */
const BUSY = 60_000;
const ROUNDS = 7;
const PROOFS = 200;

/** Times from a minute on, evenly distributed over it. */
const minuteOf = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + Math.floor((index * MINUTE_MS) / count));

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Runs some work and measures the resident memory of this process at its peak, in MiB. Linux only. */
async function peakMemory<Result>(work: () => Promise<Result>): Promise<{ result: Result; peak: number }> {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  // Resets the peak to the present memory. Source: proc_pid_clear_refs(5).
  writeFileSync('/proc/self/clear_refs', '5');
  const result = await work();
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return { result, peak: Number(kilobytes) / 1024 };
}

/** Compares the runs of a log with those of one ten times as large: they must not depend on the size. */
async function measureScale(): Promise<string[]> {
  const [small, large] = [await openBenchLog(), await openBenchLog()];
  await small.generate(LEAVES / 10);
  await large.generate(LEAVES);
  type Figure = 'milliseconds' | 'cpu' | 'requests' | 'peak';
  const measured: ({ name: string; log: typeof large } & Record<Figure, number>)[] = [];
  const measure = async (name: string, log: typeof large) => {
    const { result, peak } = await peakMemory(log.run);
    measured.push({ name, log, ...result, peak });
    return result;
  };
  const append = (log: typeof large) => async () => {
    const begin = log.now() - LAG;
    await log.upload(minuteOf(begin, BUSY));
    log.set(begin + MINUTE_MS + LAG);
    const { outcome, milliseconds } = await measure(`${BUSY} entries of a minute`, log);
    if (outcome.appended !== BUSY) throw new Error(`${outcome.appended} entries were appended.`);
    return milliseconds;
  };
  const look = (log: typeof large) => async () => {
    await log.makeLookDue();
    log.set(log.now() + MINUTE_MS);
    const { outcome, milliseconds } = await measure('no entries, and a second look', log);
    if (outcome.found !== 0) throw new Error('A leaf was missing.');
    return milliseconds;
  };
  await sideBySide(ROUNDS, { small: append(small), large: append(large) });
  await sideBySide(ROUNDS, { small: look(small), large: look(large) });

  const rows = [...new Set(measured.map(({ name }) => name))].flatMap((name) => {
    const of = (log: typeof large, figure: Figure) =>
      median(measured.filter((one) => one.name === name && one.log === log).map((one) => one[figure]));
    const ratio = (figure: Figure) => (of(large, figure) / of(small, figure)).toFixed(2);
    const row = (log: typeof large, leaves: number) =>
      `| ${name}, ${leaves} leaves | ${seconds(of(log, 'milliseconds'))} | ${seconds(of(log, 'cpu'))} | ${of(log, 'requests')} | ${of(log, 'peak').toFixed(0)} MiB |`;
    return [
      row(small, LEAVES / 10),
      row(large, LEAVES),
      `| ratio | ${ratio('milliseconds')} | ${ratio('cpu')} | ${ratio('requests')} | ${ratio('peak')} |`,
    ];
  });

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
  for (const { folder } of [small, large]) rmSync(folder, { recursive: true });
  return [
    `### Transparency log of ${LEAVES} leaves, and of a tenth`,
    '',
    ...headOf(
      `| run, medians of ${ROUNDS}, alternately | time | CPU | calls to storage and index | memory at its peak |`,
    ),
    ...rows,
    '',
    `Inclusion proof, median of ${PROOFS}: ${median(proofTimes).toFixed(1)} ms, ${tiles} tiles, ${hashes} hashes of ${HASH_BYTES} bytes.`,
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
    ...headOf('| | p50 | p90 | p99 | longest |'),
    `| delay | ${shares.map((share) => seconds(quantile(delays, share))).join(' | ')} |`,
    `| run of the sequencer | ${shares.map((share) => seconds(quantile(runs, share))).join(' | ')} |`,
  ];
}

/** Measures the transparency log: a busy minute, a large log, and the delay of inclusion. */
export const measureLog = async (): Promise<string[]> => [...(await measureScale()), '', ...(await measureInclusion())];
