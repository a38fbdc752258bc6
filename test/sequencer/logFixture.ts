import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BatchWriteCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { expect } from 'vitest';
import { localRunOptions } from '../../cli/local/sequence.ts';
import type { Entry } from '../../functions/ailog/entry.ts';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { verifyConsistency } from '../../functions/c2sp/proofs.ts';
import { bundlesFrom, readBundle, tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';
import type { Arrivals } from '../../functions/sequencer/arrivals.ts';
import { type Outcome, type RunOptions, runSequencer } from '../../functions/sequencer/run.ts';
import type { TlogStorage } from '../../functions/sequencer/storage.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { plainRoot } from '../c2sp/trees.ts';
import type { openFixture } from '../setup/fixture.ts';
import { temporaryFolder } from '../setup/temporaryFolder.ts';
import { headItem } from './headItem.ts';
import { type Intercept, killAt, orKilled, withIntercept } from './intercept.ts';
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
export function noteArrival(tableName: string, receivedAt: number): void {
  const noted = minutes.get(tableName) ?? new Set();
  minutes.set(tableName, noted.add(Math.floor(receivedAt / 60_000) * 60_000));
}

/**
 * The index of a table, read only where it has entries: a day of nothing takes 11 520 queries, which the engine answers
 * in half a minute.
 */
export const withoutEmptyMinutes = (arrivals: Arrivals, tableName: string): Arrivals => ({
  ...arrivals,
  async between([from, until], abortSignal) {
    const found: Buffer[] = [];
    for (const minute of minutes.get(tableName) ?? []) {
      const range = [Math.max(from, minute), Math.min(until, minute + 60_000)] as const;
      if (range[0] < range[1]) found.push(...(await arrivals.between(range, abortSignal)));
    }
    return found;
  },
});

/** Where the files of a log are, as somebody reads them who does not run it. */
export interface LogFiles {
  /** The storage of a sequencer whose every request goes through an interceptor. */
  storage(intercept: Intercept): TlogStorage;
  read(path: string): Buffer;
  paths(): string[];
}

/** The leaf of an entry in hex. */
export const leafHex = (entry: Entry): string => entryHashOf(entryPreimage(entry)).toString('hex');

/**
 * A log of its own on the tables of a fixture. Its clock stands still.
 * @param options `fresh`: the fixture had a log before, which is forgotten; `bucket`: where its files are, instead of a
 * new folder
 */
export async function openLogFixture(
  { db, names, environment }: Awaited<ReturnType<typeof openFixture>>,
  { fresh = false, bucket }: { fresh?: boolean; bucket?: LogFiles | undefined } = {},
) {
  if (fresh) {
    for (const id of ['head', 'receipt-keys']) await db.send(new DeleteCommand({ TableName: names.tlog, Key: { id } }));
  }
  const folder = temporaryFolder();
  const keyFile = environment.CREDENTIALS_KEY_FILE;
  const uploaded = new Set<string>();
  let now = START;
  const local = localRunOptions({ db, tables: names, folder, keyFile });
  const options: RunOptions = {
    ...local,
    ...(bucket && { storage: bucket.storage(() => undefined) }),
    arrivals: withoutEmptyMinutes(local.arrivals, names.aiLogs),
    now: () => now,
    lagMs: LAG_MS,
    windowMs: WINDOW_MS,
  };
  const read = bucket?.read ?? ((path) => readFileSync(join(folder, path)));
  const inFolder = () =>
    globSync('**/*', { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const paths = bucket?.paths ?? inFolder;
  const readerOf = (size: number) => treeReader(async (tile) => read(tilePath(tile)), size);

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

    run: (change: Partial<RunOptions> = {}): Promise<Outcome> =>
      runSequencer({ ...options, ...change }, AbortSignal.timeout(30_000)),

    /** Runs a sequencer that is killed at a step. @returns false if the run had fewer steps */
    async runKilled(step: number, change: Partial<RunOptions> = {}): Promise<boolean> {
      const plan = killAt(step);
      await this.run(this.intercepted(plan.intercept, change)).catch(orKilled);
      return plan.killed();
    },

    /** What a sequencer works with whose every call goes through an interceptor; to a bucket, every request. */
    intercepted: (intercept: Intercept, change: Partial<RunOptions> = {}): RunOptions => ({
      ...withIntercept({ ...options, ...change }, intercept),
      ...(bucket && { storage: bucket.storage(intercept) }),
    }),

    ...headItem(db, names.tlog),

    /** Every leaf of the published log, in its order, as hex. */
    leaves(): string[] {
      const { size } = parseCheckpoint(parseNote(read('checkpoint').toString()).text);
      return [...bundlesFrom(0, size)].flatMap((tile) =>
        readBundle(read(tilePath(tile)), tile.width).map((leaf) => leaf.toString('hex')),
      );
    },

    /** The entries that were uploaded and are not in the published log. */
    missing(): string[] {
      const leaves = new Set(this.leaves());
      return [...uploaded].filter((leaf) => !leaves.has(leaf));
    },

    /** Every file of the log by its path. */
    files: () => new Map(paths().map((path) => [path, read(path)])),

    /**
     * Checks the published log from its files alone, as a stranger would: every checkpoint is signed and has the root
     * of its leaves, each is consistent with the next, and no entry is logged twice. And every entry that was uploaded
     * is in it.
     */
    async expectWhole({ complete = true, keys = 3, signers = options.signers } = {}): Promise<void> {
      const leaves = this.leaves();
      const logs = (await signers(AbortSignal.timeout(1000))).map(({ key }) => ({ key }));
      const policy = { logs, receipts: [], witnesses: new Map(), groups: new Map(), quorum: 'none' };
      const open = (path: string) => openCheckpoint(read(path).toString(), policy);
      const sizes = paths()
        .filter((path) => path.startsWith('checkpoints/'))
        .map((path) => Number(path.slice('checkpoints/'.length)))
        .sort((one, other) => one - other);
      let before: ReturnType<typeof open> | undefined;
      for (const size of sizes) {
        const checkpoint = open(`checkpoints/${size}`);
        expect(checkpoint).toMatchObject({ origin: options.origin, size });
        if (before)
          expect(verifyConsistency(await readerOf(size).consistencyProof(before.size), before, checkpoint)).toBe(true);
        before = checkpoint;
      }
      const newest = open('checkpoint');
      expect(newest).toMatchObject({ size: sizes.at(-1), root: before?.root });
      expect(newest.root).toEqual(plainRoot(leaves.map((leaf) => Buffer.from(leaf, 'hex'))));
      expect(new Set(leaves).size).toBe(leaves.length);
      if (complete) expect(this.missing()).toEqual([]);
      // The other leaves are the log's keys and its retention; nothing else is in it that nobody uploaded.
      expect(leaves.filter((leaf) => !uploaded.has(leaf)).length).toBeLessThanOrEqual(keys);
    },
  };
}

/** Returns a log after its first run, which puts its keys into it. */
export async function afterFirstRun(opening: Promise<LogFixture>): Promise<LogFixture> {
  const log = await opening;
  await log.run();
  return log;
}

/** A log of a test, and what it can do to it. */
export type LogFixture = Awaited<ReturnType<typeof openLogFixture>>;
