import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { arrivalsOf } from '../../functions/sequencer/arrivals.ts';
import { ensureReceiptKey, type ReceiptKeyOptions } from '../../functions/sequencer/receiptKeys.ts';
import { type Log, run } from '../../functions/sequencer/sequence.ts';
import { STEP_MS } from '../../functions/tlog/commit.ts';
import { receiptKeyTable } from '../../functions/tlog/receiptKeyTable.ts';
import type { TableId } from '../../infra/tables.ts';
import { ownPolicy } from '../proof/log/ownLog.ts';
import { replaceFile } from '../shell/files/write.ts';
import { LOCAL_ORIGIN, localPaths } from '../store/targets/data.ts';
import { readTimeout } from '../store/targets/openedTarget.ts';
import { folderFiles } from '../store/targets/tlogFiles.ts';
import { localReceiptKey, localSigner } from './sequenceKeys.ts';
import { folderStorage } from './tlogFolder.ts';

/** The time from the end of one run to the next, and the time that an entry waits before it is sequenced. */
const PAUSE_MS = 2000;
const LAG_MS = 4000;

interface LocalLog {
  readonly db: DynamoDBDocumentClient;
  readonly tables: Readonly<Record<TableId, string>>;
  readonly folder: string;
  readonly keyFile: string;
  /** The setting `checkpointKeys`: one number, or two with a comma between them during a rotation. */
  readonly checkpointKeys?: string;
  /** The setting `entryRetentionDays`; 0: for ever. */
  readonly retentionDays?: number;
  readonly witnesses?: string | undefined;
}

export function localRunOptions({ db, tables, folder, keyFile, ...settings }: LocalLog): Log & ReceiptKeyOptions {
  const { checkpointKeys = '1', retentionDays = 0, witnesses } = settings;
  const signers = checkpointKeys.split(',').map((number) => localSigner(keyFile, LOCAL_ORIGIN, number));
  return {
    origin: LOCAL_ORIGIN,
    storage: folderStorage(folder),
    table: receiptKeyTable(db, tables.receiptKeys, LOCAL_ORIGIN),
    arrivals: arrivalsOf(db, tables.aiLogs),
    generate: localReceiptKey(keyFile),
    signers: async () => signers,
    witnesses: witnesses === undefined ? undefined : parsePolicy(witnesses),
    witnessTimeoutMs: 5000,
    now: Date.now,
    lagMs: LAG_MS,
    windowMs: PAUSE_MS,
    stepMs: STEP_MS,
    retentionDays,
  };
}

/** Runs the sequencer again and again, and reports an error once. @returns what stops it and awaits its last run */
export function startSequencer(log: LocalLog, report: (message: string) => void): () => Promise<void> {
  const options = localRunOptions(log);
  const stopped = new AbortController();
  const repeat = async () => {
    let last = '';
    while (!stopped.signal.aborted) {
      const message = await run(options, stopped.signal).then(
        ({ witnessFailures }) =>
          Object.entries(witnessFailures)
            .map(([name, why]) => `the witness ${name} did not cosign. ${why}`)
            .join('\n'),
        (error: Error) => error.message,
      );
      if (message !== '' && message !== last && !stopped.signal.aborted) report(message);
      last = message;
      await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const running = repeat();
  return () => {
    stopped.abort();
    return running;
  };
}

/** Writes the trust policy of the local log, after its receipt key if it has none. @param number of that key */
export async function writeLocalPolicy(log: LocalLog, number = 1): Promise<void> {
  const { folder, keyFile, checkpointKeys = '1', witnesses } = log;
  await ensureReceiptKey(localRunOptions(log), number, readTimeout());
  const last = Math.max(...checkpointKeys.split(',').map(Number));
  const keys = Array.from({ length: last }, (_, at) => localSigner(keyFile, LOCAL_ORIGIN, String(at + 1)).key);
  const tlog = { origin: LOCAL_ORIGIN, files: folderFiles(folder), witnesses, checkpointKeys: async () => keys };
  replaceFile(localPaths.policy, (await ownPolicy({ openTlog: async () => tlog })).policyText);
}
