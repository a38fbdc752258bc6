import { join } from 'node:path';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { localRunOptions } from '../../../../cli/local/sequence.ts';
import { localPaths } from '../../../../cli/store/targets/data.ts';
import type { Entry } from '../../../../functions/ailog/entry.ts';
import { runSequencer } from '../../../../functions/sequencer/run.ts';
import { headItem } from '../../../sequencer/headItem.ts';
import { type LocalData, openLocalData } from '../../../setup/commandLine.ts';
import { oldTeam, uploadAt } from '../logs/entries.ts';

/** Runs the sequencer of local data without its lag, as if it were a given time at least. */
export const sequenceLocal = ({ folder, fixture: { db, names, environment } }: LocalData, time = 0) => {
  const files = { folder: join(folder, localPaths.tlog), keyFile: environment.CREDENTIALS_KEY_FILE };
  const dependencies = localRunOptions({ db, tables: names, ...files });
  return runSequencer(
    { ...dependencies, lagMs: 0, now: () => Math.max(time, Date.now()) },
    AbortSignal.timeout(30_000),
  );
};

/** Creates local data with a team and an empty log. */
export async function openLoggedData() {
  const local = await openLocalData();
  const { folder, fixture } = local;
  const { db, names } = fixture;
  const team = await oldTeam(fixture);
  let last = 0;
  return {
    ...local,
    team,
    logFolder: join(folder, localPaths.tlog),
    /** Uploads a log now. Every upload has a time of its own. @returns the entry id */
    upload(log: Record<string, unknown> = {}, by = team): Promise<string> {
      last = Math.max(last + 1, Date.now());
      return uploadAt(fixture, by, last, log);
    },
    /** Uploads a log, and adds it to the transparency log. @returns the entry id */
    async logged(...upload: Parameters<typeof this.upload>): Promise<string> {
      const id = await this.upload(...upload);
      await this.sequence();
      return id;
    },
    /** Returns an entry of the team as it is stored. */
    async stored(id: string): Promise<Entry> {
      return (await fixture.entriesOf(team.uid)).find(({ entryId }) => entryId === id) as Entry;
    },
    /** Deletes an entry past the service. */
    async remove(entryId: string, uid = team.uid): Promise<void> {
      await db.send(new DeleteCommand({ TableName: names.aiLogs, Key: { uid, entryId } }));
    },
    /** Adds everything that was uploaded to the log. */
    sequence: (until = last + 1) => sequenceLocal(local, until),
    ...headItem(db, names.tlog),
    /** Makes the log say that it has come ten minutes past everything that was uploaded. @returns undoes it */
    async passed(): Promise<() => Promise<void>> {
      const { cursor } = await this.head();
      await this.changeHead({ cursor: last + 600_001 });
      return () => this.changeHead({ cursor });
    },
  };
}

/** Local data with a transparency log. */
export type LoggedData = Awaited<ReturnType<typeof openLoggedData>>;
