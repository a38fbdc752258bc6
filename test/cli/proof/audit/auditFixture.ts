import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { localRunOptions } from '../../../../cli/local/sequence.ts';
import type { Finding } from '../../../../cli/proof/audit/findings.ts';
import { localPaths } from '../../../../cli/store/targets/data.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { runSequencer } from '../../../../functions/sequencer/run.ts';
import { noteArrival, withoutEmptyMinutes } from '../../../sequencer/logFixture.ts';
import { openLocalData, type RunOptions } from '../../../setup/commandLine.ts';
import type { Team } from '../../../setup/fixture.ts';
import { MINUTE_MS } from '../../../setup/time.ts';
import { inProcess } from '../../../setup/transports.ts';
import { aiLog, jsonOf, signedUpload } from '../../../setup/upload.ts';

/** 2025-11-14T09:31:00Z: the first upload. */
export const START = 1_763_112_660_000;

/** The setting entryRetentionDays of the fixture. */
export const RETENTION = 3650;

/**
 * Local data with a transparency log. Uploads go through the real handler, entries into the log through the real
 * sequencer.
 */
export async function openAuditFixture({ retention = RETENTION } = {}) {
  const local = await openLocalData();
  const { fixture, folder } = local;
  const { db, names, environment } = fixture;
  const { config } = fixture.dependencies();
  // The receipt key is as old as the log, as in a deployment.
  await db.send(new DeleteCommand({ TableName: names.tlog, Key: { id: 'receipt-keys' } }));
  let now = START;
  const log = join(folder, localPaths.tlog);
  const options = localRunOptions({ db, tables: names, folder: log, keyFile: environment.CREDENTIALS_KEY_FILE });
  const sequencer = {
    ...options,
    // The log begins with the first upload, however late its first run is.
    arrivals: { ...withoutEmptyMinutes(options.arrivals, names.aiLogs), beginning: async () => START },
    now: () => now,
    lagMs: 30_000,
    windowMs: 600_000,
    retentionDays: retention,
  };
  const checkpoints = join(log, 'checkpoints');
  /** Runs the sequencer. The files that it stores have the time of the fixture's clock. */
  const run = async () => {
    const before = new Set(existsSync(checkpoints) ? readdirSync(checkpoints) : []);
    const outcome = await runSequencer(sequencer, AbortSignal.timeout(60_000));
    for (const name of readdirSync(checkpoints)) {
      if (!before.has(name)) utimesSync(join(checkpoints, name), now / 1000, now / 1000);
    }
    utimesSync(join(log, 'checkpoint'), now / 1000, now / 1000);
    return outcome;
  };
  const transport = inProcess(
    fixture.dependencies({ now: () => now, config: { ...config, entryRetentionDays: retention } }),
  );

  return {
    ...local,
    log,
    clock: { now: () => now, advance: (ms: number) => (now += ms) },
    run,

    /** Uploads a log now. @returns its receipt, as the response has it */
    async upload(team: Team, change: Record<string, unknown> = {}): Promise<string> {
      noteArrival(names.aiLogs, now);
      const request = signedUpload(team, { timestamp: () => now, body: jsonOf({ ...aiLog, ...change }) });
      const { headers, text } = await transport.send(request);
      if (!headers['ai-log-id']) throw new Error(text);
      return headers['ai-log-receipt'] ?? '';
    },

    /** Brings everything up to now into the log. */
    async publish() {
      now += MINUTE_MS;
      return run();
    },

    /** Audits the local log. */
    async audit(args: readonly string[] = [], options: RunOptions = {}) {
      const ran = await local.ailog(['tlog', 'audit', '--json', ...args], options);
      return { ...ran, result: (ran.stdout === '' ? {} : JSON.parse(ran.stdout)) as AuditJson };
    },

    /** All entries of teams, oldest first. */
    async entries(teams: readonly Team[]): Promise<Entry[]> {
      const all = await Promise.all(teams.map(({ uid }) => fixture.entriesOf(uid)));
      return all.flat().sort((one, other) => one.receivedAt - other.receivedAt);
    },
  };
}

/** The output of an audit as JSON, as far as the tests name it. */
interface AuditJson {
  readonly notYetInLog: number;
  readonly expired: number;
  readonly receiptsInLog: number;
  readonly notChecked: readonly string[];
  readonly laterReceiptKeys: readonly unknown[];
  readonly findings: readonly Finding[];
}
