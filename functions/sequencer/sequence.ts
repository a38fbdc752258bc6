import { keyPreimage, leafOf } from '../tlog/leaf.ts';
import { formatVerifierKey } from '../tlog/verifierKey.ts';
import { append, changeHead } from './append.ts';
import type { Dependencies } from './dependencies.ts';
import { BATCH, dueLooks, type LookName, look } from './looks.ts';
import { openLog } from './openLog.ts';
import { hasQuorum, type OpenLog, publishCheckpoint } from './publish.ts';

const MINUTE = 60_000;

/** What one run did. */
export interface Outcome {
  /** Leaves of new entries that were appended. */
  appended: number;
  /** Entries that a look found missing and appended, by look. The first look at everything brings in the entries before the log. */
  found: Partial<Record<LookName | 'backfill', number>>;
  /** Another sequencer was at work; it goes on from here. */
  superseded: boolean;
  /** Milliseconds since entries were last known to be in the log. */
  lag: number;
  /** Leaves in the log. */
  size: number;
  /** Whether the published checkpoint lacks the cosignatures that the policy of witnesses requires. */
  quorumMissed: boolean;
}

/** Appends the entries that were received since the last run, whole minutes at a time. */
async function appendArrivals(
  dependencies: Dependencies,
  log: OpenLog,
  outcome: Outcome,
  abortSignal: AbortSignal,
): Promise<OpenLog | undefined> {
  const { arrivals, now, lag } = dependencies;
  const until = now() - lag;
  let current: OpenLog | undefined = log;
  while (current && current.head.cursor < until) {
    const leaves: Uint8Array[] = [];
    let cursor: number = current.head.cursor;
    while (cursor < until && leaves.length < BATCH) {
      const next = Math.min(until, Math.floor(cursor / MINUTE + 1) * MINUTE);
      for (const { leaf } of await arrivals.between([cursor, next], abortSignal)) leaves.push(leaf);
      cursor = next;
    }
    // By leaf: the order tells outsiders nothing, and two sequencers that see the same entries stage the same bytes.
    leaves.sort(Buffer.compare);
    current =
      leaves.length > 0
        ? await append(dependencies, current, { leaves, cursor }, abortSignal)
        : await changeHead(dependencies, current, { cursor }, abortSignal);
    if (current) outcome.appended += leaves.length;
  }
  return current;
}

/** Appends the public keys that are not in the log yet, and makes the first receipt key. */
async function appendKeys(
  dependencies: Dependencies,
  log: OpenLog,
  abortSignal: AbortSignal,
): Promise<OpenLog | undefined> {
  const { origin, receiptKeys, signers, now } = dependencies;
  const checkpointKeys = (await signers(abortSignal)).map(({ key }) => formatVerifierKey(key));
  const all = [...checkpointKeys, ...(await receiptKeys.ensure(origin, now(), abortSignal))];
  const fresh = all.filter((key) => !log.head.keys.includes(key));
  if (fresh.length === 0) return log;
  const leaves = fresh.map((key) => leafOf(keyPreimage(key)));
  return append(dependencies, log, { leaves, keys: [...log.head.keys, ...fresh] }, abortSignal);
}

/**
 * Runs the sequencer once: finishes what an earlier run began, appends new entries and keys, and does the looks that are due. It
 * may be killed at any moment, and any number of them may run at once.
 * @throws FatalLogError if the log must stop; any other error if the next run may succeed
 */
export async function sequence(dependencies: Dependencies, abortSignal: AbortSignal): Promise<Outcome> {
  const { now } = dependencies;
  const outcome: Outcome = { appended: 0, found: {}, superseded: false, lag: 0, size: 0, quorumMissed: false };
  let log = await openLog(dependencies, abortSignal);
  const tell = (): Outcome => {
    if (!log) return { ...outcome, superseded: true };
    return { ...outcome, lag: now() - log.head.cursor, size: log.head.size };
  };

  log &&= await appendArrivals(dependencies, log, outcome, abortSignal);
  log &&= await appendKeys(dependencies, log, abortSignal);
  for (const name of log ? dueLooks(log, now()) : []) {
    if (!log) break;
    const first = name === 'everything' && log.head.everything.doneAt === 0;
    const looked = await look(dependencies, log, name, abortSignal);
    log = looked?.log;
    if (looked) outcome.found[first ? 'backfill' : name] = looked.found;
  }
  if (log && !(await hasQuorum(dependencies, log, abortSignal))) {
    // A witness that did not answer in time may do so now.
    log = await publishCheckpoint(dependencies, log, abortSignal);
    outcome.quorumMissed = log !== undefined && !(await hasQuorum(dependencies, log, abortSignal));
  }
  return tell();
}
