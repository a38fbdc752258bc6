import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import type { Credentials } from '../../functions/auth/credentialStore.ts';
import { exampleLog } from '../../infra/openapi/exampleLog.ts';
import { entryHashOfRow } from '../proof/log/rowPlace.ts';
import { quantile } from '../shell/text/numbers.ts';
import { entriesReader } from '../store/entries/entriesReader.ts';
import { allowlistEditor } from '../store/tables/allowlistEditor.ts';
import { apiKeysEditor } from '../store/tables/apiKeysEditor.ts';
import { issueKey } from '../store/tables/issueKey.ts';
import { failWrite } from '../store/tables/recordedTable.ts';
import type { Target } from '../store/targets/target.ts';
import { attempt, signRequest } from './attempt.ts';
import { findReceiptProblem } from './receiptProblem.ts';

type MadeUpTeam = Credentials & Readonly<Record<'uid' | 'accessKey', string>>;

/** Marks the allowlist entries and the keys of made-up teams. Items without this mark are never removed. */
const MARK = 'made up by ailog ops rehearse';

/** Runs work on each of some items, a few at once. When it returns or throws, none is running. */
const forEach = <Item, Result>(items: Iterable<Item>, work: (item: Item) => Promise<Result>): Promise<Result[]> =>
  pMap(items, work, { concurrency: 8, stopOnError: false }).catch((error) => {
    throw error instanceof AggregateError ? error.errors[0] : error;
  });

/** Returns UIDs that no other run uses at the same time, also on another machine. */
export function madeUpUids(count: number): string[] {
  const run = randomInt(100_000_000, 1_000_000_000);
  return Array.from({ length: count }, (_, index) => `9${run}${String(index).padStart(6, '0')}`);
}

/** Approves made-up teams, and gives each a key. Their credentials are stored nowhere else. */
export async function makeTeams(target: Target, uids: readonly string[]): Promise<MadeUpTeam[]> {
  const [updatedBy, at] = [await target.who(), await target.now()];
  const approved = { status: 'approved', note: MARK, updatedBy, updatedAt: new Date(at).toISOString() } as const;
  return forEach(uids, async (uid) => {
    const entry = { uid, team: `Rehearsal ${uid}`, ...approved };
    const { outcome } = await allowlistEditor(target).replace(undefined, entry);
    const advice = 'Run the command again: it uses other UIDs.';
    if (outcome !== 'stored') throw failWrite(`UID ${uid}`, outcome, { changed: advice, unknown: advice });
    const { apiKey, credentials } = await issueKey(uid, { seal: target.seal, at, label: MARK, updatedBy });
    await apiKeysEditor(target).put(apiKey);
    return { uid, accessKey: apiKey.accessKey, ...credentials };
  });
}

/** Returns the UIDs of all made-up teams: also those of a run that was cut off. */
export const findMadeUpUids = async (target: Target): Promise<string[]> =>
  (await Array.fromAsync(allowlistEditor(target).all())).flatMap(({ note, uid }) => (note === MARK ? uid : []));

/**
 * Deletes entries and keys of made-up teams, and last their allowlist entries, by which a later run finds what is left.
 * @param noteLeaves is told the entry hashes in hex, before they are deleted @returns the number of deleted entries
 */
export async function removeTeams(
  target: Target,
  uids: readonly string[],
  noteLeaves: (leaves: readonly string[]) => void,
): Promise<number> {
  const { db, tables } = target;
  const remove = (TableName: string, Key: Record<string, string>) => db.send(new DeleteCommand({ TableName, Key }));
  const reader = entriesReader(target);
  let removed = 0;
  await forEach(uids, async (uid) => {
    const readPage = async () => (await reader.page(uid, {}, { limit: 100 })).entries;
    for (let entries = await readPage(); entries.length > 0; entries = await readPage()) {
      noteLeaves(entries.flatMap((entry) => entryHashOfRow(entry)?.toString('hex') ?? []));
      await forEach(entries, ({ entryId }) => remove(tables.aiLogs, { uid, entryId }));
      removed += entries.length;
    }
    const names = await Array.fromAsync(apiKeysEditor(target).namesOf(uid));
    for (const accessKey of names) await remove(tables.apiKeys, { accessKey });
    await remove(tables.allowlist, { uid });
  });
  return removed;
}

/** Returns a log of about 10 KB, as in docs/evidence.md. Its input is mostly prices, as that of bots. */
export function makeLog(): Buffer {
  const candle = () => Array.from({ length: 5 }, () => `${randomInt(91_000, 92_000)}.${randomInt(10, 100)}`);
  const input = { candles: Array.from({ length: 180 }, candle) };
  return Buffer.from(JSON.stringify({ ...exampleLog, orderId: randomInt(1e14), input }));
}

/**
 * Plans the uploads of all teams, in ms since the start: the busiest minute is in the middle, and has `peak` times
 * more.
 */
export function planUploads({ teams, perMinute, peak, minutes, inOneSecond }: Demand): number[] {
  return Array.from({ length: Math.ceil(minutes) }, (_, minute) => {
    const isPeak = minute === Math.floor(minutes / 2);
    const length = Math.min(1, minutes - minute);
    const uploads = Math.round(teams * perMinute * (isPeak ? peak : 1) * length);
    const span = isPeak && inOneSecond ? 1000 : 60_000 * length;
    return Array.from({ length: uploads }, (_, index) => 60_000 * minute + (span * index) / uploads);
  }).flat();
}

type Demand = Readonly<Record<'teams' | 'perMinute' | 'peak' | 'minutes', number> & { inOneSecond: boolean }>;

async function upload(url: string, team: MadeUpTeam) {
  const body = makeLog();
  const request = signRequest({ ...team, url }, body, Date.now());
  const start = performance.now();
  const reply = await attempt(request, { timeout: 10_000, stop: new AbortController().signal });
  const ms = performance.now() - start;
  if (reply.verdict !== 'stored') return { ms, verdict: `${reply.status ?? 'no answer'} ${reply.code ?? ''}`.trim() };
  const problem = findReceiptProblem(reply.receipt ?? '', { entryId: request.entryId, body, uid: team.uid });
  return { ms, verdict: problem ? 'accepted without a valid receipt' : 'accepted' };
}

/**
 * Uploads a log whenever one is due, and does not wait for answers. @returns their verdicts and times, and the delay
 */
export async function sendPlan(plan: readonly number[], teams: readonly MadeUpTeam[], url: string, stop: AbortSignal) {
  const start = Date.now();
  let sentLateMs = 0;
  const sent: ReturnType<typeof upload>[] = [];
  for (const [index, due] of plan.entries()) {
    const wait = start + due - Date.now();
    if (wait > 0) await sleep(wait, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) break;
    sentLateMs = Math.max(sentLateMs, Math.round(Date.now() - start - due));
    sent.push(upload(url, teams[index % teams.length] as MadeUpTeam));
  }
  const all = await Promise.all(sent);
  const times = all.map(({ ms }) => ms);
  const counts = Map.groupBy(all, ({ verdict }) => verdict).entries();
  const answers = Object.fromEntries(counts.map(([verdict, { length }]) => [verdict, length]));
  const within = (share: number) => (times.length > 0 ? Math.round(quantile(times, share)) : 0);
  return { uploads: all.length, ...answers, p50Ms: within(0.5), p99Ms: within(0.99), sentLateMs };
}
