import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { expect } from 'vitest';
import { localRunOptions } from '../../cli/local/sequence.ts';
import type { Entry } from '../../functions/ailog/entry.ts';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { bundlesFrom, readBundle, tilePath } from '../../functions/c2sp/tiles.ts';
import type { Arrival, Arrivals } from '../../functions/sequencer/arrivals.ts';
import { type Log, type Outcome, run } from '../../functions/sequencer/sequence.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { type Commit, parseCommit } from '../../functions/tlog/commit.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { checkpointPath, commitPath } from '../../functions/tlog/paths.ts';
import { plainRoot } from '../c2sp/trees.ts';
import type { openFixture } from '../setup/fixture.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { noDeadline } from '../setup/time.ts';
import { newEntry } from './newEntry.ts';

/** 2025-11-14T09:31:00Z: the tests' clock starts here. */
const START = 1_763_112_660_000;

/** Milliseconds that an entry waits before it is sequenced. */
export const LAG_MS = 30_000;

/** The time before the cursor that a deployment reads again. */
const WINDOW_MS = 10 * 60_000;

/** The minutes in which entries were received, by the name of their table. */
const minutes = new Map<string, Set<number>>();

/** Notes that an entry of a table was received at a time. */
function noteArrival(tableName: string, receivedAt: number): void {
  minutes.set(tableName, (minutes.get(tableName) ?? new Set()).add(Math.floor(receivedAt / 60_000) * 60_000));
}

/**
 * The index of a table, read only where it has entries: a day of nothing takes 11 520 queries, which the engine answers
 * in half a minute.
 */
const withoutEmptyMinutes = (arrivals: Arrivals, tableName: string): Arrivals => ({
  ...arrivals,
  async between([from, until], signal) {
    const found: Arrival[] = [];
    for (const minute of minutes.get(tableName) ?? []) {
      const range = [Math.max(from, minute), Math.min(until, minute + 60_000)] as const;
      if (range[0] < range[1]) found.push(...(await arrivals.between(range, signal)));
    }
    return found;
  },
});

export const leafHex = (entry: Entry): string => entryHashOf(entryPreimage(entry)).toString('hex');

/** A log of its own on the tables of a fixture. Its clock stands still. @param folder where its files are */
export function openLogFixture(
  { db, names, environment }: Awaited<ReturnType<typeof openFixture>>,
  folder = temporaryFolder(),
) {
  const uploaded = new Set<string>();
  let now = START;
  const local = localRunOptions({ db, tables: names, folder, keyFile: environment.CREDENTIALS_KEY_FILE });
  const options = {
    ...local,
    arrivals: { ...withoutEmptyMinutes(local.arrivals, names.aiLogs), beginning: async () => START },
    now: () => now,
    lagMs: LAG_MS,
    windowMs: WINDOW_MS,
  };
  const read = (path: string) => readFileSync(join(folder, path));
  const paths = () =>
    globSync('**/*', { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const commit = (n: number): Commit => parseCommit(read(commitPath(n)).toString());

  const put = async (batch: readonly Entry[]) => {
    const starts = Array.from({ length: Math.ceil(batch.length / 25) }, (_, index) => index * 25);
    const putBatch = async (start: number) => {
      const requests = batch.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
      await db.send(new BatchWriteCommand({ RequestItems: { [names.aiLogs]: requests } }));
    };
    await pMap(starts, putBatch, { concurrency: 8 });
    for (const entry of batch) {
      uploaded.add(leafHex(entry));
      noteArrival(names.aiLogs, entry.receivedAt);
    }
  };

  return {
    folder,
    options,
    db,
    names,
    clock: { now: () => now, advance: (ms: number) => (now += ms), set: (ms: number) => (now = ms) },

    /** Stores entries that were received at a time. */
    async upload(count: number, { receivedAt = now } = {}): Promise<Entry[]> {
      const batch = Array.from({ length: count }, () => newEntry(receivedAt));
      await put(batch.map((entry) => ({ ...entry, ...arrivalKeys(entry) })));
      return batch;
    },

    /** Stores entries that are old enough for the next run. */
    async grow(count: number): Promise<Entry[]> {
      const batch = await this.upload(count);
      now += LAG_MS + 1;
      return batch;
    },

    /** Stores an entry that the index does not show yet; the function that is returned lets it appear. */
    async uploadLate(receivedAt = now): Promise<() => Promise<void>> {
      const entry = newEntry(receivedAt);
      uploaded.add(leafHex(entry));
      return () => put([{ ...entry, ...arrivalKeys(entry) }]);
    },

    run: (change: Partial<Log> = {}): Promise<Outcome> => run({ ...options, ...change }, noDeadline()),

    commit,

    newest: (): Commit => commit(paths().filter((path) => path.startsWith('commits/')).length),

    /** Every leaf of the published log, in its order, as hex. */
    leaves(): string[] {
      const { size } = parseCheckpoint(parseNote(read('checkpoint').toString()).text);
      return [...bundlesFrom(0, size)].flatMap((tile) =>
        readBundle(read(tilePath(tile)), tile.width).map((leaf) => leaf.toString('hex')),
      );
    },

    /** Every file of the log by its path. */
    files: () => new Map(paths().map((path) => [path, read(path)])),

    /**
     * Checks the published log from its files alone, as a stranger would: every commit has a checkpoint that is signed,
     * the newest has the root of its leaves, and every entry that was uploaded is in the log once.
     */
    async expectWhole({ signers = options.signers } = {}): Promise<void> {
      const leaves = this.leaves();
      const logs = (await signers(noDeadline())).map(({ key }) => ({ key }));
      const policy = { logs, receipts: [], witnesses: new Map(), quorum: { threshold: 0, members: [] } };
      const open = (path: string) => openCheckpoint(read(path).toString(), policy);
      const { n, to } = this.newest();
      for (let at = 1; at <= n; at += 1) expect(open(checkpointPath(at)).size).toBe(commit(at).to.size);
      expect(open('checkpoint')).toMatchObject({ origin: options.origin, ...to });
      expect(to.root).toEqual(plainRoot(leaves.map((leaf) => Buffer.from(leaf, 'hex'))));
      expect([...leaves].sort()).toEqual([...uploaded].sort());
    },
  };
}

/** A log of a test, and what it can do to it. */
export type LogFixture = ReturnType<typeof openLogFixture>;
