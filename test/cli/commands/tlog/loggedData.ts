import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { localPaths } from '../../../../cli/store/targets/data.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { run } from '../../../../functions/sequencer/sequence.ts';
import { type Commit, parseCommit } from '../../../../functions/tlog/commit.ts';
import { openLocalData } from '../../../setup/commandLine.ts';
import { HOUR_MS, noDeadline } from '../../../setup/time.ts';
import { scannedArrivals } from '../../proof/log/scannedArrivals.ts';

/** Creates local data with a team and an empty log, which begins two days ago: it has looked at no hour again. */
export async function openLoggedData() {
  const local = await openLocalData();
  const { folder, fixture } = local;
  const { db, names, logFolder, runOptions } = fixture;
  symlinkSync(logFolder, join(folder, localPaths.tlog));
  local.file(localPaths.policy, await fixture.policy());
  const begins = Date.now() - 47 * HOUR_MS;
  const team = await fixture.oldTeam();
  let last = 0;
  let clock = 0;
  /** Runs the sequencer without its lag, as if it were a given time at least. */
  const sequence = async (time = last + 1) => {
    clock = Math.max(clock, time, Date.now());
    const arrivals = scannedArrivals(db, names.aiLogs, begins);
    const log = { ...runOptions, arrivals, lagMs: 0, windowMs: HOUR_MS, now: () => clock };
    return run(log, noDeadline());
  };
  return {
    ...local,
    team,
    logFolder,
    /** Uploads a log now. Every upload has a time of its own. @returns the entry id */
    upload(log: Record<string, unknown> = {}, by = team): Promise<string> {
      last = Math.max(last + 1, Date.now());
      return fixture.uploadAt(by, last, log);
    },
    /** Uploads a log, and adds it to the transparency log. @returns the entry id */
    async logged(...upload: Parameters<typeof this.upload>): Promise<string> {
      const id = await this.upload(...upload);
      await this.sequence();
      return id;
    },
    async stored(id: string, of = team): Promise<Entry> {
      return (await fixture.entriesOf(of.uid)).find(({ entryId }) => entryId === id) as Entry;
    },
    /** Deletes an entry past the service. */
    async remove(entryId: string, uid = team.uid): Promise<void> {
      await db.send(new DeleteCommand({ TableName: names.aiLogs, Key: { uid, entryId } }));
    },
    /** Adds everything that was uploaded to the log. */
    sequence,
    /** Lets the log come more than ten minutes past everything that was uploaded, for good. */
    passed: () => sequence(last + 660_000),
    newest(): Commit {
      const name = readdirSync(join(logFolder, 'commits')).sort().at(-1) as string;
      return parseCommit(readFileSync(join(logFolder, 'commits', name), 'utf8'));
    },
  };
}

/** Local data with a transparency log. */
export type LoggedData = Awaited<ReturnType<typeof openLoggedData>>;
