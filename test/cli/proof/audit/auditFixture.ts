import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchWriteCommand, DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { localSigner } from '../../../../cli/local/sequenceKeys.ts';
import type { Finding, Kind } from '../../../../cli/proof/audit/findings.ts';
import { LOCAL_ORIGIN, localPaths } from '../../../../cli/store/targets/data.ts';
import { scan } from '../../../../cli/store/targets/openedTarget.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { run } from '../../../../functions/sequencer/sequence.ts';
import { parseCommit } from '../../../../functions/tlog/commit.ts';
import { openLocalData, type RunOptions } from '../../../setup/commandLine.ts';
import type { Team } from '../../../setup/fixture.ts';
import { temporaryFolder } from '../../../setup/temporaryFolder.ts';
import { MINUTE_MS, noDeadline } from '../../../setup/time.ts';
import { inProcess } from '../../../setup/transports.ts';
import { aiLog, jsonOf, signedUpload } from '../../../setup/upload.ts';
import { scannedArrivals } from '../log/scannedArrivals.ts';

/** The output of an audit as JSON, as far as the tests name it. */
interface AuditJson {
  readonly size: number;
  readonly rows: number;
  readonly logged: number;
  readonly pending: number;
  readonly expired: number;
  readonly known: number;
  readonly duplicates: number;
  readonly unchecked: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Local data with a transparency log. Uploads go through the real handler, entries into the log through the real
 * sequencer. @param begins when the log begins, in milliseconds since 1970 @param retention in days
 */
export async function openAuditFixture({ begins = Date.now() - 60 * MINUTE_MS, retention = 0 } = {}) {
  const local = await openLocalData();
  const { fixture, folder } = local;
  const { db, names, runOptions } = fixture;
  const { config } = fixture.dependencies();
  const log = fixture.logFolder;
  symlinkSync(log, join(folder, localPaths.tlog));
  const signer = localSigner(fixture.environment.CREDENTIALS_KEY_FILE, LOCAL_ORIGIN);
  local.file(localPaths.policy, await fixture.policy());
  let now = begins;
  const sequencer = {
    ...runOptions,
    // The log begins with the first upload, and not with its table.
    arrivals: scannedArrivals(db, names.aiLogs, begins),
    now: () => now,
    lagMs: 30_000,
    windowMs: 600_000,
    retentionDays: retention,
  };
  /** Runs the sequencer when some time has passed. Commits are stored when they say, by the clock of the fixture. */
  const sequence = async (ms = MINUTE_MS) => {
    now += ms;
    const outcome = await run(sequencer, noDeadline());
    for (const name of readdirSync(join(log, 'commits'))) {
      const { time } = parseCommit(readFileSync(join(log, 'commits', name), 'utf8'));
      utimesSync(join(log, 'commits', name), time / 1000, time / 1000);
    }
    return outcome;
  };
  const transport = inProcess(
    fixture.dependencies({
      now: () => now,
      config: retention === 0 ? config : { ...config, entryRetentionDays: retention },
    }),
  );
  const rows = (): Promise<Entry[]> => Array.fromAsync(scan<Entry>(db, { TableName: names.aiLogs }));

  return {
    ...local,
    log,
    signer,
    clock: { now: () => now, advance: (ms: number) => (now += ms) },
    sequence,
    rows,

    /** Uploads a log now. @returns its receipt, as the response has it */
    async upload(team: Team, change: Record<string, unknown> = {}): Promise<string> {
      now += 1000;
      const request = signedUpload(team, { timestamp: () => now, body: jsonOf({ ...aiLog, ...change }) });
      const { headers, text } = await transport.send(request);
      if (!headers['ai-log-id']) throw new Error(text);
      return headers['ai-log-receipt'] ?? '';
    },

    put: (entry: object) => db.send(new PutCommand({ TableName: names.aiLogs, Item: { ...entry } })),

    remove: ({ uid, entryId }: Pick<Entry, 'uid' | 'entryId'>) =>
      db.send(new DeleteCommand({ TableName: names.aiLogs, Key: { uid, entryId } })),

    /** Keeps rows, files and the time as they are. @returns puts them back */
    async keep(): Promise<() => Promise<void>> {
      const then = now;
      const before = await rows();
      const copy = temporaryFolder();
      cpSync(log, copy, { recursive: true, preserveTimestamps: true });
      const tlog = await Array.fromAsync(scan<Record<string, unknown>>(db, { TableName: names.receiptKeys }));
      return async () => {
        now = then;
        for (const row of await rows()) await this.remove(row);
        const puts = before.map((Item) => ({ PutRequest: { Item } }));
        await db.send(new BatchWriteCommand({ RequestItems: { [names.aiLogs]: puts } }));
        for (const Item of tlog) await db.send(new PutCommand({ TableName: names.receiptKeys, Item }));
        for (const name of readdirSync(log)) rmSync(join(log, name), { recursive: true });
        cpSync(copy, log, { recursive: true, preserveTimestamps: true });
      };
    },

    read: (path: string): Buffer => readFileSync(join(log, path)),

    /** Writes a file of the log as somebody does who may: with the time that it had. */
    write(path: string, bytes: string | Uint8Array, at?: number): void {
      writeFileSync(join(log, path), bytes);
      if (at !== undefined) utimesSync(join(log, path), at / 1000, at / 1000);
    },

    /** Audits the local log. */
    async audit(args: readonly string[] = [], options: RunOptions = {}) {
      const ran = await local.ailog(['tlog', 'audit', '--json', ...args], options);
      if (ran.stdout === '') throw new Error(ran.stderr);
      const result = JSON.parse(ran.stdout) as AuditJson;
      return { ...ran, ...result, kinds: [...new Set(result.findings.map(({ kind }) => kind))].sort() as Kind[] };
    },
  };
}

export type AuditFixture = Awaited<ReturnType<typeof openAuditFixture>>;
