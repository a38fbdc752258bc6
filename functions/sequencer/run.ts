import { isDeepStrictEqual } from 'node:util';
import { formatVerifierKey } from '../c2sp/verifierKey.ts';
import { entryHashOf, keyPreimage, retentionPreimage } from '../tlog/entryHash.ts';
import { appendArrivals, isLookDue, lookAgain, readAgain } from './appendArrivals.ts';
import type { ReceiptKeyTable } from './receiptKeyTable.ts';
import { Sequencer, type SequencerOptions, Superseded } from './sequence.ts';

export interface RunOptions extends SequencerOptions {
  readonly receiptKeys: ReceiptKeyTable;
  /** The days for which entries are kept; 0: for ever. */
  readonly retentionDays: number;
  /**
   * The time after which a run leaves the hours that it would look at again to the next run. A run reports the age of
   * the log at its end, so this is shorter than the period of the alarm on a log that reports nothing.
   */
  readonly lookMs: number;
}

/** The result of one run. The log line of a run has the same fields. */
export type Outcome = Awaited<ReturnType<typeof runSequencer>>;

/**
 * Appends the public keys and the retention, if they are not what the log says. Creates receipt keys, and lets a new
 * one sign once it is in the log.
 */
async function announce(sequencer: Sequencer, { origin, signers, now, receiptKeys, retentionDays }: RunOptions) {
  const { head, abortSignal } = sequencer;
  const checkpointKeys = (await signers(abortSignal)).map(({ key }) => formatVerifierKey(key));
  const known = head.keys.map(({ key }) => key);
  const all = [...checkpointKeys, ...(await receiptKeys.ensure(origin, now(), abortSignal, head))];
  const fresh = all.filter((key) => !known.includes(key));
  const isRetentionFresh = head.retentionDays !== retentionDays;
  const preimages = [...fresh.map(keyPreimage), ...(isRetentionFresh ? [retentionPreimage(retentionDays)] : [])];
  if (preimages.length > 0) {
    const size = head.size + preimages.length;
    const keys = [...head.keys, ...fresh.map((key, at) => ({ key, index: head.size + at, size }))];
    await sequencer.append(preimages.map(entryHashOf), { keys, retentionDays });
  }
  const logged = sequencer.head.keys.map(({ key }) => key);
  await receiptKeys.startNext(logged, now(), abortSignal);
}

/** Lets the head name the witnesses that contradict the log, if this run asked them, so that its status names them. */
async function recordContradictions(sequencer: Sequencer): Promise<void> {
  const { head, hasPublished, witnessContradictions: contradictions } = sequencer;
  if (!hasPublished || isDeepStrictEqual(head.contradictions ?? {}, contradictions)) return;
  await sequencer.claimHead({ contradictions });
}

/**
 * Runs the sequencer once: finishes an interrupted run, appends keys and entries, and looks again at the hours that are
 * due. It can be killed at any time, and several can run at once.
 * @throws FatalError if the log must stop; another error if the next run may succeed
 */
export async function runSequencer(options: RunOptions, abortSignal: AbortSignal) {
  const { now, lagMs, lookMs } = options;
  const outcome = {
    /** The new entries that were appended, those that the index showed late, and those that were found two days later. */
    appended: 0,
    late: 0,
    found: 0,
    /** Another sequencer was at work, so this run ended early. */
    superseded: false,
    /** The age of the cursor in milliseconds, and the number of leaves in the log. */
    lag: 0,
    size: 0,
    /** True if the published checkpoint has fewer cosignatures than the policy requires. */
    quorumMissed: false,
  };
  let sequencer: Sequencer | undefined;
  const witnesses = () => ({
    /** Why witnesses did not cosign, and what contradicts the log, by their names in the policy. */
    witnessFailures: sequencer?.witnessFailures ?? {},
    witnessContradictions: sequencer?.witnessContradictions ?? {},
  });
  try {
    sequencer = await Sequencer.open(options, abortSignal);
    const before = sequencer.head.marks.at(-1)?.cursor;
    await announce(sequencer, options);
    for (let from = sequencer.head.readAgainFrom; from !== undefined; from = sequencer.head.readAgainFrom) {
      outcome.appended += await readAgain(sequencer, from);
    }
    const until = now() - lagMs;
    while (sequencer.head.cursor < until) {
      const { appended, late } = await appendArrivals(sequencer, until);
      outcome.appended += appended;
      outcome.late += late;
    }
    for (const end = now() + lookMs; isLookDue(sequencer.head) && now() <= end; ) {
      outcome.found += await lookAgain(sequencer);
    }
    const entersSlot = sequencer.head.marks.at(-1)?.cursor !== before;
    const isIdle = entersSlot && !sequencer.hasPublished;
    // A witness that did not respond in time may respond now.
    if (isIdle || !(await sequencer.hasQuorum())) await sequencer.publishCheckpoint({ again: isIdle });
    outcome.quorumMissed = !(await sequencer.hasQuorum());
    await recordContradictions(sequencer);
    const { cursor, size } = sequencer.head;
    return { ...outcome, ...witnesses(), lag: now() - cursor, size };
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    return { ...outcome, ...witnesses(), superseded: true };
  }
}
