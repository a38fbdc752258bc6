import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { serveTlog } from '../../cli/local/serveTlog.ts';
import { folderStorage } from '../../cli/local/tlogFolder.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { formatPolicy, parsePolicy } from '../../functions/c2sp/policy.ts';
import { formatVerifierKey } from '../../functions/c2sp/verifierKey.ts';
import type { Arrival } from '../../functions/sequencer/arrivals.ts';
import { receiptKeyPath } from '../../functions/tlog/paths.ts';
import { formatReceiptKey, receiptKeyName } from '../../functions/tlog/receiptKeyNote.ts';
import { newSigner } from '../c2sp/keys.ts';
import { type Fault, startFaultProxy } from './faults.ts';
import { LAG_MS, logIn, newClock } from './log.ts';
import { startServer } from './server.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { MINUTE_MS, noDeadline } from './time.ts';

const ORIGIN = 'logs.example.com/ailog';

let made = 0;

/** Serves the files of a log over HTTP, at /tlog. @returns a faulty connection to them */
export async function serveLog(folder: string) {
  const { url } = await startServer((request, response) => serveTlog(folder, request, response));
  return startFaultProxy(url);
}

/**
 * A log that the real sequencer runs in a folder, and that a real server shows. Its entries come from memory.
 * @param begins when it begins, in milliseconds since 1970 @param keys those of its checkpoints, which name
 * the log, and of its receipts
 */
export async function openServedLog(
  begins = Date.now() - 60 * MINUTE_MS,
  keys = { log: newSigner(ORIGIN), receipts: newSigner(receiptKeyName(ORIGIN)) },
) {
  const origin = keys.log.key.name;
  const folder = join(temporaryFolder(), 'tlog');
  const storage = folderStorage(folder);
  const arrivals: (Arrival & { readonly shownAt: number })[] = [];
  let floor = 0;
  const clock = newClock(begins);
  const options = {
    ...{ origin, storage, signers: async () => [keys.log], witnesses: undefined, witnessTimeoutMs: 1000 },
    table: {
      getFloor: async () => floor,
      raiseFloor: async (n: number) => {
        floor = Math.max(floor, n);
      },
    },
    arrivals: {
      beginning: async () => begins,
      between: async ([from, until]: readonly [number, number]) =>
        arrivals.filter((one) => one.receivedAt >= from && one.receivedAt < until && one.shownAt <= clock.now()),
    },
    ...{ now: clock.now, lagMs: LAG_MS, windowMs: 10 * MINUTE_MS, stepMs: 10 * MINUTE_MS, retentionDays: 0 },
  };
  const certified = formatReceiptKey({ origin, k: 1, key: keys.receipts.key, since: begins });
  await storage.create(
    receiptKeyPath(1),
    Buffer.from(await signNote(certified, [keys.log], noDeadline())),
    noDeadline(),
  );
  const way = await serveLog(folder);
  const policyText = formatPolicy({
    logs: [formatVerifierKey(keys.log.key)],
    receipts: [formatVerifierKey(keys.receipts.key)],
  });

  return {
    ...logIn(folder, options, clock),
    url: `${way.url}/tlog`,
    /** The faulty connection to the log. */
    way,
    keys,
    policyText,
    policy: parsePolicy(policyText),

    /** Makes each request for a file of the log meet a fault, and no other request. */
    fail: (path: string, fault: Fault) => way.decide(({ url }) => (url === `/tlog/${path}` ? fault : undefined)),

    /** Uploads an entry now. @param delay after which the index shows it @returns its entry hash and its time */
    upload(delay = 0, receivedAt = clock.now()) {
      made += 1;
      const entryHash = createHash('sha256').update(`entry ${made}`).digest();
      arrivals.push({ receivedAt, entryHash, shownAt: receivedAt + delay });
      return { entryHash, receivedAt };
    },

    /** Uploads entries and brings them into the log. */
    async grow(entries = 1) {
      const uploaded = Array.from({ length: entries }, () => this.upload());
      await this.sequence();
      return uploaded;
    },
  };
}

export type ServedLog = Awaited<ReturnType<typeof openServedLog>>;
