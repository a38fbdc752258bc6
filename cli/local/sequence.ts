import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { arrivalsOf } from '../../functions/sequencer/arrivals.ts';
import type { Dependencies } from '../../functions/sequencer/dependencies.ts';
import { headTable } from '../../functions/sequencer/heads.ts';
import { receiptKeyTable } from '../../functions/sequencer/receiptKeys.ts';
import { RECONCILIATION } from '../../functions/sequencer/reconciliationLimits.ts';
import { sequence } from '../../functions/sequencer/sequence.ts';
import type { TableId } from '../../functions/tables.ts';
import { LOCAL_ORIGIN } from '../target/data.ts';
import { folderStorage } from './sequenceFolder.ts';
import { localReceiptKey, localSigner } from './sequenceKeys.ts';

/**
 * Milliseconds from the end of one run to the next, and what an entry waits before it is sequenced: together under 10
 * s.
 */
const PAUSE = 2000;
const LAG = 4000;

/** The parts of the log of a local run. */
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

/** Returns the sequencer's dependencies on a local log. */
export function localDependencies({ db, tables, folder, keyFile, checkpointKeys = '1' }: LocalLog): Dependencies {
  const signers = checkpointKeys.split(',').map((number) => localSigner(keyFile, LOCAL_ORIGIN, number));
  return {
    origin: LOCAL_ORIGIN,
    storage: folderStorage(folder),
    heads: headTable(db, tables.tlog),
    arrivals: arrivalsOf(db, tables.aiLogs),
    receiptKeys: receiptKeyTable(db, tables.tlog, localReceiptKey(keyFile)),
    signers: async () => signers,
    witnesses: undefined,
    witnessTimeout: 5000,
    now: Date.now,
    lag: LAG,
    reconciliation: { ...RECONCILIATION, milliseconds: PAUSE },
  };
}

/**
 * Runs the sequencer again and again, as its schedule does in a deployment.
 * @param report gets the message of an error, once for as long as it stays the same
 * @returns a function that stops it; resolves when its last run has ended
 */
export function startSequencer(log: LocalLog, report: (message: string) => void): () => Promise<void> {
  const dependencies = localDependencies(log);
  const stopped = new AbortController();
  const run = async () => {
    let last = '';
    while (!stopped.signal.aborted) {
      const message = await sequence(dependencies, stopped.signal).then(
        () => '',
        (error: Error) => error.message,
      );
      if (message !== '' && message !== last && !stopped.signal.aborted) report(message);
      last = message;
      await sleep(PAUSE, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return () => {
    stopped.abort();
    return running;
  };
}
