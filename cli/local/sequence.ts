import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import { arrivalsOf } from '../../functions/sequencer/arrivals.ts';
import { receiptKeyTable } from '../../functions/sequencer/receiptKeyTable.ts';
import { type RunOptions, runSequencer } from '../../functions/sequencer/run.ts';
import { headTable } from '../../functions/tlog/head.ts';
import type { TableId } from '../../infra/tables.ts';
import { policyText } from '../proof/inclusion/trustedKeys.ts';
import { replaceFile } from '../shell/files/write.ts';
import { LOCAL_ORIGIN, localPaths, localTables } from '../store/targets/data.ts';
import { readTimeout } from '../store/targets/openedTarget.ts';
import { localReceiptKey, localSigner } from './sequenceKeys.ts';
import { folderStorage } from './tlogFolder.ts';

/** The time from the end of one run to the next, and the time that an entry waits before it is sequenced. */
const PAUSE_MS = 2000;
const LAG_MS = 4000;

interface LocalLog {
  readonly db: DynamoDBDocumentClient;
  readonly tables: Readonly<Record<TableId, string>>;
  readonly folder: string;
  /** The file that its keys follow from. */
  readonly keyFile: string;
  /** The setting `checkpointKeys`: one number, or two with a comma between them during a rotation. */
  readonly checkpointKeys?: string;
  /** The setting `entryRetentionDays`; 0: for ever. */
  readonly retentionDays?: number;
  /** The setting `witnesses`: a tlog-policy. */
  readonly witnesses?: string | undefined;
}

/** Returns what the sequencer works with on a local log. */
export function localRunOptions({ db, tables, folder, keyFile, ...settings }: LocalLog): RunOptions {
  const { checkpointKeys = '1', retentionDays = 0, witnesses } = settings;
  const signers = checkpointKeys.split(',').map((number) => localSigner(keyFile, LOCAL_ORIGIN, number));
  return {
    origin: LOCAL_ORIGIN,
    storage: folderStorage(folder),
    heads: headTable(db, tables.tlog),
    arrivals: arrivalsOf(db, tables.aiLogs),
    receiptKeys: receiptKeyTable(db, tables.tlog, localReceiptKey(keyFile)),
    signers: async () => signers,
    witnesses: witnesses === undefined ? undefined : parsePolicy(witnesses),
    witnessTimeoutMs: 5000,
    now: Date.now,
    lagMs: LAG_MS,
    windowMs: PAUSE_MS,
    retentionDays,
    lookMs: PAUSE_MS,
  };
}

/** Runs the sequencer again and again, and reports an error once. @returns what stops it and awaits its last run */
export function startSequencer(log: LocalLog, report: (message: string) => void): () => Promise<void> {
  const options = localRunOptions(log);
  const stopped = new AbortController();
  const run = async () => {
    let last = '';
    while (!stopped.signal.aborted) {
      const message = await runSequencer(options, stopped.signal).then(
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
  const running = run();
  return () => {
    stopped.abort();
    return running;
  };
}

/**
 * Makes the first receipt key of the local log if it has none, and writes the log's trust policy: the keys that are in
 * the log or will be, and its witnesses, which are lines of a tlog-policy.
 */
export async function writeLocalPolicy(db: DynamoDBDocumentClient, witnesses?: string): Promise<void> {
  const head = await headTable(db, localTables.tlog).get(readTimeout());
  const receiptKeys = receiptKeyTable(db, localTables.tlog, localReceiptKey(localPaths.key));
  const made = await receiptKeys.ensure(LOCAL_ORIGIN, Date.now(), readTimeout(), head);
  const checkpointKey = formatVerifierKey(localSigner(localPaths.key, LOCAL_ORIGIN).key);
  const keys = new Set([...(head?.keys ?? []).map(({ key }) => key), checkpointKey, ...made]);
  replaceFile(localPaths.policy, policyText({ keys: [...keys], witnesses }));
}
