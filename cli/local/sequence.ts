import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { arrivalsOf } from '../../functions/sequencer/arrivals.ts';
import { receiptKeyTable } from '../../functions/sequencer/receiptKeys.ts';
import { RECONCILIATION } from '../../functions/sequencer/reconciliation.ts';
import { type RunOptions, runSequencer } from '../../functions/sequencer/run.ts';
import type { TableId } from '../../functions/tables.ts';
import { headTable } from '../../functions/tlog/head.ts';
import { LOCAL_ORIGIN } from '../target/data.ts';
import { folderStorage } from './sequenceFolder.ts';
import { localReceiptKey, localSigner } from './sequenceKeys.ts';

/** The time from the end of one run to the next, and the time that an entry waits before it is sequenced. */
const PAUSE_MS = 2000;
const LAG_MS = 4000;

interface LocalLog {
  readonly db: DynamoDBDocumentClient;
  /** Physical table names. */
  readonly tables: Readonly<Record<TableId, string>>;
  /** The folder of its files. */
  readonly folder: string;
  /** The file that its keys follow from. */
  readonly keyFile: string;
  /** The setting `checkpointKeys`: one number, or two with a comma between them during a rotation. */
  readonly checkpointKeys?: string;
}

/** Returns what the sequencer works with on a local log. */
export function localRunOptions({ db, tables, folder, keyFile, checkpointKeys = '1' }: LocalLog): RunOptions {
  const signers = checkpointKeys.split(',').map((number) => localSigner(keyFile, LOCAL_ORIGIN, number));
  return {
    origin: LOCAL_ORIGIN,
    storage: folderStorage(folder),
    heads: headTable(db, tables.tlog),
    arrivals: arrivalsOf(db, tables.aiLogs),
    receiptKeys: receiptKeyTable(db, tables.tlog, localReceiptKey(keyFile)),
    signers: async () => signers,
    witnesses: undefined,
    witnessTimeoutMs: 5000,
    now: Date.now,
    lagMs: LAG_MS,
    reconciliation: { ...RECONCILIATION, durationMs: PAUSE_MS },
  };
}

/**
 * Runs the sequencer again and again, as its schedule does in a deployment.
 * @param report gets the message of an error, once for as long as it stays the same
 * @returns what stops it; resolves when its last run has ended
 */
export function startSequencer(log: LocalLog, report: (message: string) => void): () => Promise<void> {
  const options = localRunOptions(log);
  const stopped = new AbortController();
  const run = async () => {
    let last = '';
    while (!stopped.signal.aborted) {
      const message = await runSequencer(options, stopped.signal).then(
        () => '',
        (error: Error) => error.message,
      );
      if (message !== '' && message !== last && !stopped.signal.aborted) report(message);
      last = message;
      await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return () => {
    stopped.abort();
    return running;
  };
}
