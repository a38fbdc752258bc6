import { formatVerifierKey } from '../c2sp/verifierKey.ts';
import { entryHashOf, keyPreimage } from '../tlog/entryHash.ts';
import { append, BATCH, changeHead } from './append.ts';
import { dailyReconciliation, isDailyDue } from './dailyReconciliation.ts';
import type { Dependencies } from './dependencies.ts';
import { isHourlyDue, reconcileHours } from './hourlyReconciliation.ts';
import { openTlog } from './openTlog.ts';
import { hasQuorum, type OpenTlog, publishCheckpoint } from './publish.ts';

const MINUTE = 60_000;

/** The result of one run. */
export interface Outcome {
  /** The number of new entries that were appended. */
  appended: number;
  /**
   * The number of missing entries that each reconciliation appended. `backfill`: the first daily one, which finds the
   * entries that are older than the log.
   */
  found: { hourly?: number; daily?: number; backfill?: number };
  /** Another sequencer was at work, so this run ended early. */
  superseded: boolean;
  /** The age of the cursor in milliseconds. */
  lag: number;
  /** The number of leaves in the log. */
  size: number;
  /** True if the published checkpoint has fewer cosignatures than the policy requires. */
  quorumMissed: boolean;
}

/** Appends the entries that were received since the last run, whole minutes at a time. */
async function appendArrivals(
  dependencies: Dependencies,
  log: OpenTlog,
  outcome: Outcome,
  abortSignal: AbortSignal,
): Promise<OpenTlog | undefined> {
  const { arrivals, now, lag } = dependencies;
  const until = now() - lag;
  let current: OpenTlog | undefined = log;
  while (current && current.head.cursor < until) {
    const leaves: Uint8Array[] = [];
    let cursor: number = current.head.cursor;
    while (cursor < until && leaves.length < BATCH) {
      const next = Math.min(until, Math.floor(cursor / MINUTE + 1) * MINUTE);
      for (const { entryHash } of await arrivals.between([cursor, next], abortSignal)) leaves.push(entryHash);
      cursor = next;
    }
    // Sorted by leaf: the order reveals nothing, and two sequencers that read the same entries stage the same bytes.
    leaves.sort(Buffer.compare);
    current =
      leaves.length > 0
        ? await append(dependencies, current, { leaves, cursor }, abortSignal)
        : await changeHead(dependencies, current, { cursor }, abortSignal);
    if (current) outcome.appended += leaves.length;
  }
  return current;
}

/**
 * Continues the daily reconciliation, for as long as a run may take. Between two steps it appends new entries, so that they
 * do not wait.
 */
async function reconcileTable(
  dependencies: Dependencies,
  log: OpenTlog,
  outcome: Outcome,
  abortSignal: AbortSignal,
): Promise<OpenTlog | undefined> {
  const { now, lag, reconciliation } = dependencies;
  const kind = log.head.daily.doneAt === 0 ? 'backfill' : 'daily';
  const end = now() + reconciliation.milliseconds;
  const { step } = dailyReconciliation(dependencies);
  let current: OpenTlog | undefined = log;
  do {
    const done = await step(current, abortSignal);
    outcome.found[kind] = (outcome.found[kind] ?? 0) + (done?.found ?? 0);
    current = done?.log;
    if (current && current.head.cursor <= now() - lag - MINUTE) {
      current = await appendArrivals(dependencies, current, outcome, abortSignal);
    }
  } while (current && isDailyDue(current.head, now()) && now() < end);
  return current;
}

/**
 * Appends the public keys that are not in the log yet. Creates receipt keys, and lets a new one sign once its leaf is in
 * the log.
 */
async function appendKeys(
  dependencies: Dependencies,
  log: OpenTlog,
  abortSignal: AbortSignal,
): Promise<OpenTlog | undefined> {
  const { origin, receiptKeys, signers, now } = dependencies;
  const checkpointKeys = (await signers(abortSignal)).map(({ key }) => formatVerifierKey(key));
  const all = [...checkpointKeys, ...(await receiptKeys.ensure(origin, now(), abortSignal))];
  const fresh = all.filter((key) => !log.head.keys.includes(key));
  const leaves = fresh.map((key) => entryHashOf(keyPreimage(key)));
  const keys = [...log.head.keys, ...fresh];
  const current = fresh.length > 0 ? await append(dependencies, log, { leaves, keys }, abortSignal) : log;
  if (current) await receiptKeys.startNext(current.head.keys, now(), abortSignal);
  return current;
}

/**
 * Runs the sequencer once: finishes an interrupted run, appends new entries and keys, and does the
 * reconciliations that are due.
 * It can be killed at any time, and several can run at once. docs/decisions/transparency-log.md: what the log is for.
 * @throws FatalTlogError if the log must stop; another error if the next run may succeed
 */
export async function sequence(dependencies: Dependencies, abortSignal: AbortSignal): Promise<Outcome> {
  const { now } = dependencies;
  const outcome: Outcome = { appended: 0, found: {}, superseded: false, lag: 0, size: 0, quorumMissed: false };
  let log = await openTlog(dependencies, abortSignal);
  const result = (): Outcome => {
    if (!log) return { ...outcome, superseded: true };
    return { ...outcome, lag: now() - log.head.cursor, size: log.head.size };
  };

  log &&= await appendArrivals(dependencies, log, outcome, abortSignal);
  log &&= await appendKeys(dependencies, log, abortSignal);
  if (log && isHourlyDue(log.head, now())) {
    const reconciled = await reconcileHours(dependencies, log, abortSignal);
    if (reconciled) outcome.found.hourly = reconciled.found;
    log = reconciled?.log;
  }
  if (log && isDailyDue(log.head, now())) log = await reconcileTable(dependencies, log, outcome, abortSignal);
  if (log && !(await hasQuorum(dependencies, log, abortSignal))) {
    // A witness that did not respond in time may respond now.
    log = await publishCheckpoint(dependencies, log, abortSignal);
    outcome.quorumMissed = log !== undefined && !(await hasQuorum(dependencies, log, abortSignal));
  }
  return result();
}
