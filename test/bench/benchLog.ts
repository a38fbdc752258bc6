import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatCheckpoint } from '../../functions/c2sp/checkpoint.ts';
import { signNote } from '../../functions/c2sp/note.ts';
import { appendEntries, EMPTY_EDGE, partialTiles, rootOfEdge, type TileFile } from '../../functions/c2sp/rightEdge.ts';
import { tilePath } from '../../functions/c2sp/tiles.ts';
import { treeReader } from '../../functions/c2sp/treeReader.ts';
import { type Log, run } from '../../functions/sequencer/sequence.ts';
import { arrivalKeys } from '../../functions/tlog/arrival.ts';
import { type Commit, formatCommit, parseCommit } from '../../functions/tlog/commit.ts';
import { checkpointPath, commitPath } from '../../functions/tlog/paths.ts';
import { newEntry, world } from '../setup/world.ts';
import { storeItems } from './entries.ts';

/** 2025-11-14T09:31:00Z: where the clock of a log starts. */
const START = 1_763_112_660_000;

/** The lag of a deployed sequencer, in milliseconds. */
export const LAG = 30_000;

/** Leaves that are generated at once, and leaves of a generated commit. */
const BATCH = 65_536;
const COMMIT_LEAVES = 1000;

/** A log in a folder, on tables of its own, and with a clock of its own that only goes on during a run. */
export async function openBenchLog() {
  const { db, names, runOptions: local, logFolder: folder } = await world({ receiptKey: false });
  let clock = START;
  let runStart: number | undefined;
  const now = () => Math.floor(clock + (runStart === undefined ? 0 : performance.now() - runStart));
  let requests = 0;
  const counted = <Service extends object>(service: Service): Service =>
    Object.fromEntries(
      Object.entries(service).map(([name, call]) => [
        name,
        (...args: unknown[]) => {
          requests += 1;
          return call(...args);
        },
      ]),
    ) as Service;
  const dependencies: Log = {
    ...local,
    now,
    lagMs: LAG,
    windowMs: 600_000,
    storage: counted(local.storage),
    arrivals: counted(local.arrivals),
  };
  const never = new AbortController().signal;
  const store = ({ path, bytes }: TileFile) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  };
  /** Writes a commit without entries, and its checkpoint. */
  const publish = async (commit: Commit) => {
    const { n, origin, to } = commit;
    const signed = await signNote(formatCheckpoint({ origin, ...to }), await dependencies.signers(never), never);
    store({ path: commitPath(n), bytes: Buffer.from(formatCommit(commit)) });
    for (const path of [checkpointPath(n), 'checkpoint']) store({ path, bytes: Buffer.from(signed) });
    await dependencies.table.raiseFloor(n, never);
  };

  return {
    folder,
    now,
    set: (time: number) => {
      clock = time;
    },

    /** Stores entries with these times of receipt, in milliseconds since 1970. */
    async upload(times: readonly number[]): Promise<void> {
      await storeItems(db, names.aiLogs, times.length, (n) => {
        const entry = newEntry(times[n] as number);
        return { ...entry, ...arrivalKeys(entry) };
      });
    },

    /** Makes the hour that has ended due for its second look: a commit says that it was not looked at. */
    async makeLookDue(): Promise<void> {
      const n = (await dependencies.table.getFloor(never)) + 1;
      const { to, ...before } = parseCommit((await readFile(join(folder, commitPath(n - 1)))).toString());
      await publish({ ...before, n, looked: before.cursor - 49 * 3_600_000, from: to, to, entries: [] });
    },

    /** Runs the sequencer. @returns its outcome, milliseconds of time and CPU, and calls to storage and index */
    async run() {
      [runStart, requests] = [performance.now(), 0];
      const before = process.cpuUsage();
      const outcome = await run(dependencies, never);
      const milliseconds = performance.now() - runStart;
      const { user, system } = process.cpuUsage(before);
      [clock, runStart] = [now(), undefined];
      return { outcome, milliseconds, cpu: (user + system) / 1000, requests };
    },

    /** Makes a new log one of random leaves: its tiles, its commits without their entries, and its checkpoint. */
    async generate(size: number): Promise<void> {
      const partial = new Map<string, TileFile>();
      let edge = EMPTY_EDGE;
      while (edge.size < size) {
        const bytes = randomBytes(Math.min(BATCH, size - edge.size) * 32);
        const entries = Array.from({ length: bytes.length / 32 }, (_, index) =>
          bytes.subarray(index * 32, index * 32 + 32),
        );
        const appended = appendEntries(edge, entries);
        for (const file of appended.files) {
          if (file.path.includes('.p/')) partial.set(file.path, file);
          else store(file);
        }
        edge = appended.edge;
      }
      // Partial tiles in between are not part of the last tree.
      const { hashes, bundle } = partialTiles(size);
      for (const tile of [...hashes, bundle]) if (tile) store(partial.get(tilePath(tile)) as TileFile);
      const tree = { size, root: rootOfEdge(edge) };
      // All of it is older than what a run compares.
      const commits = Math.ceil(size / COMMIT_LEAVES);
      const times = { looked: START - 48 * 3_600_000, retentionDays: 0, from: tree, to: tree, entries: [] };
      for (let n = 1; n <= commits; n += 1) {
        const time = n === commits ? START - LAG : START - 100 * 3_600_000 + n;
        const commit = { ...times, origin: dependencies.origin, n, time, cursor: time };
        if (n === commits) await publish(commit);
        else store({ path: commitPath(n), bytes: Buffer.from(formatCommit(commit)) });
      }
    },

    /** Returns a reader of the published tree, which reads every tile anew, and counts the tiles that it reads. */
    reader(size: number) {
      let tiles = 0;
      const reader = treeReader((tile) => {
        tiles += 1;
        return readFile(join(folder, tilePath(tile)));
      }, size);
      return { ...reader, tiles: () => tiles };
    },
  };
}
