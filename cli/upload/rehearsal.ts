import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exampleLog } from '../../infra/openapi/exampleLog.ts';
import { quantile } from '../shell/text/numbers.ts';
import { attempt, signRequest } from './attempt.ts';
import type { MadeUpTeam } from './madeUpTeams.ts';
import { findReceiptProblem } from './receiptProblem.ts';

/** The busiest minute has `peak` times as many uploads as the others. `perMinute`: those of a team in one of these. */
export type Demand = Readonly<Record<'teams' | 'perMinute' | 'peak' | 'minutes', number>> & {
  /** All uploads of the busiest minute come in its first second. */
  readonly inOneSecond?: true | undefined;
};

/** What the scenario of docs/capacity.md costs, for a million of its uploads. */
export const DOLLARS_PER_MILLION = 17.5;

/** The sizes of logs as bots write them, in bytes: those of the kinds of `test/bench/corpus.ts`. */
// biome-ignore format: a list
export const LOG_BYTES = [
  3400, 400, 250, 700, 12_000, 9000, 8000, 6000, 5000, 4500, 7000, 9000, 6000, 5000, 8000, 3500, 7000, 14_000, 9000, 60_000,
];

/** Returns a log of about this size that takes as many write units as those of bots, whose input is mostly prices. */
export function logOf(bytes: number): Buffer {
  const price = () => `${randomInt(91_000, 92_000)}.${randomInt(10, 100)}`;
  const candle = () => [price(), price(), price(), price(), `${randomInt(100, 1000)}.${randomInt(1000, 10_000)}00`];
  const candles = Array.from({ length: Math.max(0, Math.round((bytes - 196) / 59)) }, candle);
  const orderId = `59${randomInt(1e8, 1e9)}${randomInt(1e6, 1e7)}`;
  return Buffer.from(JSON.stringify({ ...exampleLog, orderId, input: { symbol: 'BTCUSDT', candles } }));
}

/** An upload of a rehearsal: when it is due, in milliseconds since the start, and whether the busiest minute has it. */
type Due = Readonly<{ at: number; isPeak: boolean }>;

/** Plans the uploads of all teams, in the order of their times. The busiest minute is in the middle. */
export function planUploads({ teams, perMinute, peak, minutes, inOneSecond }: Demand): Due[] {
  return Array.from({ length: Math.ceil(minutes) }, (_, minute) => {
    const isPeak = minute === Math.floor(minutes / 2);
    const length = Math.min(1, minutes - minute);
    const uploads = Math.round(teams * perMinute * (isPeak ? peak : 1) * length);
    const span = isPeak && inOneSecond ? 1000 : 60_000 * length;
    return Array.from({ length: uploads }, (_, index) => ({ at: 60_000 * minute + (span * index) / uploads, isPeak }));
  }).flat();
}

interface Answer {
  readonly isPeak: boolean;
  /** The milliseconds until it came, and those by which the upload was sent too late. */
  readonly ms: number;
  readonly late: number;
  /** `accepted`, or the status and the code, such as `429 42901`. */
  readonly verdict: string;
  readonly hasReceipt: boolean;
}

/** Uploads one log after the other when it is due, in turn for each team. Answers are not waited for. */
export async function sendPlan(
  plan: readonly Due[],
  teams: readonly MadeUpTeam[],
  { url, timeout, stop }: { url: string; timeout: number; stop: AbortSignal },
) {
  const start = Date.now();
  const before = process.cpuUsage();
  let quota: { readonly uploads: number; readonly seconds: number } | undefined;
  const send = async ({ at, isPeak }: Due, index: number): Promise<Answer> => {
    const team = teams[index % teams.length] as MadeUpTeam;
    const body = logOf(LOG_BYTES[index % LOG_BYTES.length] as number);
    const request = signRequest({ ...team, url }, body, Date.now());
    const sent = performance.now();
    const late = Date.now() - start - at;
    const reply = await attempt(request, { timeout, stop: new AbortController().signal });
    const [, uploads, seconds] = /"ip";q=(\d+);w=(\d+)/.exec(reply.ratePolicy ?? '') ?? [];
    if (seconds !== undefined) quota = { uploads: Number(uploads), seconds: Number(seconds) };
    const { status = 'no answer', code = '' } = reply;
    const { entryId } = request;
    const hasReceipt =
      reply.receipt !== undefined && !findReceiptProblem(reply.receipt, { entryId, body, uid: team.uid });
    const verdict = reply.verdict === 'stored' ? 'accepted' : `${status} ${code}`.trim();
    return { isPeak, ms: performance.now() - sent, late, verdict, hasReceipt };
  };
  const answers: Promise<Answer>[] = [];
  for (const [index, due] of plan.entries()) {
    const wait = start + due.at - Date.now();
    if (wait > 0) await sleep(wait, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) break;
    answers.push(send(due, index));
  }
  const all = await Promise.all(answers);
  const { user, system } = process.cpuUsage(before);
  return { answers: all, quota, cpuMs: (user + system) / 1000 / Math.max(1, all.length) };
}

/** A core of a machine that is busy for longer than this share of the time sends late. */
const BUSY_SHARE = 0.7;

/** Computes how many machines like this one the peak takes, by the time of its core and the quota of its address. */
function machinesFor({ teams, perMinute, peak, inOneSecond }: Demand, { quota, cpuMs }: Sent): number {
  const uploads = teams * perMinute * peak;
  const seconds = inOneSecond ? 1 : 60;
  const byCore = (uploads * cpuMs) / (seconds * 1000 * BUSY_SHARE);
  const inWindow = uploads * Math.min(1, (quota?.seconds ?? 0) / seconds);
  return Math.max(1, Math.ceil(byCore), Math.ceil(inWindow / (quota?.uploads ?? 1)));
}

type Sent = Awaited<ReturnType<typeof sendPlan>>;

/** Summarizes the answers of a rehearsal: by their kind, and their times in milliseconds. */
export function summarize(demand: Demand, sent: Sent) {
  const { answers, cpuMs } = sent;
  const timesOf = (some: readonly Answer[]) => {
    const at = (share: number) =>
      Math.round(
        quantile(
          some.map(({ ms }) => ms),
          share,
        ),
      );
    return some.length === 0 ? undefined : { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  };
  const { accepted = [], ...refused } = Object.groupBy(answers, ({ verdict }) => verdict);
  return {
    uploads: answers.length,
    accepted: accepted.length,
    refused: Object.fromEntries(Object.entries(refused).map(([verdict, some = []]) => [verdict, some.length])),
    withoutReceipt: accepted.filter(({ hasReceipt }) => !hasReceipt).length,
    answerMs: timesOf(answers),
    answerMsInPeak: timesOf(answers.filter(({ isPeak }) => isPeak)),
    sentLateMs: Math.round(Math.max(0, ...answers.map(({ late }) => late))),
    cpuMs: Math.round(cpuMs * 10) / 10,
    machines: machinesFor(demand, sent),
  };
}
