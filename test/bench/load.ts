import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from '../../cli/shell/text/numbers.ts';
import { overHttp, signedUpload, type Team, type Transport, world } from '../setup/world.ts';
import { logOf, SIZES } from './handler.ts';
import { headOf, sideBySide } from './measure.ts';

/** Turns of each candidate, and the seconds of a turn. */
const TURNS = 4;
const SECONDS = 2;

let sent = 0;
/** Uploads a log over HTTP. @returns the time in milliseconds */
export async function uploadOver(transport: Transport, team: Team, body: string): Promise<number> {
  sent += 1;
  const timestamp = Date.now() + (sent % 20_000);
  const start = performance.now();
  const { status, text } = await transport.send(signedUpload(team, { body, timestamp: () => timestamp }));
  if (status !== 200) throw new Error(text);
  return performance.now() - start;
}

/** Runs some work for a time, with a fixed number in flight. @returns the time of each run in milliseconds */
export async function load(work: () => Promise<number>, inFlight: number, seconds: number): Promise<number[]> {
  const times: number[] = [];
  let over = false;
  const worker = async () => {
    while (!over) times.push(await work());
  };
  const workers = Array.from({ length: inFlight }, worker);
  await sleep(seconds * 1000);
  over = true;
  await Promise.all(workers);
  return times;
}

/** Returns the CPU time that a process has used, in milliseconds. Linux only, as the engine of the tests. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number) as [number, number];
  // The kernel counts in hundredths of a second.
  return (user + system) * 10;
}

/** A server under load: what it has accepted so far. */
interface Candidate {
  readonly transport: Awaited<ReturnType<typeof overHttp>>;
  /** The time of each upload in milliseconds. */
  times: number[];
  /** CPU milliseconds of the process. */
  cpu: number;
}

/** Compares the local service with a server that makes only the calls of an upload, in alternate turns. */
export async function measureLoad(): Promise<string[]> {
  const fixture = await world({ uidQuota: 900_000_000, ipQuota: 900_000_000 });
  const team = await fixture.team();
  const body = logOf(SIZES['1.5 KB']);
  // As npm start sets them: one line per upload is not among the figures.
  const quiet = { LOG_LEVEL: 'ERROR' };
  const environment = { ...fixture.environment, ...quiet };
  const work = { NAMES: JSON.stringify(fixture.names), TEAM: JSON.stringify(team), BODY: body };
  const program = fileURLToPath(new URL('./bareServer.ts', import.meta.url));
  const transports = {
    bare: await overHttp({ environment: { ...environment, ...work } } as never, program),
    service: await overHttp({ environment }),
  };
  for (const transport of Object.values(transports)) await load(() => uploadOver(transport, team, body), 8, 2);

  const lines = [
    `### Load over HTTP, 1.5 KB logs, ${TURNS} turns of ${SECONDS} s each`,
    '',
    ...headOf(
      '| in flight | five bare calls, per second | uploads per second | ratio | bare, CPU | CPU | ratio | p50 | p99 | p99 / p50 |',
    ),
  ];
  for (const inFlight of [1, 8, 32, 128]) {
    const candidate = (transport: Candidate['transport']): Candidate => ({ transport, times: [], cpu: 0 });
    const bare = candidate(transports.bare);
    const service = candidate(transports.service);
    const turn = (candidate: Candidate) => async () => {
      const { transport } = candidate;
      const before = cpuOf(transport.pid);
      // On an overloaded machine, calls to the engine time out. Only accepted uploads count.
      const times = await load(() => uploadOver(transport, team, body).catch(() => Number.NaN), inFlight, SECONDS);
      candidate.times.push(...times.filter((time) => !Number.isNaN(time)));
      candidate.cpu += cpuOf(transport.pid) - before;
      return 0;
    };
    await sideBySide(TURNS, { bare: turn(bare), service: turn(service) });
    const rate = ({ times }: Candidate) => times.length / TURNS / SECONDS;
    const cpu = (one: Candidate) => one.cpu / one.times.length;
    const ms = (one: Candidate, share: number) => `${quantile(one.times, share).toFixed(1)} ms`;
    const slow = quantile(service.times, 0.99) / quantile(service.times, 0.5);
    const compare = (of: (one: Candidate) => number, digits: number, unit: string) =>
      `${of(bare).toFixed(digits)}${unit} | ${of(service).toFixed(digits)}${unit} | ${(of(service) / of(bare)).toFixed(2)}`;
    lines.push(
      `| ${inFlight} | ${compare(rate, 0, '')} | ${compare(cpu, 2, ' ms')} | ` +
        `${ms(service, 0.5)} | ${ms(service, 0.99)} | ${slow.toFixed(1)} |`,
    );
  }
  for (const transport of Object.values(transports)) await transport.close();
  return lines;
}
