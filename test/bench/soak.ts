/**
 * `npm run bench soak`: uploads without a pause for `BENCH_MINUTES` (default: ten) and samples the memory of the
 * service. Fails if the second half needs much more memory than the first.
 */
import { execFileSync } from 'node:child_process';
import { overHttp, world } from '../setup/world.ts';
import { logOf, SIZES } from './handler.ts';
import { load, uploadOver } from './load.ts';
import { headOf, median } from './measure.ts';

const MINUTES = Number(process.env.BENCH_MINUTES ?? 10);
const IN_FLIGHT = 8;
/** The number of memory samples. */
const SAMPLES = 20;

/** Measures the memory of the service under load. */
export async function measureSoak(): Promise<string[]> {
  if (!(MINUTES > 0)) throw new Error(`BENCH_MINUTES must be greater than 0, not "${process.env.BENCH_MINUTES}".`);
  const fixture = await world({ uidQuota: 900_000_000, ipQuota: 900_000_000 });
  // Keep the service quiet: this process would store its output.
  const quiet = { LOG_LEVEL: 'SILENT' };
  const transport = await overHttp({ ...fixture, environment: { ...fixture.environment, ...quiet } });
  const teams = await Promise.all(Array.from({ length: 100 }, () => fixture.team()));
  const body = logOf(SIZES['10 KB']);

  /** Returns the resident memory of the service, in MiB. */
  const memory = () =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(transport.pid)], { encoding: 'utf8' })) / 1024;

  const lines = ['### Memory of the service under load', '', ...headOf('| minute | uploads | memory |')];
  const readings: number[] = [];
  let uploads = 0;
  for (let sample = 1; sample <= SAMPLES; sample += 1) {
    const times = await load(
      () => uploadOver(transport, teams[uploads++ % teams.length] as (typeof teams)[0], body),
      IN_FLIGHT,
      (MINUTES * 60) / SAMPLES,
    );
    readings.push(memory());
    lines.push(
      `| ${((sample * MINUTES) / SAMPLES).toFixed(1)} | ${times.length} | ${readings.at(-1)?.toFixed(0)} MiB |`,
    );
  }
  // The first tenth warms up.
  const [first, second] = [readings.slice(2, 11), readings.slice(11)].map(median) as [number, number];
  lines.push(
    '',
    `${uploads} uploads. Median memory: first half ${first.toFixed(0)} MiB, second half ${second.toFixed(0)} MiB`,
  );
  if (second > first * 1.2) process.exitCode = 1;
  await transport.close();
  return lines;
}
