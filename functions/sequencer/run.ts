import { formatVerifierKey } from '../c2sp/verifierKey.ts';
import { entryHashOf, keyPreimage } from '../tlog/entryHash.ts';
import type { ReceiptKeyTable } from './receiptKeys.ts';
import {
  dailyReconciliation,
  isDailyDue,
  isHourlyDue,
  type ReconciliationLimits,
  reconcileHours,
} from './reconciliation.ts';
import { Sequencer, type SequencerOptions, Superseded } from './sequence.ts';

const MINUTE_MS = 60_000;

/** What a run works with. */
export interface RunOptions extends SequencerOptions {
  readonly receiptKeys: ReceiptKeyTable;
  readonly reconciliation: ReconciliationLimits;
}

/** The result of one run. The log line of a run has the same fields. */
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

async function appendArrivals(sequencer: Sequencer, outcome: Outcome): Promise<void> {
  const { now, lagMs } = sequencer.options;
  const until = now() - lagMs;
  while (sequencer.head.cursor < until) outcome.appended += await sequencer.appendArrivals(until);
}

/**
 * Appends the public keys that are not in the log yet. Creates receipt keys, and lets a new one sign once it is in the
 * log.
 */
async function appendKeys(sequencer: Sequencer, receiptKeys: ReceiptKeyTable): Promise<void> {
  const { options, abortSignal } = sequencer;
  const { origin, signers, now } = options;
  const checkpointKeys = (await signers(abortSignal)).map(({ key }) => formatVerifierKey(key));
  const all = [...checkpointKeys, ...(await receiptKeys.ensure(origin, now(), abortSignal))];
  const { keys } = sequencer.head;
  const fresh = all.filter((key) => !keys.includes(key));
  const entryHashes = fresh.map((key) => entryHashOf(keyPreimage(key)));
  if (fresh.length > 0) await sequencer.append(entryHashes, { keys: [...keys, ...fresh] });
  await receiptKeys.startNext(sequencer.head.keys, now(), abortSignal);
}

/**
 * Continues the daily reconciliation, for as long as a run may take. Between two steps it appends new entries, so that
 * they do not wait.
 */
async function reconcileTable(sequencer: Sequencer, limits: ReconciliationLimits, outcome: Outcome): Promise<void> {
  const { now, lagMs } = sequencer.options;
  const kind = sequencer.head.daily.doneAt === 0 ? 'backfill' : 'daily';
  const end = now() + limits.durationMs;
  const { step } = dailyReconciliation(sequencer, limits);
  let found = 0;
  outcome.found[kind] = found;
  do {
    found += await step();
    outcome.found[kind] = found;
    if (sequencer.head.cursor <= now() - lagMs - MINUTE_MS) await appendArrivals(sequencer, outcome);
  } while (isDailyDue(sequencer.head, now()) && now() < end);
}

/**
 * Runs the sequencer once: finishes an interrupted run, appends new entries and keys, and does the reconciliations that
 * are due. It can be killed at any time, and several can run at once.
 * @throws FatalError if the log must stop; another error if the next run may succeed
 */
export async function runSequencer(options: RunOptions, abortSignal: AbortSignal): Promise<Outcome> {
  const { now, receiptKeys, reconciliation } = options;
  const outcome: Outcome = { appended: 0, found: {}, superseded: false, lag: 0, size: 0, quorumMissed: false };
  try {
    const sequencer = await Sequencer.open(options, abortSignal);
    await appendArrivals(sequencer, outcome);
    await appendKeys(sequencer, receiptKeys);
    if (isHourlyDue(sequencer.head, now())) outcome.found.hourly = await reconcileHours(sequencer);
    if (isDailyDue(sequencer.head, now())) await reconcileTable(sequencer, reconciliation, outcome);
    if (!(await sequencer.hasQuorum())) {
      // A witness that did not respond in time may respond now.
      await sequencer.publishCheckpoint();
      outcome.quorumMissed = !(await sequencer.hasQuorum());
    }
    return { ...outcome, lag: now() - sequencer.head.cursor, size: sequencer.head.size };
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    return { ...outcome, superseded: true };
  }
}
