import { randomBytes } from 'node:crypto';
import { cpSync, globSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BatchWriteCommand, DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import { expect } from 'vitest';
import { localPaths } from '../../cli/store/targets/data.ts';
import { scan } from '../../cli/store/targets/openedTarget.ts';
import type { Entry } from '../../functions/ailog/entry.ts';
import { parseCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { parseNote } from '../../functions/c2sp/note.ts';
import { bundlesFrom, readBundle, tilePath } from '../../functions/c2sp/tiles.ts';
import type { Arrival, Arrivals } from '../../functions/sequencer/arrivals.ts';
import { type Log, type Outcome, run } from '../../functions/sequencer/sequence.ts';
import { arrivalKeys, parseArrival } from '../../functions/tlog/arrival.ts';
import { type Commit, parseCommit } from '../../functions/tlog/commit.ts';
import { entryHashOf, entryPreimage } from '../../functions/tlog/entryHash.ts';
import { openCheckpoint } from '../../functions/tlog/openCheckpoint.ts';
import { checkpointPath, commitPath } from '../../functions/tlog/paths.ts';
import { plainRoot } from '../c2sp/trees.ts';
import type { Tables, Team } from './tables.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { HOUR_MS, MINUTE_MS, noDeadline } from './time.ts';

/** 2025-11-14T09:31:00Z: where the clock of a log starts that is told nothing else. */
const START = 1_763_112_660_000;

/** Milliseconds that an entry waits before it is sequenced. */
export const LAG_MS = 30_000;

export const leafHex = (entry: Entry): string => entryHashOf(entryPreimage(entry)).toString('hex');

/** A clock that only the test moves. */
export function newClock(now: number) {
  return { now: () => now, set: (ms: number) => (now = ms), advance: (ms: number) => (now += ms) };
}

/** What a test does with a log that the real sequencer runs in a folder. */
export function logIn<Options extends Log>(logFolder: string, options: Options, clock: ReturnType<typeof newClock>) {
  const read = (path: string): Buffer => readFileSync(join(logFolder, path));
  const paths = () =>
    globSync('**/*', { cwd: logFolder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(logFolder, join(entry.parentPath, entry.name)));
  const commit = (n: number): Commit => parseCommit(read(commitPath(n)).toString());
  return {
    logFolder,
    options,
    clock,
    read,
    commit,

    /** Writes a file as somebody does who may. @param at the time of the file, in milliseconds since 1970 */
    write(path: string, bytes: string | Uint8Array, at?: number): void {
      writeFileSync(join(logFolder, path), bytes);
      if (at !== undefined) utimesSync(join(logFolder, path), at / 1000, at / 1000);
    },

    run: (change: Partial<Log> = {}): Promise<Outcome> => run({ ...options, ...change }, noDeadline()),

    /** Runs the sequencer when some time has passed. */
    sequence(ms = MINUTE_MS): Promise<Outcome> {
      clock.advance(ms);
      return this.run();
    },

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
  };
}

/**
 * The index of a table, read only in the minutes in which it has entries: a day of nothing takes 11 520 queries, which
 * the engine answers in half a minute.
 */
const withoutEmptyMinutes =
  (arrivals: Arrivals, rows: () => Promise<Entry[]>): Arrivals['between'] =>
  async ([from, until], signal) => {
    const times = (await rows()).flatMap(({ arrival }) => parseArrival(arrival)?.receivedAt ?? []);
    const minutes = new Set(times.map((time) => time - (time % MINUTE_MS)));
    const found: Arrival[] = [];
    for (const minute of minutes) {
      const range = [Math.max(from, minute), Math.min(until, minute + MINUTE_MS)] as const;
      if (range[0] < range[1]) found.push(...(await arrivals.between(range, signal)));
    }
    return found;
  };

let made = 0;

/** Returns an entry that was received at a time, as the upload function stores it. */
export function newEntry(receivedAt: number): Entry {
  made += 1;
  const timestamp = String(receivedAt);
  const hash = randomBytes(16).toString('hex');
  return {
    ...{ uid: String(made % 97), entryId: `${timestamp}-${hash}`, receivedAt, timestamp, stage: 's', model: 'm' },
    ...{ body: new Uint8Array(1), bodySha256: hash.repeat(2), bodyBytes: 1 },
    ...{ accessKey: 'ailog_k', signature: hash, locale: 'en-US', sourceIp: '192.0.2.1' },
  };
}

/**
 * Opens the transparency log of some tables.
 * @param world with local data, the command line reads this log there
 * @param settings `begins`: when, in milliseconds since 1970; the clock starts there. `isLive`: the log began two days
 * ago, so that it has looked at no hour again, and its clock follows that of the machine, without a lag
 */
export async function openLog(
  world: Tables & { readonly folder?: string },
  { isLive = false, begins = START, retentionDays = 0 } = {},
) {
  const { db, names, folder, logFolder, runOptions, put, rows } = world;
  if (folder !== undefined) {
    symlinkSync(logFolder, join(folder, localPaths.tlog));
    writeFileSync(join(folder, localPaths.policy), await world.policy());
  }
  const clock = newClock(isLive ? Date.now() : begins);
  const beginning = isLive ? clock.now() - 47 * HOUR_MS : begins;
  const between = withoutEmptyMinutes(runOptions.arrivals, rows);
  const log = logIn(
    logFolder,
    {
      ...runOptions,
      arrivals: { beginning: async () => beginning, between },
      now: clock.now,
      ...(isLive ? { lagMs: 0, windowMs: HOUR_MS } : { lagMs: LAG_MS, windowMs: 10 * MINUTE_MS }),
      retentionDays,
    },
    clock,
  );
  const owner = await world.oldTeam();
  /** When the last log was uploaded. */
  let last = 0;
  return {
    ...log,
    /** The team whose logs the test uploads if it names no other. */
    owner,

    /** Uploads a log. Every upload has a time of its own. @returns the entry id */
    upload(change: Record<string, unknown> = {}, by: Team = owner): Promise<string> {
      last = isLive ? Math.max(last + 1, Date.now()) : clock.advance(1000);
      return world.uploadAt(by, last, change, retentionDays);
    },

    /** Runs the sequencer when some time has passed: in a live log since the last upload, which has no lag. */
    sequence(ms = isLive ? 1 : MINUTE_MS): Promise<Outcome> {
      clock.set(isLive ? Math.max(clock.now(), last + ms, Date.now()) : clock.now() + ms);
      return this.run();
    },

    /** Uploads a log, and adds it to the transparency log. @returns the entry id */
    async logged(...upload: Parameters<typeof this.upload>): Promise<string> {
      const id = await this.upload(...upload);
      await this.sequence();
      return id;
    },

    /** Keeps the rows, the files, the keys, the floor and the time. @returns a function that restores them */
    async keep(): Promise<() => Promise<void>> {
      const then = clock.now();
      const idOf = ({ uid, entryId }: Entry) => `${uid} ${entryId}`;
      const before = new Map((await rows()).map((row) => [idOf(row), row]));
      const copy = temporaryFolder();
      cpSync(logFolder, copy, { recursive: true, preserveTimestamps: true });
      const TableName = names.receiptKeys;
      const readItems = () => Array.fromAsync(scan<Record<'id', string>>(db, { TableName }));
      const items = await readItems();
      return async () => {
        clock.set(then);
        const now = new Map((await rows()).map((row) => [idOf(row), row]));
        for (const [id, row] of now) if (!before.has(id)) await world.remove(row);
        for (const [id, row] of before) if (!isDeepStrictEqual(row, now.get(id))) await put(row);
        for (const { id } of await readItems()) await db.send(new DeleteCommand({ TableName, Key: { id } }));
        for (const Item of items) await db.send(new PutCommand({ TableName, Item }));
        for (const name of readdirSync(logFolder)) rmSync(join(logFolder, name), { recursive: true });
        cpSync(copy, logFolder, { recursive: true, preserveTimestamps: true });
      };
    },

    async stored(id: string, of: Team = owner): Promise<Entry> {
      return (await world.entriesOf(of.uid)).find(({ entryId }) => entryId === id) as Entry;
    },

    /** Stores made-up entries past the service, which were received at a time. */
    async store(count: number, receivedAt = clock.now()): Promise<Entry[]> {
      const batch = Array.from({ length: count }, () => newEntry(receivedAt));
      const starts = Array.from({ length: Math.ceil(count / 25) }, (_, index) => index * 25);
      const putBatch = async (start: number) => {
        const items = batch.slice(start, start + 25).map((entry) => ({ ...entry, ...arrivalKeys(entry) }));
        const requests = items.map((Item) => ({ PutRequest: { Item } }));
        await db.send(new BatchWriteCommand({ RequestItems: { [names.aiLogs]: requests } }));
      };
      await pMap(starts, putBatch, { concurrency: 8 });
      return batch;
    },

    /** Stores made-up entries that are old enough for the next run. */
    async grow(count: number): Promise<Entry[]> {
      const batch = await this.store(count);
      clock.advance(LAG_MS + 1);
      return batch;
    },

    /** Makes up an entry that the index does not show yet. @returns lets it appear */
    storeLate(): () => Promise<unknown> {
      const entry = newEntry(clock.now());
      return () => put({ ...entry, ...arrivalKeys(entry) });
    },

    /**
     * Checks the published log from its files alone, as a stranger would: every commit has a checkpoint that is signed,
     * the newest has the root of its leaves, and every entry of the table is in the log once.
     */
    async expectWhole({ signers = log.options.signers } = {}): Promise<void> {
      const leaves = log.leaves();
      const logs = (await signers(noDeadline())).map(({ key }) => ({ key }));
      const policy = { logs, receipts: [], witnesses: new Map(), quorum: { threshold: 0, members: [] } };
      const open = (path: string) => openCheckpoint(log.read(path).toString(), policy);
      const { n, to } = log.newest();
      for (let at = 1; at <= n; at += 1) expect(open(checkpointPath(at)).size).toBe(log.commit(at).to.size);
      expect(open('checkpoint')).toMatchObject({ origin: log.options.origin, ...to });
      expect(to.root).toEqual(plainRoot(leaves.map((leaf) => Buffer.from(leaf, 'hex'))));
      expect([...leaves].sort()).toEqual((await rows()).map(leafHex).sort());
    },
  };
}
