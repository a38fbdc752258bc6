import { setTimeout as sleep } from 'node:timers/promises';
import { openFixture, type Team } from '../setup/fixture.ts';
import { overHttp, type Transport } from '../setup/transports.ts';
import { signedUpload } from '../setup/upload.ts';
import { bareUpload, logOf, SIZES } from './handler.ts';
import { quantile } from './measure.ts';

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

/** Runs some work repeatedly for a time, with a fixed number in flight. @returns the time of each run, in milliseconds */
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

/** Compares uploads per second over HTTP with a loop that makes only their calls, with the same number in flight. */
export async function measureLoad(): Promise<string[]> {
  const fixture = await openFixture({ uidQuota: 900_000_000, ipQuota: 900_000_000 });
  const transport = await overHttp(fixture);
  const team = await fixture.team();
  const body = logOf(SIZES['1.5 KB']);
  const bare = bareUpload(fixture, team, body);
  await load(() => uploadOver(transport, team, body), 8, 2);
  const lines = [
    `### Load over HTTP, 1.5 KB logs, ${TURNS} turns of ${SECONDS} s each`,
    '',
    '| in flight | bare calls per second | uploads per second | ratio | p50 | p99 |',
    '|---|---|---|---|---|---|',
  ];
  for (const inFlight of [1, 8, 32, 128]) {
    const calls: number[] = [];
    const uploads: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      calls.push(...(await load(bare, inFlight, SECONDS)));
      uploads.push(...(await load(() => uploadOver(transport, team, body), inFlight, SECONDS)));
    }
    const [before, after] = [calls, uploads].map(({ length }) => length / TURNS / SECONDS) as [number, number];
    const [p50, p99] = [quantile(uploads, 0.5), quantile(uploads, 0.99)];
    lines.push(
      `| ${inFlight} | ${before.toFixed(0)} | ${after.toFixed(0)} | ${(after / before).toFixed(2)} | ${p50.toFixed(1)} ms | ${p99.toFixed(1)} ms |`,
    );
  }
  await transport.close();
  return lines;
}
